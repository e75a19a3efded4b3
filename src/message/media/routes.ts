import { z } from 'zod'
import { AppError, notFound } from '../../errors.ts'
import { publicOrigin } from '../../http/public-origin.ts'
import { limitMedia, lookUpForStranger } from '../../http/request/stranger.ts'
import { jsonResponse } from '../../http/response/envelope.ts'
import { isNotModified } from '../../http/response/etag.ts'
import { route } from '../../http/route.ts'
import { getPlugin } from '../../plugin/operations.ts'
import { PluginPath } from '../../plugin/schema.ts'
import { mediaDocs, uploadDocs } from '../docs.ts'
import { findMedia, isMediaPath, UPLOAD_BYTES_MAX, uploadMedia } from './operations.ts'

const MediaPath = z.object({
  team: z.string().meta({ examples: ['01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b'] }),
  date: z.string().meta({ examples: ['2026-11-21'] }),
  file: z.string().meta({ examples: ['01935c1e-5a00-700d-8a9b-7c8d9eafb0c1.pdf'] }),
})

/** Uploaded files are untrusted: browsers may show them, and must not run them. */
const SAFE = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" }

export const mediaRoutes = [
  route({
    method: 'post',
    path: '/v1/ext/plugin/whatsapp/:pluginId/upload-public-media',
    summary: 'Upload a public file',
    docs: uploadDocs,
    permission: 'message:send',
    params: PluginPath,
    perform: async ({ c, scope, params: { pluginId } }) => {
      await getPlugin(scope, pluginId)
      const upload = { form: await formOf(c.req), origin: publicOrigin(c) }
      return uploadMedia(scope, c.env.MEDIA, upload)
    },
    respond: uploaded => jsonResponse(200, uploaded),
  }),
  route({
    method: 'get',
    path: '/media/:team/:date/:file',
    summary: 'Download an uploaded file',
    docs: mediaDocs,
    permission: null,
    params: MediaPath,
    perform: async ({ c, params: { team, date, file } }) => {
      const asked = c.req.header('if-none-match') !== undefined
      const path = `${team}/${date}/${file}`
      if (!isMediaPath(path)) throw notFound(`media ${path}`)
      await limitMedia(c)
      const found = await lookUpForStranger(c, { kind: 'media' }, () =>
        findMedia(c.env.MEDIA, path, asked ? etag => isNotModified(c, etag) : undefined),
      )
      if (!found) throw notFound(`media ${path}`)
      const headers = new Headers({ ...SAFE, etag: found.httpEtag })
      found.writeHttpMetadata(headers)
      if (!('body' in found)) {
        headers.delete('content-type')
        return new Response(null, { status: 304, headers })
      }
      headers.set('content-length', String(found.size))
      return new Response(found.body, { headers })
    },
    respond: file => file,
  }),
]

interface Upload {
  header: (name: string) => string | undefined
  arrayBuffer: () => Promise<ArrayBuffer>
  formData: () => Promise<FormData>
}

async function formOf(request: Upload): Promise<FormData> {
  if (!/^multipart\/form-data\s*;/i.test(request.header('content-type') ?? ''))
    throw new AppError('unsupported_media_type', [
      { message: 'the body must be multipart/form-data with a part "file"', path: '/header/content-type' },
    ])
  const tooLarge = new AppError('request_too_large', `the body is larger than ${UPLOAD_BYTES_MAX} bytes`)
  if (Number(request.header('content-length') ?? 0) > UPLOAD_BYTES_MAX) throw tooLarge
  if ((await request.arrayBuffer()).byteLength > UPLOAD_BYTES_MAX) throw tooLarge
  return request.formData().catch(() => {
    throw new AppError('invalid_request', [
      { message: 'the body is not well-formed multipart/form-data', path: '/body' },
    ])
  })
}
