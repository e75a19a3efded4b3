import { readFile } from 'node:fs/promises'
import type { PutProcedureBody } from '../../generated/bodies.ts'
import type { Command } from '../command/command.ts'
import { hasFlag, jsonObjectInFile, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { printOne, printRows, ROW_OPTIONS } from '../output/print-rows.ts'
import { PROCEDURE } from '../process/arguments.ts'

const COLUMNS = ['shortId', 'name', 'primaryKey', 'strict', 'startState', 'completedState', 'updatedAt']
const DRY_RUN_COLUMNS = ['isNew', 'isAllowed', 'changes', 'refusals', 'processes', 'indexes', 'search', 'values']

export const proceduresCommand: Command = {
  name: 'procedures',
  group: 'Team',
  summary: 'List procedures, show one, or create or replace one with --put',
  arguments: [{ ...PROCEDURE, optional: true }],
  options: {
    put: { value: 'file', summary: 'the definition, a JSON file', completed: 'file' },
    'if-match': { value: 'tag', summary: 'with --put: only if the procedure still has this entity tag' },
    'dry-run': { summary: 'with --put: print what the definition would change, and change nothing' },
    ...ROW_OPTIONS,
  },
  examples: ['procedures lead', 'procedures visit --put visit.json', 'procedures visit --put visit.json --dry-run'],
  run: {
    async remote({ client, signal }, given) {
      const [shortId] = given.words
      const file = textOption(given, 'put')
      if (file !== undefined) {
        if (shortId === undefined) throw new UsageError('--put needs the short id of the procedure')
        const definition = jsonObjectInFile(await readFile(file, 'utf8'), file)
        // The API checks the definition.
        const body = definition as object as PutProcedureBody
        const options = { ifMatch: textOption(given, 'if-match'), signal }
        if (hasFlag(given, 'dry-run'))
          await printOne(given, await client.procedures.dryRun(shortId, body, options), DRY_RUN_COLUMNS)
        else await printOne(given, await client.procedures.put(shortId, body, options), COLUMNS)
      } else if (shortId !== undefined) await printOne(given, await client.procedures.get(shortId, { signal }), COLUMNS)
      else await printRows(given, await client.procedures.list({ signal }), COLUMNS)
      return undefined
    },
  },
}
