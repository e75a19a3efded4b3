import { invalid } from '../../errors.ts'

const BASE = 36

/** The cursor of a list in the order of row numbers, newest first: the next page begins below this one. */
export const writeRowCursor = (rid: number): string => rid.toString(BASE)

/** The row number that a page begins below. Without a cursor: above all of them. */
export function readRowCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const rid = /^[0-9a-z]{1,11}$/.test(cursor) ? Number.parseInt(cursor, BASE) : Number.NaN
  if (Number.isSafeInteger(rid)) return rid
  throw invalid([{ message: 'the cursor is invalid', path: '/query/cursor' }])
}
