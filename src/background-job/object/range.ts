import { StorageError } from '../../db/storage-error.ts'
import { withTimeout } from '../../timeout.ts'

const CALL_MS_MAX = 10_000
const ATTEMPTS_MAX = 3
const PAUSE_MS = 100

/** Bytes of an object of a job, and how large that is. */
export async function getRange(
  bucket: Pick<R2Bucket, 'get'>,
  key: string,
  range: R2Range,
  attempt = 1,
): Promise<{ bytes: Uint8Array; size: number }> {
  try {
    return await withTimeout(CALL_MS_MAX, readObject(bucket, key, range))
  } catch (error) {
    if (attempt >= ATTEMPTS_MAX) throw new StorageError('the entries of the job cannot be read', true, error)
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS * attempt))
    return getRange(bucket, key, range, attempt + 1)
  }
}

async function readObject(bucket: Pick<R2Bucket, 'get'>, key: string, range: R2Range) {
  const object = await bucket.get(key, { range })
  if (!object) throw new Error(`there is no object ${key}`)
  return { bytes: new Uint8Array(await object.arrayBuffer()), size: object.size }
}
