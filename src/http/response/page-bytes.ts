import { countFitting } from '../../bytes.ts'

/** The bytes of a page of processes, customers, messages or entries. An isolate has 128 MB for all its requests. */
export const RESPONSE_BYTES_MAX = 4_000_000
/** Rows of at most this size are read at once, because a page has at most a hundred. */
export const SHORT_BYTES_MAX = 40_000

/** Returns the first rows, up to `limit` and the bytes of a page, and whether there are others. */
export function takeFittingRows<Row extends { bytes: number }>(
  found: readonly Row[],
  limit: number,
  bytesBefore = 0,
): { page: Row[]; hasMore: boolean } {
  const wanted = found.slice(0, limit)
  const count = countFitting(
    wanted.map(({ bytes }) => bytes),
    RESPONSE_BYTES_MAX,
    bytesBefore,
  )
  return { page: wanted.slice(0, count), hasMore: count < found.length }
}
