import type { Command } from '../command/command.ts'
import { hasFlag, limitOption } from '../command/options.ts'
import { printRows, ROW_OPTIONS, rowFormat } from '../output/print-rows.ts'
import { printError } from '../output/terminal.ts'
import { PROCEDURE } from './arguments.ts'

const LIMIT = 100
const TIMES: readonly string[] = ['createdAt', 'updatedAt', 'deletedAt', 'keptUntil']

export const trashCommand: Command = {
  name: 'trash',
  group: 'Processes',
  summary: 'List deleted processes, last deleted first',
  details:
    'restore brings one back by its id; bulk --update brings back those of a file whose column isDeleted is false.',
  arguments: [PROCEDURE],
  options: {
    limit: { value: 'n', summary: `the maximum number (default ${LIMIT})` },
    all: { summary: 'all of them' },
    ...ROW_OPTIONS,
  },
  examples: ['trash lead --columns id,lead_id,deletedAt,deletedBy'],
  run: {
    async remote({ client, signal }, given) {
      const [procedure = ''] = given.words
      const chosen = limitOption(given)
      const isAll = hasFlag(given, 'all')
      const isJson = rowFormat(given).endsWith('json')
      const { primaryKey } = isJson ? { primaryKey: null } : await client.procedures.get(procedure, { signal })
      const paging = isAll ? {} : { limit: chosen ?? LIMIT }
      let hasMore = false
      async function* rows() {
        for await (const page of client.processes(procedure).trash(paging, { signal }).pages()) {
          hasMore = page.hasMore
          yield* page.items
        }
      }
      const columns = [
        'id',
        ...(primaryKey === null ? [] : [primaryKey]),
        'state',
        'deletedAt',
        'deletedBy',
        'keptUntil',
      ]
      await printRows(given, rows(), columns, column => TIMES.includes(column))
      if (hasMore && chosen === undefined && !isAll)
        printError(`the first ${LIMIT} are shown: use --all or --limit for more\n`)
      return undefined
    },
  },
}
