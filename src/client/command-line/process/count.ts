import type { Query } from '../../generated/bodies.ts'
import type { Command, Given, Session } from '../command/command.ts'
import { howMany } from '../output/how-many.ts'
import { printRows, ROW_OPTIONS } from '../output/print-rows.ts'
import { print } from '../output/terminal.ts'
import { PROCEDURE, WHERE_OPTION } from './arguments.ts'
import { type AnyQuery, FIGURE_OPTIONS, figuresQuery, rowOfGroup } from './figures.ts'
import { whereOption } from './list-query.ts'

/** How many processes match a query. */
export const countWhere = ({ client, signal }: Session, procedure: string, where: Query | undefined): Promise<number> =>
  client.processes(procedure).count(where, { signal })

export const countSentence = (count: number, procedure: string): string =>
  `${howMany(count, 'process', 'processes')} of ${procedure}`

export const countCommand: Command = {
  name: 'count',
  group: 'Processes',
  summary: 'Count processes',
  details: 'With --group-by, or a figure of a field, it prints a row for each group, the largest first.',
  arguments: [PROCEDURE],
  options: { ...WHERE_OPTION, ...FIGURE_OPTIONS, ...ROW_OPTIONS },
  examples: [`count lead --where '{"status": "OPEN"}'`, 'count lead --group-by state --sum score'],
  run: {
    async remote(session, given) {
      const [procedure = ''] = given.words
      const [where, query] = [whereOption(given), figuresQuery(given)]
      if (query === undefined) await print(`${await countWhere(session, procedure, where)}\n`)
      else await printFigures(session, given, { where, ...query })
      return undefined
    },
  },
}

async function printFigures({ client, signal }: Session, given: Given, body: AnyQuery): Promise<void> {
  const groups: object[] = await client.processes(given.words[0] ?? '').aggregate(body, { signal })
  const rows = groups.map(group => rowOfGroup({ ...group }))
  await printRows(given, rows, Object.keys(rows[0] ?? { count: 0 }))
}
