import { StorageError } from '../../db/storage-error.ts'
import { write } from '../../db/write.ts'
import { AppError, invalid } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { MEDIA_BYTES_MAX, MEDIA_TYPES, mediaTypeOf, safeFilename } from './file-types.ts'

/** The parts of a multipart body around the file. */
const MULTIPART_BYTES_MAX = 64 * 1024
export const UPLOAD_BYTES_MAX = MEDIA_BYTES_MAX + MULTIPART_BYTES_MAX

/** Stores a file at a public address that can't be guessed: the provider fetches it from there. */
export async function uploadMedia(
  scope: Scope,
  bucket: R2Bucket,
  { form, origin }: { form: FormData; origin: string },
): Promise<{ publicMediaUrl: string }> {
  const file = form.get('file')
  const name = form.get('filename')
  if (!(file instanceof File))
    throw invalid([{ message: '"file" is required, as a file of the multipart body', path: '/body/file' }])
  const bytes = await file.bytes()
  const kind = mediaTypeOf(bytes)
  if (!kind)
    throw new AppError('unsupported_media_type', [
      { message: `the type of the file must be one of ${MEDIA_TYPES.join(', ')}`, path: '/body/file' },
    ])
  if (bytes.byteLength > kind.bytesMax)
    throw new AppError('request_too_large', [
      { message: `a file of type ${kind.type} may have at most ${kind.bytesMax} bytes`, path: '/body/file' },
    ])
  const date = new Date(scope.now).toISOString().slice(0, 10)
  const path = `${scope.team.id}/${date}/${newId(scope.now)}.${kind.extension}`
  const filename = safeFilename(typeof name === 'string' && name !== '' ? name : file.name)
  await bucket.put(path, bytes, {
    httpMetadata: {
      contentType: kind.type,
      contentDisposition: `inline; filename*=UTF-8''${encodeURIComponent(filename)}`,
      cacheControl: 'public, max-age=31536000, immutable',
    },
  })
  const uploaded = { publicMediaUrl: `${origin}/media/${path}` }
  if (scope.idempotency)
    await write(scope, { effect: [], outcome: { json: JSON.stringify(uploaded) } }).catch(async (error: unknown) => {
      if (isCertain(error)) await bucket.delete(path).catch(() => {})
      throw error
    })
  return uploaded
}

/** Nothing was recorded, so nothing refers to the file: the key is in use, for a file that has an address of its own. */
const isCertain = (error: unknown): boolean => !(error instanceof StorageError) || error.nothingChanged

/** As `uploadMedia` makes them; nothing else is asked of the bucket, which refuses keys that are too long. */
const PATH = /^[0-9a-f-]{36}\/\d{4}-\d\d-\d\d\/[0-9a-f-]{36}\.\w{3,4}$/

export const isMediaPath = (path: string): boolean => PATH.test(path)

/** The file, if there is one; without its bytes where the caller has them already. */
export async function findMedia(
  bucket: R2Bucket,
  path: string,
  isNotModified?: (etag: string) => boolean,
): Promise<R2Object | R2ObjectBody | undefined> {
  const seen = isNotModified ? await bucket.head(path) : null
  return (seen && isNotModified?.(seen.httpEtag) ? seen : await bucket.get(path)) ?? undefined
}
