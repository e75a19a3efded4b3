import { invalid } from '../errors.ts'
import { WALKED_TABLES } from './tables.ts'

/** Where a walk over the rows of a team has come to: a table by its place in the list, and the key of a row in it. */
export interface WalkerPosition {
  table: number
  after: string | null
}

export const FIRST_POSITION: WalkerPosition = { table: 0, after: null }

/** `process [12345]`: the name of the table, so that a list that has grown does not mislead. */
export const toCursor = ({ table, after }: WalkerPosition): string =>
  [WALKED_TABLES[table]?.name, ...(after === null ? [] : [after])].join(' ')

export function parseWalkerPosition(cursor: string): WalkerPosition {
  const [name = '', ...rest] = cursor.split(' ')
  const table = WALKED_TABLES.findIndex(each => each.name === name)
  const after = rest.length === 0 ? null : rest.join(' ')
  if (table < 0 || (after !== null && !isKeyOf(after, WALKED_TABLES[table]?.key.length ?? 0)))
    throw invalid([{ message: 'is not a cursor of ours', path: '/query/after' }])
  return { table, after }
}

function isKeyOf(after: string, length: number): boolean {
  try {
    const key: unknown = JSON.parse(after)
    return Array.isArray(key) && key.length === length
  } catch {
    return false
  }
}
