import * as z from 'zod'
import { AppError, notFound } from '../../errors.ts'
import { readProviderError } from '../../plugin/codes.ts'
import { getPlugin } from '../../plugin/operations.ts'
import { fetchProvider, openFile, type Provider } from '../../plugin/provider.ts'
import type { Cipher } from '../../plugin/secret/cipher.ts'
import { decryptSecret } from '../../plugin/secret/encryption.ts'
import type { Scope } from '../../scope.ts'
import { safeFilename } from '../media/file-types.ts'
import { getMessage } from '../operations.ts'
import { getMedia } from './media.ts'

/** The provider takes no larger file of anybody. */
const RECEIVED_FILE_BYTES_MAX = 100 * 1024 * 1024

/** A file may hold anything: a browser is to save it, and to run nothing of it. */
const SAFE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-store',
}
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(; ?[\w.+-]{1,50}=[\w.+-]{1,100})?$/
const UNTYPED = 'application/octet-stream'

/** Where the provider has a file. The address is good for some minutes, and only with the plugin's token. */
const Located = z.object({
  url: z.url(),
  mime_type: z.string().optional(),
  file_size: z.coerce.number().optional().catch(undefined),
})

/** The file of a message that a customer wrote, as the provider has it now: nothing of it is kept here. */
export async function downloadReceived(
  scope: Scope,
  { cipher, provider }: { cipher: Cipher; provider: Provider },
  messageId: string,
): Promise<Response> {
  const row = await getMessage(scope, messageId)
  const file = getMedia(row)
  if (!file) throw notFound(`file of message ${messageId}`)
  const plugin = await getPlugin(scope, row.plugin)
  const token = await decryptSecret(cipher, plugin, 'accessToken')
  const located = await locate(provider, `/${plugin.graphVersion}/${file.id}?phone_number_id=${row.sender}`, token)
  if ((located.file_size ?? 0) > RECEIVED_FILE_BYTES_MAX) throw fileTooLargeError()
  const response = await openFile(provider, located.url, token).catch(thrown => {
    throw unreachableError(thrown)
  })
  if (response?.status !== 200 || !response.body) {
    await response?.body?.cancel()
    throw response?.status === 404 ? fileGoneError() : fileUnavailableError()
  }
  if (Number(response.headers.get('content-length') ?? 0) > RECEIVED_FILE_BYTES_MAX) {
    await response.body.cancel()
    throw fileTooLargeError()
  }
  const type = located.mime_type ?? file.mimeType ?? ''
  const name = safeFilename(file.filename ?? `${row.dataType}-${file.id}`)
  return new Response(bounded(response.body), {
    headers: {
      ...SAFE,
      'content-type': MEDIA_TYPE.test(type) ? type : UNTYPED,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    },
  })
}

async function locate(provider: Provider, path: string, token: string): Promise<z.output<typeof Located>> {
  const reply = await fetchProvider(provider, path, token, { method: 'GET' }).catch(thrown => {
    throw unreachableError(thrown)
  })
  const refused = readProviderError(reply.json)
  if (refused && reply.status < 500)
    throw new AppError('provider_refused', [
      {
        message: `the provider refused to hand out the file: (${refused.code}) ${refused.title}`,
        hint: 'the provider keeps a file for thirty days after the message; if it is newer, see the access token of the plugin',
        detail: { providerCode: refused.code, title: refused.title, details: refused.details },
      },
    ])
  const { data } = Located.safeParse(reply.json)
  if (reply.status !== 200 || !data) throw fileUnavailableError()
  return data
}

/** The bytes as they come. A file that is larger than it was said to be breaks off: it is not taken for whole. */
function bounded(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let bytes = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.byteLength
        if (bytes > RECEIVED_FILE_BYTES_MAX) controller.error(new Error('the file of the provider is too large'))
        else controller.enqueue(piece)
      },
    }),
  )
}

const fileGoneError = () =>
  new AppError('provider_refused', [
    { message: `the provider has this file no longer`, hint: 'it keeps a file for thirty days after the message' },
  ])
const fileTooLargeError = () =>
  new AppError('provider_unavailable', `the file is larger than ${RECEIVED_FILE_BYTES_MAX} bytes, and is not handed on`)
const fileUnavailableError = () =>
  new AppError('provider_unavailable', 'the provider did not hand out the file; try again')
const unreachableError = (thrown: unknown) =>
  thrown instanceof Error && thrown.name === 'TimeoutError'
    ? new AppError('provider_timeout', 'the provider did not hand out the file in time; try again', thrown)
    : new AppError('provider_unavailable', 'the provider could not be reached; try again', thrown)
