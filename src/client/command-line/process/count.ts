import type { Query } from '../../generated/bodies.ts'
import type { Command, Session } from '../command/command.ts'
import { print } from '../output/terminal.ts'
import { PROCEDURE, WHERE_OPTION } from './arguments.ts'
import { whereOption } from './list-query.ts'

/** How many processes match a query. */
export const countWhere = ({ client, signal }: Session, procedure: string, where: Query | undefined): Promise<number> =>
  client.processes(procedure).count(where, { signal })

export const countSentence = (count: number, procedure: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'process' : 'processes'} of ${procedure}`

export const countCommand: Command = {
  name: 'count',
  group: 'Processes',
  summary: 'Count processes',
  arguments: [PROCEDURE],
  options: WHERE_OPTION,
  examples: [`count lead --where '{"status": "OPEN"}'`],
  run: {
    async remote(session, given) {
      await print(`${await countWhere(session, given.words[0] ?? '', whereOption(given))}\n`)
      return undefined
    },
  },
}
