import type { Context } from 'hono'
import * as z from 'zod'
import { AppError, notFound } from '../../errors.ts'
import { getPublicOrigin } from '../../http/public-origin.ts'
import { readForm } from '../../http/request/multipart.ts'
import { parseRange } from '../../http/request/range.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import { limitMedia, lookUpUnauthenticated } from '../../http/request/unauthenticated.ts'
import { jsonResponse } from '../../http/response/envelope.ts'
import { isNotModified } from '../../http/response/etag.ts'
import { route } from '../../http/route.ts'
import { getPlugin } from '../../plugin/operations.ts'
import { PluginPath } from '../../plugin/schema.ts'
import { findMedia, isMediaPath, UPLOAD_BYTES_MAX, uploadMedia } from './operations.ts'

const MediaPath = z.object({
  team: z.string().meta({ description: 'The id of the team.', examples: ['01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b'] }),
  date: z.string().meta({ description: 'The day of the upload.', examples: ['2026-11-21'] }),
  file: z
    .string()
    .meta({ description: 'The name that the file was given.', examples: ['01935c1e-5a00-700d-8a9b-7c8d9eafb0c1.pdf'] }),
})

/** Uploaded files are untrusted: browsers may show them, and must not run them. */
const SAFE = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" }

export const mediaRoutes = [
  route<z.output<typeof PluginPath>, unknown, StreamedBody, { publicMediaUrl: string }, 'uploadPublicMedia'>({
    id: 'uploadPublicMedia',
    method: 'post',
    path: '/v1/ext/plugin/whatsapp/:pluginId/upload-public-media',
    summary: 'Upload a file',
    permission: 'message:send',
    params: PluginPath,
    bodyAs: 'multipart stream',
    bodyBytesMax: UPLOAD_BYTES_MAX,
    perform: async ({ c, scope, params: { pluginId }, body }) => {
      await getPlugin(scope, pluginId)
      const bytesAhead = Number(c.req.header('content-length') ?? UPLOAD_BYTES_MAX)
      return uploadMedia(scope, c.env.MEDIA, { nextPart: openForm(c, body), bytesAhead, origin: getPublicOrigin(c) })
    },
    respond: uploaded => jsonResponse(200, uploaded),
  }),
  route({
    id: 'getMedia',
    method: 'get',
    path: '/media/:team/:date/:file',
    summary: 'Download a file',
    permission: null,
    params: MediaPath,
    perform: async ({ c, params: { team, date, file } }) => {
      const path = `${team}/${date}/${file}`
      if (!isMediaPath(path)) throw notFound(`media ${path}`)
      await limitMedia(c)
      const hasHeader = (name: string) => c.req.header(name) !== undefined
      const found = await lookUpUnauthenticated(c, { kind: 'media' }, () =>
        findMedia(c.env.MEDIA, path, {
          isNotModified: hasHeader('if-none-match') ? etag => isNotModified(c, etag) : undefined,
          range: hasHeader('range') ? seen => parseRange(c, seen) : undefined,
        }),
      )
      if (!found) throw notFound(`media ${path}`)
      return respondWithFile(found)
    },
    respond: file => file,
  }),
]

function respondWithFile({ file, part }: NonNullable<Awaited<ReturnType<typeof findMedia>>>): Response {
  const headers = new Headers({ ...SAFE, etag: file.httpEtag, 'accept-ranges': 'bytes' })
  file.writeHttpMetadata(headers)
  if (!('body' in file)) {
    headers.delete('content-type')
    return new Response(null, { status: 304, headers })
  }
  headers.set('content-length', String(part?.length ?? file.size))
  if (part) headers.set('content-range', `bytes ${part.offset}-${part.offset + part.length - 1}/${file.size}`)
  return new Response(file.body, { status: part ? 206 : 200, headers })
}

/** The form of a request, which is read while it comes in. */
function openForm(c: Context, body: StreamedBody) {
  const contentType = c.req.header('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(contentType))
    throw new AppError('unsupported_media_type', [
      { message: 'the body must be multipart/form-data with a part "file"', path: '/header/content-type' },
    ])
  return readForm(body, contentType)
}
