/**
 * The height of each row, by how many lines a table has in one. All of a table are as high: where a row is follows from its
 * number, so that no list of positions is made of all rows.
 */
export const ROW_PX = { 1: 38, 2: 52 } as const
export type RowLines = keyof typeof ROW_PX
/** Drawn above and below what is in sight. */
const OVERSCAN_ROWS = 10
/** No browser draws higher elements: Firefox ends at 17.8 million pixels. */
const TABLE_PX_MAX = 15_000_000
export const getDrawnRowsMax = (rowPx: number): number => Math.floor(TABLE_PX_MAX / rowPx)

/** Rows that are seen, at least in part; both are numbers of rows, from 0. */
export interface Sight {
  first: number
  last: number
}

/** Returns the rows in the viewport, from the scroll position and the heights of rows and window. */
export function getSight(scrolled: number, height: number, count: number, rowPx: number): Sight {
  const within = (row: number) => Math.max(0, Math.min(count - 1, row))
  const first = within(Math.floor(scrolled / rowPx))
  // A row counts if less than a pixel of it is visible: on screens with small pixels, scrolling stops between two pixels.
  return { first, last: Math.max(first, within(Math.ceil((scrolled + height) / rowPx) - 1)) }
}

/** A row, or the room of rows that are not drawn. A space before what is in sight never becomes one after it. */
type DrawnItem = { row: number } | { space: string; rows: number }

/** The rows to draw, in order: those around the sight, and the one that has the focus, wherever it is. */
export function drawnItems({ first, last }: Sight, count: number, focused: number | undefined): DrawnItem[] {
  const from = Math.max(0, first - OVERSCAN_ROWS)
  const to = Math.min(count, last + OVERSCAN_ROWS + 1)
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, nth) => from + nth)
  if (focused !== undefined && focused < from) rows.unshift(focused)
  else if (focused !== undefined && focused >= to && focused < count) rows.push(focused)
  const items: DrawnItem[] = []
  let next = 0
  for (const row of [...rows, count]) {
    const side = row <= from ? 'before' : 'after'
    if (row > next) items.push({ space: focused === row ? `${side} the focus` : side, rows: row - next })
    if (row < count) items.push({ row })
    next = row + 1
  }
  return items
}
