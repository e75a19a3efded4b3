/** Counters of operations that are under way in this isolate, by key. */
interface UnderWay {
  count: (key: string) => number
  /** Counts an operation. Returns a function that ends it. */
  begin: (key: string) => () => void
}

/** Creates counters. An operation that never ends, because the runtime does not tell that its client has gone, counts for `msMax`. */
export function createUnderWay(msMax: number): UnderWay {
  const begunByKey = new Map<string, number[]>()
  const getStarts = (key: string): number[] => (begunByKey.get(key) ?? []).filter(at => at > Date.now() - msMax)
  return {
    count: key => getStarts(key).length,
    begin(key) {
      const begunAt = Date.now()
      begunByKey.set(key, [...getStarts(key), begunAt])
      return () => {
        const left = getStarts(key)
        const nth = left.indexOf(begunAt)
        if (nth !== -1) left.splice(nth, 1)
        if (left.length === 0) begunByKey.delete(key)
        else begunByKey.set(key, left)
      }
    },
  }
}
