/** What a page shows of processes, customers, messages or entries: 128 MB are all that an isolate has for all its requests. */
const SHOWN_BYTES_MAX = 4_000_000
/** What is no longer is read at once: a page has a hundred at most. */
export const SHORT_BYTES_MAX = 40_000

/** How many a page has room for: the first one, however much it shows, and those after it in their order. */
export function countFitting(bytes: readonly number[], bytesBefore = 0): number {
  let sum = bytesBefore
  const tooMuchAt = bytes.findIndex((each, nth) => {
    const isFirst = nth === 0 && bytesBefore === 0
    sum += each
    return !isFirst && sum > SHOWN_BYTES_MAX
  })
  return tooMuchAt === -1 ? bytes.length : tooMuchAt
}

/** The first rows that were found, as many as are wanted and have room; and whether there are others. */
export function fittingRows<Row extends { bytes: number }>(
  found: readonly Row[],
  limit: number,
  bytesBefore = 0,
): { page: Row[]; hasMore: boolean } {
  const wanted = found.slice(0, limit)
  const count = countFitting(
    wanted.map(({ bytes }) => bytes),
    bytesBefore,
  )
  return { page: wanted.slice(0, count), hasMore: count < found.length }
}
