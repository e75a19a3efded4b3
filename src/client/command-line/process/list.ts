import type { Command } from '../command/command.ts'
import { hasFlag, limitOption } from '../command/options.ts'
import { usualColumns } from '../field/print-process.ts'
import { timesOf } from '../field/process-columns.ts'
import { printRows, ROW_OPTIONS, rowFormat } from '../output/print-rows.ts'
import { printError } from '../output/terminal.ts'
import { PROCEDURE } from './arguments.ts'
import { SELECT_OPTIONS, selectionOf } from './list-query.ts'

const LIMIT = 100

export const listCommand: Command = {
  name: 'list',
  group: 'Processes',
  summary: 'Search processes',
  arguments: [PROCEDURE],
  options: {
    ...SELECT_OPTIONS,
    limit: { value: 'n', summary: `the maximum number (default ${LIMIT})` },
    all: { summary: 'all of them' },
    ...ROW_OPTIONS,
  },
  examples: [
    'list lead --sort score:desc --limit 20',
    'list lead --search "asha pune"',
    `list lead --where '{"city": "Pune", "score": {">=": 70}}' --columns lead_id,score,record.phone_number`,
  ],
  run: {
    async remote({ client, signal }, given) {
      const [procedure = ''] = given.words
      const chosen = limitOption(given)
      const isAll = hasFlag(given, 'all')
      const limit = chosen ?? LIMIT
      const query = selectionOf(given)
      const isJson = rowFormat(given).endsWith('json')
      const definition = isJson ? undefined : await client.procedures.get(procedure, { signal })
      const processes = client.processes(procedure)
      let hasMore = false
      async function* rows() {
        if (isAll) return yield* processes.export(query, { signal })
        for await (const page of processes.list({ ...query, limit }, { signal }).pages()) {
          hasMore = page.hasMore
          yield* page.items
        }
      }
      const columns = definition === undefined ? [] : usualColumns(given, definition)
      await printRows(given, rows(), columns, definition && timesOf(definition))
      if (hasMore && chosen === undefined) printError(`the first ${limit} are shown: use --all or --limit for more\n`)
      return undefined
    },
  },
}
