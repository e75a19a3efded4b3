import { callBucket } from '../../bucket-call.ts'
import { describeError } from '../../describe-error.ts'

/** Removes objects that no row names any more. It never fails: what stays is found by `createLostObjectTask` within two days. */
export async function removeUnnamed(bucket: Pick<R2Bucket, 'delete'>, keys: string[]): Promise<void> {
  try {
    await callBucket(() => bucket.delete(keys))
  } catch (error) {
    console.warn(JSON.stringify({ objects: keys, unremoved: describeError(error) }))
  }
}
