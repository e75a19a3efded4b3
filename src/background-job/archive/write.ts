import { joinBytes } from '../../bytes.ts'

/** Parts of an upload must have the same size, except the last one, and at least 5 MiB. */
const PART_BYTES = 5 * 1024 * 1024

/** Writes an object from pieces, of which it never holds more than a part. An upload that breaks off leaves no object. */
export async function writeObject(
  bucket: Pick<R2Bucket, 'put' | 'createMultipartUpload'>,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const held: Uint8Array[] = []
  let bytes = 0
  let upload: R2MultipartUpload | undefined
  const parts: R2UploadedPart[] = []
  try {
    for await (const piece of pieces) {
      held.push(piece)
      bytes += piece.byteLength
      while (bytes >= PART_BYTES) {
        const whole = joinBytes(held.splice(0))
        upload ??= await bucket.createMultipartUpload(key)
        parts.push(await upload.uploadPart(parts.length + 1, whole.subarray(0, PART_BYTES)))
        const rest = whole.slice(PART_BYTES)
        bytes = rest.byteLength
        held.push(rest)
      }
    }
    if (!upload) {
      await bucket.put(key, joinBytes(held))
      return
    }
    if (bytes > 0) parts.push(await upload.uploadPart(parts.length + 1, joinBytes(held)))
    await upload.complete(parts)
  } catch (error) {
    await upload?.abort().catch(() => undefined)
    throw error
  }
}
