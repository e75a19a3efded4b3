import { countFitting } from '../../bytes.ts'

/** What a page shows of processes, customers, messages or entries: 128 MB are all that an isolate has for all its requests. */
export const SHOWN_BYTES_MAX = 4_000_000
/** What is no longer is read at once: a page has a hundred at most. */
export const SHORT_BYTES_MAX = 40_000

/** The first rows that were found, as many as are wanted and have room; and whether there are others. */
export function fittingRows<Row extends { bytes: number }>(
  found: readonly Row[],
  limit: number,
  bytesBefore = 0,
): { page: Row[]; hasMore: boolean } {
  const wanted = found.slice(0, limit)
  const count = countFitting(
    wanted.map(({ bytes }) => bytes),
    SHOWN_BYTES_MAX,
    bytesBefore,
  )
  return { page: wanted.slice(0, count), hasMore: count < found.length }
}
