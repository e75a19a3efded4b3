import type { BulkUpdateProcessesBody } from '../../generated/bodies.ts'
import type { Given, Options, Session } from '../command/command.ts'
import type { ExitCode } from '../command/exit-code.ts'
import { hasFlag, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { confirm } from '../connection/ask.ts'
import { followJob } from '../job/follow-job.ts'
import { printError } from '../output/terminal.ts'
import { countSentence, countWhere } from './count.ts'
import { whereOption } from './list-query.ts'
import { givenChanges } from './write-options.ts'

/** What the API asks for where a query decides what is changed. */
export const WHERE_CONSENT_OPTIONS = {
  all: { summary: "with --where '{}': all processes of the procedure" },
  'allow-undeclared': { summary: 'with --where: the query may name attributes that are not declared' },
} as const satisfies Options

export const consentOf = (given: Given) => ({
  ...(hasFlag(given, 'all') ? { all: true as const } : {}),
  ...(hasFlag(given, 'allow-undeclared') ? { allowUndeclared: true as const } : {}),
})

/** Updates all processes that match, after their number was shown and confirmed. */
export async function updateWhere(session: Session, given: Given): Promise<ExitCode | undefined> {
  const { client, signal } = session
  const [procedure = '', ...settings] = given.words
  const where = whereOption(given) ?? {}
  if (textOption(given, 'if-match') !== undefined) throw new UsageError('--if-match is for one process')
  if (Object.keys(where).length === 0 && !hasFlag(given, 'all'))
    throw new UsageError("--where '{}' matches every process: say so with --all")
  const definition = await client.procedures.get(procedure, { signal })
  const update = givenChanges(given, definition, settings, 'update')
  const count = await countWhere(session, procedure, where)
  if (count === 0) {
    printError(`no process of ${procedure} matches: nothing was changed\n`)
    return undefined
  }
  await confirm(`${countSentence(count, procedure)} will be updated. Continue?`, hasFlag(given, 'yes'), signal)
  const body = { where, update, ...consentOf(given) } as BulkUpdateProcessesBody
  const { data } = await client.call(
    'bulkUpdateProcesses',
    { path: { procedureShortId: procedure }, body },
    { signal, idempotencyKey: textOption(given, 'idempotency-key') },
  )
  return followJob(session, given, data.id)
}
