import { sleep } from '../timeout.ts'
import { createUnderWay } from '../under-way.ts'

/** The calls that look up the same token at the same time. The others wait for the result. */
const AT_ONCE_MAX = 4
const ASK_MS = 10
const WAIT_MS_MAX = 1_000
/** A call whose client has gone never ends, so it does not count after this time. */
const LOOK_UP_MS_MAX = 5_000

/** The look-ups that are under way in this isolate, by the hash of their token. */
const lookUps = createUnderWay(LOOK_UP_MS_MAX)

/**
 * Looks up a token, or waits until another call has found it: a new isolate that gets hundreds of calls at once would else
 * read one row as often. `known` is called after each wait.
 */
export async function lookUpOnce<T>(
  hash: string,
  known: () => T | undefined,
  lookUp: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const startedAt = Date.now()
  while (lookUps.count(hash) >= AT_ONCE_MAX && Date.now() < startedAt + WAIT_MS_MAX) {
    await sleep(ASK_MS)
    const found = known()
    if (found !== undefined) return found
  }
  const end = lookUps.begin(hash)
  try {
    return await lookUp()
  } finally {
    end()
  }
}
