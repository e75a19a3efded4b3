import { AppError } from '../../errors.ts'
import type { FormPart } from '../../http/request/multipart.ts'
import { detectMediaType, HEAD_BYTES, MEDIA_TYPES, type MediaType, safeFilename } from './file-types.ts'

/** What R2 takes as a part of a larger object, and what is held of a file in memory. */
const PART_BYTES = 5 * 1024 * 1024

/** An uploaded file that is not stored as an object yet. */
export interface ReceivedFile {
  kind: MediaType
  /** Makes it an object of this name. */
  store: (filename: string) => Promise<void>
  /** Forgets it. */
  discard: () => Promise<void>
}

/**
 * Takes a file as it comes in. A small one is held until it is whole; a larger one goes to R2 in parts, which make an
 * object only when `store` completes them, so a file that is refused later was never there.
 */
export async function receiveFile(
  { read }: Pick<FormPart, 'read'>,
  bucket: R2Bucket,
  { bytesAhead, path, filename }: { bytesAhead: number; path: (kind: MediaType) => string; filename: string },
): Promise<ReceivedFile> {
  const buffer = new Uint8Array(Math.min(PART_BYTES, bytesAhead))
  const parts: R2UploadedPart[] = []
  let upload: R2MultipartUpload | undefined
  let kind: MediaType | undefined
  let [filled, size] = [0, 0]

  const sendPart = async (of: MediaType) => {
    upload ??= await bucket.createMultipartUpload(path(of), { httpMetadata: getMetadata(of, filename) })
    parts.push(await upload.uploadPart(parts.length + 1, buffer.subarray(0, filled)))
    filled = 0
  }
  const discard = async () => {
    await upload?.abort().catch(() => {})
  }

  try {
    for (let piece = await read(); piece !== undefined; piece = await read()) {
      size += piece.length
      for (let at = 0; at < piece.length; ) {
        if (kind && filled === buffer.length) await sendPart(kind)
        const taken = piece.subarray(at, at + buffer.length - filled)
        buffer.set(taken, filled)
        filled += taken.length
        at += taken.length
        if (!kind && filled >= HEAD_BYTES) kind = requireKind(buffer)
      }
      if (kind) refuseTooLarge(kind, size)
    }
    kind ??= requireKind(buffer.subarray(0, filled))
    refuseTooLarge(kind, size)
  } catch (error) {
    await discard()
    throw error
  }

  const known = kind
  return {
    kind: known,
    discard,
    async store(name) {
      const httpMetadata = getMetadata(known, name)
      if (!upload) {
        await bucket.put(path(known), buffer.subarray(0, filled), { httpMetadata })
        return
      }
      if (filled > 0) await sendPart(known)
      await upload.complete(parts)
      // The metadata were given with the first part, and the field "filename" may follow the file.
      const whole = name === filename ? null : await bucket.get(path(known))
      if (whole) await bucket.put(path(known), whole.body, { httpMetadata })
    },
  }
}

const getMetadata = ({ type }: MediaType, filename: string): R2HTTPMetadata => ({
  contentType: type,
  contentDisposition: `inline; filename*=UTF-8''${encodeURIComponent(safeFilename(filename))}`,
  cacheControl: 'public, max-age=31536000, immutable',
})

function requireKind(head: Uint8Array): MediaType {
  const kind = detectMediaType(head)
  if (kind) return kind
  throw new AppError('unsupported_media_type', [
    { message: `the type of the file must be one of ${MEDIA_TYPES.join(', ')}`, path: '/body/file' },
  ])
}

function refuseTooLarge({ type, bytesMax }: MediaType, size: number): void {
  if (size <= bytesMax) return
  throw new AppError('request_too_large', [
    { message: `a file of type ${type} may have at most ${bytesMax} bytes`, path: '/body/file' },
  ])
}
