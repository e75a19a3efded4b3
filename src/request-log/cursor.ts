import { invalid } from '../errors.ts'
import type { LinePosition } from './store.ts'

const BASE = 36
const CURSOR = /^([0-9a-z]{1,11})\.([0-9a-f]{0,8})\.([0-9a-z]{1,6})$/

/** A position above all lines. */
const TOP: LinePosition = { at: Number.MAX_SAFE_INTEGER, batch: 'g', place: 0 }

export const writeLineCursor = ({ at, batch, place }: LinePosition): string =>
  `${at.toString(BASE)}.${batch}.${place.toString(BASE)}`

export function readLineCursor(cursor: string | undefined): LinePosition {
  if (cursor === undefined) return TOP
  const [, at = '', batch = '', place = ''] = CURSOR.exec(cursor) ?? []
  const position = { at: Number.parseInt(at, BASE), batch, place: Number.parseInt(place, BASE) }
  if (Number.isSafeInteger(position.at)) return position
  throw invalid([{ message: 'the cursor is invalid', path: '/query/cursor' }])
}
