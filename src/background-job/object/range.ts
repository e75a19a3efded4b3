import { retryBucketCall } from '../../bucket-call.ts'

const READING = { callMsMax: 10_000, pauseMs: 100, failure: 'the entries of the job cannot be read' }

/** Bytes of an object of a job, and how large that is. */
export const getRange = (
  bucket: Pick<R2Bucket, 'get'>,
  key: string,
  range: R2Range,
): Promise<{ bytes: Uint8Array; size: number }> =>
  retryBucketCall(READING, async () => {
    const object = await bucket.get(key, { range })
    if (!object) throw new Error(`there is no object ${key}`)
    return { bytes: new Uint8Array(await object.arrayBuffer()), size: object.size }
  })
