import { CaseworkerError, type Process } from 'caseworker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  estimateLength,
  HeldPages,
  nextRead,
  PAGE_ROWS,
  type PageReader,
  type PageStart,
  pagesToDrop,
} from '../../src/admin/process/list/held-pages.ts'

const processAt = (nth: number) => ({ id: `row ${nth}` }) as Process

/** Makes a list with that number of rows, and a record of its requests. */
function makeList(rows: number) {
  const asked: PageStart[] = []
  const read: PageReader = async start => {
    asked.push(start)
    const first = 'skip' in start ? start.skip : Number(start.cursor ?? 0)
    const last = Math.min(rows, first + PAGE_ROWS)
    return {
      rows: Array.from({ length: Math.max(0, last - first) }, (_, nth) => processAt(first + nth)),
      next: last < rows ? String(last) : null,
    }
  }
  return { asked, read }
}

async function opened(read: PageReader): Promise<HeldPages> {
  const pages = new HeldPages(read)
  await pages.begin(new AbortController().signal)
  return pages
}

const until = (holds: () => boolean) => expect.poll(holds, { interval: 5 }).toBe(true)

const known = (cursors: readonly number[], held: readonly number[]) => ({
  hasCursor: (page: number) => page === 0 || cursors.includes(page),
  isHeld: (page: number) => held.includes(page),
})

test('a page of a list is read by its known cursor, one shortly after it by the pages between, and any other by a skip', () => {
  expect(nextRead(7, known([7], []))).toEqual({ page: 7, by: 'cursor' })
  expect(nextRead(7, known([4], []))).toEqual({ page: 4, by: 'cursor' })
  expect(nextRead(4, known([], []))).toEqual({ page: 0, by: 'cursor' })
  expect(nextRead(800, known([795], []))).toEqual({ page: 800, by: 'skip' })
  expect(nextRead(800, known([801], []))).toEqual({ page: 800, by: 'skip' })
})

test('a reader who scrolls upwards after a jump skips once for five pages', () => {
  expect(nextRead(799, known([801], [800]))).toEqual({ page: 795, by: 'skip' })
  expect(nextRead(799, known([796, 801], [795, 800]))).toEqual({ page: 796, by: 'cursor' })
})

test('any page of a list is read in at most five steps, and a skip is never followed by another one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2_000 }),
      fc.array(fc.integer({ min: 1, max: 2_000 })),
      fc.array(fc.integer({ min: 0, max: 2_000 })),
      (wanted, cursors, held) => {
        const now = [...cursors]
        let [steps, skips] = [0, 0]
        for (let page = -1; page !== wanted; steps++) {
          const next = nextRead(wanted, known(now, held))
          expect(next.page).toBeLessThanOrEqual(wanted)
          if (next.by === 'skip') skips++
          page = next.page
          now.push(page + 1)
        }
        expect(steps).toBeLessThanOrEqual(5)
        expect(skips).toBeLessThanOrEqual(1)
      },
    ),
  )
})

test('at most thirty pages of a list are held: those nearest to the viewport', () => {
  const held = Array.from({ length: 32 }, (_, page) => page)
  expect(pagesToDrop(held, 30, 31)).toEqual([1, 0])
  expect(pagesToDrop(held, 0, 1)).toEqual([30, 31])
  expect(pagesToDrop(held.slice(0, 30), 500, 501)).toEqual([])
})

test('a table has the height of the counted rows, of rows read beyond them, and of some more where nobody counted', () => {
  const nothing = { end: undefined, count: undefined, readTo: 100, canSkip: true }
  expect(estimateLength({ ...nothing, count: 5_000 })).toBe(5_000)
  expect(estimateLength({ ...nothing, count: 90 })).toBe(120)
  expect(estimateLength(nothing)).toBe(120)
  expect(estimateLength({ ...nothing, count: 5_000, canSkip: false })).toBe(120)
  expect(estimateLength({ ...nothing, count: 5_000, end: 4_998 })).toBe(4_998)
})

test('rows far away are read by one skip, and what was read before is dropped and read again by its cursor', async () => {
  const { asked, read } = makeList(100_000)
  const pages = await opened(read)
  expect(pages.rowAt(99)?.id).toBe('row 99')
  expect(pages.rowAt(100)).toBeUndefined()
  pages.want(80_000, 80_040)
  await until(() => pages.rowAt(80_000) !== undefined)
  expect(pages.rowAt(80_040)?.id).toBe('row 80040')
  expect(asked).toEqual([{ cursor: undefined }, { skip: 80_000 }])
  for (let row = 80_100; row <= 83_500; row += 100) {
    pages.want(row, row + 40)
    await until(() => pages.rowAt(row) !== undefined)
  }
  expect(asked.filter(start => 'skip' in start)).toHaveLength(1)
  expect(pages.rowAt(0)).toBeUndefined()
  pages.want(0, 40)
  await until(() => pages.rowAt(0) !== undefined)
  expect(asked.at(-1)).toEqual({ cursor: undefined })
})

test('the row that has the focus stays held while more pages are read than are held at once', async () => {
  const { read } = makeList(100_000)
  const pages = await opened(read)
  for (let row = 80_000; row <= 84_000; row += 100) {
    pages.want(row, row + 40, 1)
    await until(() => pages.rowAt(row) !== undefined)
  }
  expect(pages.rowAt(1)?.id).toBe('row 1')
  pages.want(84_100, 84_140)
  await until(() => pages.rowAt(84_100) !== undefined)
  expect(pages.rowAt(1)).toBeUndefined()
})

test('a list that has become shorter than its count ends where it ends', async () => {
  const { read } = makeList(950)
  const pages = await opened(read)
  pages.want(1_950, 1_990)
  await until(() => pages.state.end !== undefined)
  pages.want(pages.state.end ?? 0, pages.state.end ?? 0)
  expect(pages.state.end).toBeLessThanOrEqual(1_900)
  pages.want(900, 940)
  await until(() => pages.state.end === 950)
})

test('an order that cannot be skipped is reported, and any other failure waits until the reader tries again', async () => {
  const { read } = makeList(10_000)
  let failure: unknown
  const pages = await opened((start, signal) => (failure ? Promise.reject(failure) : read(start, signal)))
  failure = new CaseworkerError({
    code: 'invalid_request',
    status: 400,
    errors: [{ code: 'invalid_request', message: 'too many to sort', path: '/body/skip', docs: '' }],
    operation: 'listProcesses',
  })
  pages.want(5_000, 5_040)
  await until(() => !pages.state.canSkip)
  expect(pages.state.failure).toBeUndefined()
  failure = new Error('no answer')
  pages.want(100, 140)
  await until(() => pages.state.failure === failure)
  const told = failure
  failure = undefined
  pages.want(100, 140)
  expect(pages.state.failure).toBe(told)
  pages.retry()
  await until(() => pages.rowAt(140)?.id === 'row 140')
})

test('a range of rows is whole, wherever its pages are, and a changed process is shown in its place', async () => {
  const { read } = makeList(1_000)
  const pages = await opened(read)
  const stretch = await pages.rowsBetween(250, 849)
  expect(stretch.map(({ id }) => id)).toEqual(Array.from({ length: 600 }, (_, nth) => `row ${250 + nth}`))
  let told = 0
  pages.subscribe(() => told++)
  pages.replace({ ...processAt(300), state: 'DONE' } as Process)
  expect(pages.rowAt(300)?.state).toBe('DONE')
  expect(told).toBe(1)
})
