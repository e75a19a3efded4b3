/** What a page shows of processes, customers and messages: 128 MB are all that an isolate has for all its requests. */
const SHOWN_BYTES_MAX = 4_000_000
/** What is no longer is read at once: a page has a hundred events at most. */
export const SHORT_BYTES_MAX = 40_000

/** How many events a page has room for: the first one, however much it shows, and those after it in their order. */
export function countFitting(bytes: readonly number[]): number {
  let sum = 0
  const tooMuchAt = bytes.findIndex((each, nth) => {
    sum += each
    return nth > 0 && sum > SHOWN_BYTES_MAX
  })
  return tooMuchAt === -1 ? bytes.length : tooMuchAt
}
