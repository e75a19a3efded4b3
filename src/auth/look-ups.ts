/** So many calls look up the same token at the same time; more of them wait for what these find. */
const AT_ONCE_MAX = 4
const ASK_MS = 10
const WAIT_MS_MAX = 1_000
/** A call whose client has gone never ends: after this time it does not count. */
const LOOK_UP_MS_MAX = 5_000

/** When the look-ups began that are under way in this isolate, by the hash of their token. */
const begunByHash = new Map<string, number[]>()

const underWay = (hash: string): number[] =>
  (begunByHash.get(hash) ?? []).filter(at => at > Date.now() - LOOK_UP_MS_MAX)

/**
 * Looks up a token, or waits until others have found it: a new isolate that meets hundreds of calls at once would ask as
 * often for one row. `known` is asked after each wait.
 */
export async function lookUpOnce<T>(
  hash: string,
  known: () => T | undefined,
  lookUp: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const startedAt = Date.now()
  while (underWay(hash).length >= AT_ONCE_MAX && Date.now() < startedAt + WAIT_MS_MAX) {
    await new Promise(resolve => setTimeout(resolve, ASK_MS))
    const found = known()
    if (found !== undefined) return found
  }
  const at = Date.now()
  begunByHash.set(hash, [...underWay(hash), at])
  try {
    return await lookUp()
  } finally {
    const left = underWay(hash)
    const nth = left.indexOf(at)
    if (nth >= 0) left.splice(nth, 1)
    if (left.length === 0) begunByHash.delete(hash)
    else begunByHash.set(hash, left)
  }
}
