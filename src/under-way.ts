/** What is under way in this isolate, by a key. */
interface UnderWay {
  count: (key: string) => number
  /** Returns what ends it. */
  begin: (key: string) => () => void
}

/** What nobody ends, because the runtime did not tell that its client has gone, counts for so long. */
export function newUnderWay(msMax: number): UnderWay {
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
