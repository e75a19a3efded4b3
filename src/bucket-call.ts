import { StorageError } from './db/storage-error.ts'
import { sleep, withTimeout } from './timeout.ts'

const CALL_MS_MAX = 20_000
const ATTEMPTS_MAX = 3

/** Makes a call of R2 once: its caller, or a task that comes again, decides what a failure means. */
export const callBucket = <Result>(call: () => Promise<Result>): Promise<Result> => withTimeout(CALL_MS_MAX, call)

interface BucketCallRules {
  callMsMax: number
  /** The pause after the first attempt. After the second it is twice as long. */
  pauseMs: number
  /** The message of the `StorageError` after the last attempt. */
  failure: string
}

/** Makes a call of R2 that may be repeated: now and then one fails, or never returns. */
export async function retryBucketCall<Result>(
  { callMsMax, pauseMs, failure }: BucketCallRules,
  call: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withTimeout(callMsMax, call)
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX) throw new StorageError(failure, true, error)
      await sleep(pauseMs * attempt)
    }
  }
}
