import { callBucket } from '../../bucket-call.ts'
import { mayHaveTakenEffect } from '../../db/storage-error.ts'
import { write } from '../../db/write.ts'
import { invalid } from '../../errors.ts'
import type { FormPart } from '../../http/request/multipart.ts'
import type { ByteRange } from '../../http/request/range.ts'
import { newId } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { MEDIA_BYTES_MAX, type MediaType } from './file-types.ts'
import { type ReceivedFile, receiveFile } from './upload.ts'

/** The parts of a multipart body around the file. */
const MULTIPART_BYTES_MAX = 64 * 1024
export const UPLOAD_BYTES_MAX = MEDIA_BYTES_MAX + MULTIPART_BYTES_MAX

const FILENAME_BYTES_MAX = 16 * 1024

/** A request with a form that has a file, and perhaps a name for it. */
interface Upload {
  nextPart: () => Promise<FormPart | undefined>
  /** As much as the body has at most. */
  bytesAhead: number
  origin: string
}

/** Stores a file at a public address that can't be guessed: the provider fetches it from there. */
export async function uploadMedia(scope: Scope, bucket: R2Bucket, upload: Upload): Promise<{ publicMediaUrl: string }> {
  const id = newId(scope.now)
  const date = new Date(scope.now).toISOString().slice(0, 10)
  const buildPath = ({ extension }: MediaType) => `${scope.team.id}/${date}/${id}.${extension}`
  const { file, filename } = await receiveForm(bucket, upload, buildPath)
  const path = buildPath(file.kind)
  await file.store(filename)
  const uploaded = { publicMediaUrl: `${upload.origin}/media/${path}` }
  if (scope.idempotency)
    await write(scope, { effect: [], outcome: { json: JSON.stringify(uploaded) } }).catch(async (error: unknown) => {
      // If nothing was recorded, nothing refers to the file: the key is in use, for a file that has an address of its own.
      if (!mayHaveTakenEffect(error)) await callBucket(() => bucket.delete(path)).catch(() => {})
      throw error
    })
  return uploaded
}

/** Reads the whole form. Its file is not to be seen until then; a fault further on discards it. */
async function receiveForm(
  bucket: R2Bucket,
  { nextPart, bytesAhead }: Upload,
  path: (kind: MediaType) => string,
): Promise<{ file: ReceivedFile; filename: string }> {
  let [isPassed, sentName, givenName] = [false, '', '']
  let file: ReceivedFile | undefined
  try {
    for (let part = await nextPart(); part; part = await nextPart()) {
      if (part.name === 'file' && !isPassed) {
        isPassed = true
        if (part.filename === null) continue
        sentName = part.filename
        file = await receiveFile(part, bucket, { bytesAhead, path, filename: givenName || sentName })
      } else if (part.name === 'filename' && givenName === '' && part.filename === null)
        givenName = await readText(part)
    }
  } catch (error) {
    await file?.discard()
    throw error
  }
  if (!file) throw invalid([{ message: '"file" is required, as a file of the multipart body', path: '/body/file' }])
  return { file, filename: givenName || sentName }
}

/** The text of a part. Of a longer one the end is passed over: a name is cut to far less. */
async function readText({ read }: FormPart): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (let piece = await read(); piece !== undefined; piece = await read())
    if (text.length < FILENAME_BYTES_MAX) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

/** As `uploadMedia` makes them; nothing else is asked of the bucket, which refuses keys that are too long. */
const PATH = /^[0-9a-f-]{36}\/\d{4}-\d\d-\d\d\/[0-9a-f-]{36}\.\w{3,4}$/

export const isMediaPath = (path: string): boolean => PATH.test(path)

/** A file as it is asked for: not again where the caller has it, and only a part of it where a part is wanted. */
interface MediaRequest {
  isNotModified?: ((etag: string) => boolean) | undefined
  range?: ((file: { size: number; httpEtag: string }) => ByteRange | undefined) | undefined
}

/** The file, if there is one; without its bytes where the caller has them already. */
export async function findMedia(
  bucket: R2Bucket,
  path: string,
  { isNotModified, range }: MediaRequest,
): Promise<{ file: R2Object | R2ObjectBody; part?: ByteRange | undefined } | undefined> {
  const seen = isNotModified || range ? await bucket.head(path) : null
  if (seen && isNotModified?.(seen.httpEtag)) return { file: seen }
  const part = seen ? range?.(seen) : undefined
  const file = await bucket.get(path, part ? { range: part } : {})
  return file ? { file, part } : undefined
}
