import { z } from 'zod'
import { jsonResponse } from './http/response/envelope.ts'
import { route } from './http/route.ts'

export const VERSION = '0.1.0'

const Health = z.object({ status: z.literal('ok'), version: z.string() })

export const healthRoutes = [
  route({
    method: 'get',
    path: '/v1/health',
    summary: 'Check the health of the service',
    docs: {
      id: 'getHealth',
      tag: 'Service',
      description: 'Needs no token and does not use the database.',
      responses: {
        200: { description: 'The service is up.', data: Health, example: { data: { status: 'ok', version: VERSION } } },
      },
    },
    permission: null,
    perform: async (): Promise<z.infer<typeof Health>> => ({ status: 'ok', version: VERSION }),
    respond: health => jsonResponse(200, health),
  }),
]
