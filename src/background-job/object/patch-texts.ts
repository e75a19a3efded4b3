import { callBucket } from '../../bucket-call.ts'
import { countUtf8Bytes } from '../../bytes.ts'
import { type TextPointer, toObjectKey } from './pointer.ts'

const SPACE = 0x20
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A text of an object before and after an erasure; before it null, where it cannot be read. */
export interface TextPatch extends TextPointer {
  before: string | null
  text: string
}

export type PatchedBucket = Pick<R2Bucket, 'get' | 'put'>

/**
 * Replaces texts in objects of a job, and writes these objects again under the same keys. Spaces fill a text up to its former
 * length, so all rows that point into the object remain correct, also those of a restored database. If another erasure has
 * changed the object since the text was read, nothing is written: that would undo the other erasure.
 */
export async function patchTexts(bucket: PatchedBucket, prefix: string, patches: readonly TextPatch[]): Promise<void> {
  for (const [object, some] of Map.groupBy(patches, patch => patch.object)) {
    const key = toObjectKey(prefix, object)
    const found = await callBucket(() => bucket.get(key))
    // The job has expired meanwhile.
    if (!found) continue
    const whole = new Uint8Array(await callBucket(() => found.arrayBuffer()))
    for (const { offset, bytes, before, text } of some) {
      if (before !== null && decoder.decode(whole.subarray(offset, offset + bytes)) !== before)
        throw changedMeanwhile(key)
      if (countUtf8Bytes(text) > bytes) throw new Error('a text that was emptied is longer than before')
      whole.fill(SPACE, offset, offset + bytes)
      encoder.encodeInto(text, whole.subarray(offset, offset + bytes))
    }
    const written = await callBucket(() => bucket.put(key, whole, { onlyIf: { etagMatches: found.etag } }))
    if (written === null) throw changedMeanwhile(key)
  }
}

const changedMeanwhile = (key: string): Error => new Error(`${key} was changed meanwhile`)
