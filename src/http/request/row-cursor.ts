import { invalid } from '../../errors.ts'

const BASE = 36

/** The cursor of a list in the order of numbers, such as those of its rows: the next page begins behind this one. */
export const writeRowCursor = (rid: number): string => rid.toString(BASE)

/** The number that a page begins behind. Without a cursor: above all of them, for lists that show the newest first. */
export function readRowCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const rid = /^[0-9a-z]{1,11}$/.test(cursor) ? Number.parseInt(cursor, BASE) : Number.NaN
  if (Number.isSafeInteger(rid)) return rid
  throw invalid([{ message: 'the cursor is invalid', path: '/query/cursor' }])
}
