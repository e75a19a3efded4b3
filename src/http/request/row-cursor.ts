import { invalid } from '../../errors.ts'

const BASE = 36

/** Writes the cursor of a list in the order of row numbers. The next page begins after this one. */
export const writeRowCursor = (rid: number): string => rid.toString(BASE)

/** Reads the row number after which a page begins. Without a cursor it is above all, for lists that are newest first. */
export function readRowCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const rid = /^[0-9a-z]{1,11}$/.test(cursor) ? Number.parseInt(cursor, BASE) : Number.NaN
  if (Number.isSafeInteger(rid)) return rid
  throw invalid([{ message: 'the cursor is invalid', path: '/query/cursor' }])
}
