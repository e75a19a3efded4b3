import { callBucket, retryBucketCall } from '../../bucket-call.ts'
import { joinBytes } from '../../bytes.ts'
import { newId } from '../../ids.ts'
import { type TextPointer, toObjectKey } from './pointer.ts'

const WRITING = { callMsMax: 30_000, pauseMs: 200, failure: 'the entries of the job cannot be stored' }
const LINE_END = new Uint8Array([0x0a])
const encoder = new TextEncoder()

/** What goes into one object of a job, a line for each text. Its name is new: an object is never written twice but by an erasure. */
export function collectTexts() {
  const name = newId(Date.now())
  const pieces: Uint8Array[] = []
  let size = 0
  return {
    name,
    add(text: string): TextPointer {
      const bytes = encoder.encode(text)
      const pointer = { object: name, offset: size, bytes: bytes.length }
      pieces.push(bytes, LINE_END)
      size += bytes.length + 1
      return pointer
    },
    size: () => size,
    write: (bucket: Pick<R2Bucket, 'put'>, prefix: string) =>
      putObject(bucket, toObjectKey(prefix, name), joinBytes(pieces.splice(0))),
    /** No row points to it, and none will. What stays nevertheless goes when the job's rows have been moved. */
    remove: (bucket: Pick<R2Bucket, 'delete'>, prefix: string) =>
      callBucket(() => bucket.delete(toObjectKey(prefix, name))).catch(() => undefined),
  }
}

const putObject = (bucket: Pick<R2Bucket, 'put'>, key: string, bytes: Uint8Array): Promise<void> =>
  retryBucketCall(WRITING, async () => {
    // One that was given up may arrive late: then it finds its object, which an erasure may have changed since.
    const put = await bucket.put(key, bytes, { onlyIf: { etagDoesNotMatch: '*' } })
    if (put !== null && put.size !== bytes.length) throw new Error(`${key} is not as it was written`)
  })
