import { joinBytes } from '../../bytes.ts'
import { StorageError } from '../../db/storage-error.ts'
import { newId } from '../../ids.ts'
import { withTimeout } from '../../timeout.ts'
import { type TextPointer, toObjectKey } from './pointer.ts'

const CALL_MS_MAX = 30_000
const ATTEMPTS_MAX = 3
const PAUSE_MS = 200
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
      bucket.delete(toObjectKey(prefix, name)).catch(() => undefined),
  }
}

async function putObject(bucket: Pick<R2Bucket, 'put'>, key: string, bytes: Uint8Array, attempt = 1): Promise<void> {
  try {
    // One that was given up may arrive late: then it finds its object, which an erasure may have changed since.
    const put = await withTimeout(CALL_MS_MAX, bucket.put(key, bytes, { onlyIf: { etagDoesNotMatch: '*' } }))
    if (put !== null && put.size !== bytes.length) throw new Error(`${key} is not as it was written`)
  } catch (error) {
    if (attempt >= ATTEMPTS_MAX) throw new StorageError('the entries of the job cannot be stored', true, error)
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS * attempt))
    return putObject(bucket, key, bytes, attempt + 1)
  }
}
