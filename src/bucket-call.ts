import { StorageError } from './db/storage-error.ts'
import { withTimeout } from './timeout.ts'

const CALL_MS_MAX = 20_000
const ATTEMPTS_MAX = 3

/** Makes a call of R2 once: its caller, or a task that comes again, decides what a failure means. */
export const callBucket = <Result>(call: () => Promise<Result>): Promise<Result> => withTimeout(CALL_MS_MAX, call)

interface BucketCallRules {
  callMsMax: number
  /** After the first attempt; after the second twice as long. */
  pauseMs: number
  /** What the `StorageError` says that is thrown in the end. */
  failure: string
}

/** Makes a call of R2 that may be made again: now and then one fails, or never returns. */
export async function retryBucketCall<Result>(
  { callMsMax, pauseMs, failure }: BucketCallRules,
  call: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withTimeout(callMsMax, call)
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX) throw new StorageError(failure, true, error)
      await new Promise(resolve => setTimeout(resolve, pauseMs * attempt))
    }
  }
}
