import { retryBucketCall } from '../../bucket-call.ts'
import { damagedError } from '../../damaged-object.ts'

const READING = { callMsMax: 10_000, pauseMs: 100, failure: 'the entries of the job cannot be read' }
/** R2's number for an offset behind the end of an object. */
const NO_SUCH_RANGE = '(10039)'

export type ObjectRange = { offset: number; length: number } | { suffix: number }

/** Bytes of an object of a job, and how large that is. Throws `storage_damaged` where the object is too short for them. */
export async function getRange(
  bucket: Pick<R2Bucket, 'get'>,
  key: string,
  range: ObjectRange,
): Promise<{ bytes: Uint8Array; size: number }> {
  const read = await retryBucketCall(READING, async () => {
    const object = await bucket.get(key, { range }).catch(toNothing)
    if (object === null) throw new Error(`there is no object ${key}`)
    return object && { bytes: new Uint8Array(await object.arrayBuffer()), size: object.size }
  })
  if (read && !('length' in range && read.bytes.byteLength < range.length)) return read
  throw damagedError('the list of its entries', key, new Error(`it ends before ${JSON.stringify(range)}`))
}

function toNothing(error: Error): undefined {
  if (!error.message.includes(NO_SUCH_RANGE)) throw error
}
