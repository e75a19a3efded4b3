import type { Command, Given, Session } from '../command/command.ts'
import type { ExitCode } from '../command/exit-code.ts'
import { jsonOption, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { printProcess } from '../field/print-process.ts'
import { addressOf } from './address.ts'
import { FIELDS, PROCEDURE, PROCESS, WHERE_OPTION, YES_OPTION } from './arguments.ts'
import { updateWhere, WHERE_CONSENT_OPTIONS } from './update-where.ts'
import { givenChanges, WRITE_OPTIONS } from './write-options.ts'

export const updateCommand: Command = {
  name: 'update',
  group: 'Processes',
  summary: 'Change one process, or with --where all that match',
  details:
    'With --where, the command shows how many processes match and asks. The job that changes them is then followed to its end.',
  arguments: [PROCEDURE, { ...PROCESS, optional: true }, FIELDS],
  options: {
    ...WHERE_OPTION,
    ...WHERE_CONSENT_OPTIONS,
    ...YES_OPTION,
    detach: { summary: 'with --where: print the id of the job and do not wait' },
    'if-match': { value: 'tag', summary: 'only if the process still has this entity tag' },
    ...WRITE_OPTIONS,
  },
  examples: [
    'update lead LEAD-7 score=95 state=IN_PROGRESS nextActionAt=2026-12-01T10:00:00Z',
    `update lead --where '{"city": "Pune"}' assignedTo=meera`,
    `update lead --where '{"state": "LOST"}' isDeleted=true`,
  ],
  run: {
    remote: (session, given) =>
      jsonOption(given, 'where') === undefined ? updateOne(session, given) : updateWhere(session, given),
  },
}

async function updateOne({ client, signal }: Session, given: Given): Promise<ExitCode | undefined> {
  const [procedure = '', name, ...settings] = given.words
  if (name === undefined || name.includes('=')) throw new UsageError('update takes a process, or --where')
  const definition = await client.procedures.get(procedure, { signal })
  const changes = givenChanges(given, definition, settings, 'update')
  const options = {
    ifMatch: textOption(given, 'if-match'),
    idempotencyKey: textOption(given, 'idempotency-key'),
    signal,
  }
  const changed = await client.processes(procedure).update(addressOf(definition, name), changes, options)
  await printProcess(given, definition, changed)
  return undefined
}
