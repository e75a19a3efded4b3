import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawnItems, getDrawnRowsMax, getSight, ROW_PX } from '../../src/admin/parts/table/rows-in-sight.ts'

const windows = fc.record({
  count: fc.integer({ min: 1, max: 100_000 }),
  height: fc.integer({ min: 0, max: 3_000 }),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  rowPx: fc.constantFrom(...Object.values(ROW_PX)),
  focus: fc.option(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { nil: undefined }),
})

test('a table draws the rows in the viewport, each in its place, and as few others as ever', () => {
  fc.assert(
    fc.property(windows, ({ count, height, at, focus, rowPx }) => {
      // Browsers scroll by a part of a pixel, but not by any part.
      const scrolled = Math.floor(Math.max(0, count * rowPx - height) * at * 64) / 64
      const focused = focus === undefined ? undefined : Math.floor(focus * count)
      const sight = getSight(scrolled, height, count, rowPx)
      expect(sight.first * rowPx).toBeLessThanOrEqual(scrolled)
      expect((sight.last + 1) * rowPx).toBeGreaterThanOrEqual(Math.min(count * rowPx, scrolled + height))
      const items = drawnItems(sight, count, focused)
      let place = 0
      const rows: number[] = []
      for (const item of items) {
        if ('row' in item) {
          expect(item.row).toBe(place)
          rows.push(item.row)
          place += 1
        } else {
          expect(item.rows).toBeGreaterThan(0)
          place += item.rows
        }
      }
      expect(place).toBe(count)
      for (let row = sight.first; row <= sight.last; row++) expect(rows).toContain(row)
      if (focused !== undefined) expect(rows).toContain(focused)
      expect(rows.length).toBeLessThanOrEqual(height / rowPx + 24)
      const spaces = items.flatMap(item => ('space' in item ? [item.space] : []))
      expect(new Set(spaces).size).toBe(spaces.length)
    }),
  )
})

test('a table is never higher than a browser can draw', () => {
  for (const rowPx of Object.values(ROW_PX)) expect(getDrawnRowsMax(rowPx) * rowPx).toBeLessThanOrEqual(15_000_000)
})

test('a table without rows draws none', () => {
  expect(drawnItems(getSight(0, 500, 0, ROW_PX[1]), 0, undefined)).toEqual([])
  expect(drawnItems(getSight(0, 500, 0, ROW_PX[1]), 0, 7)).toEqual([])
})

test('the space above the viewport stays the same where the focus comes and goes', () => {
  const without = drawnItems({ first: 500, last: 510 }, 1_000, undefined)
  const within = drawnItems({ first: 500, last: 510 }, 1_000, 3)
  expect(without.flatMap(item => ('space' in item ? [item.space] : []))).toEqual(['before', 'after'])
  expect(within.flatMap(item => ('space' in item ? [item.space] : []))).toEqual(['before the focus', 'before', 'after'])
})
