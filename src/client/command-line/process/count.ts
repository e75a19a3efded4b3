import type { Query } from '../../generated/bodies.ts'
import type { Command, Session } from '../command/command.ts'
import { print } from '../output/terminal.ts'
import { PROCEDURE, WHERE_OPTION } from './arguments.ts'
import { whereOption } from './list-query.ts'

/** Beyond this number, counting stops: it reads every process. */
const COUNTED_MAX = 10_000

export interface Count {
  number: number
  /** Whether there are more than were counted. */
  isMinimum: boolean
}

/** How many processes match a query. */
export async function countWhere({ client, signal }: Session, procedure: string, where: Query): Promise<Count> {
  const found = client.processes(procedure).list({ where, limit: COUNTED_MAX }, { signal })
  let [number, isMinimum] = [0, false]
  for await (const { items, hasMore } of found.pages()) {
    number += items.length
    isMinimum = hasMore
  }
  return { number, isMinimum }
}

export const countSentence = ({ number, isMinimum }: Count, procedure: string): string =>
  `${isMinimum ? 'more than ' : ''}${number.toLocaleString('en-US')} ${number === 1 ? 'process' : 'processes'} of ${procedure}`

export const countCommand: Command = {
  name: 'count',
  group: 'Processes',
  summary: 'Count processes',
  arguments: [PROCEDURE],
  options: WHERE_OPTION,
  examples: [`count lead --where '{"status": "OPEN"}'`],
  run: {
    async remote(session, given) {
      const { number, isMinimum } = await countWhere(session, given.words[0] ?? '', whereOption(given) ?? {})
      await print(`${isMinimum ? '>' : ''}${number}\n`)
      return undefined
    },
  },
}
