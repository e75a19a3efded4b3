import { answer } from './http/envelope.ts'
import { route } from './http/route.ts'

export const VERSION = '0.1.0'

export const healthRoutes = [
  route({
    method: 'get',
    path: '/v1/health',
    summary: 'Is it there?',
    permission: null,
    perform: async () => ({ status: 'ok', version: VERSION }),
    respond: health => answer(200, health),
  }),
]
