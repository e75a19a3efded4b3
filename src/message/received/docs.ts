import * as z from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'

export const receivedDocs = {
  downloadMessageMedia: {
    tag: 'Messages',
    description:
      'The file of an `INBOUND` message: an image, a video, a recording, a document or a sticker. It is fetched from the provider while it is downloaded, and not stored here. The provider keeps it for thirty days.',
    responses: {
      200: { description: 'The file.', content: { '*/*': { schema: z.string() } } },
    },
    errors: ['not_found', 'provider_refused', 'provider_timeout', 'provider_unavailable'],
  },
} satisfies Record<string, RouteDocs>
