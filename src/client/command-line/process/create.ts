import type { Command } from '../command/command.ts'
import { textOption } from '../command/options.ts'
import { printProcess } from '../field/print-process.ts'
import { FIELDS, PROCEDURE } from './arguments.ts'
import { givenChanges, WRITE_OPTIONS } from './write-options.ts'

/** `upsert` is `create` for a primary key that may exist. */
const writing = (name: 'create' | 'upsert', summary: string, examples: string[]): Command => ({
  name,
  group: 'Processes',
  summary,
  arguments: [PROCEDURE, FIELDS],
  options: WRITE_OPTIONS,
  examples,
  run: {
    async remote({ client, signal }, given) {
      const [procedure = '', ...settings] = given.words
      const definition = await client.procedures.get(procedure, { signal })
      const body = givenChanges(given, definition, settings, 'create')
      const options = { signal, idempotencyKey: textOption(given, 'idempotency-key') }
      const processes = client.processes(procedure)
      const made = name === 'create' ? processes.create(body, options) : processes.createOrUpdate(body, options)
      await printProcess(given, definition, await made)
      return undefined
    },
  },
})

export const createCommand = writing('create', 'Create a process', [
  'create lead lead_id=LEAD-8 city=Lima score=70 record.phone_number=5491123450008',
])

export const upsertCommand = writing('upsert', 'Create a process, or update the one with this primary key', [
  'upsert lead lead_id=LEAD-8 score=75',
])
