import { z } from 'zod'
import { openapi } from '../http/openapi.ts'
import { type Route, route } from '../http/route.ts'
import { about } from './about.ts'

/** Made when first asked for, and kept. */
const once = <Made>(make: () => Made): (() => Made) => {
  let made: { it: Made } | undefined
  return () => {
    made ??= { it: make() }
    return made.it
  }
}

/** `routes` is asked for late: these routes are in the list, too. */
export const docsRoutes = (routes: () => readonly Route[]) => {
  const json = once(() => JSON.stringify(openapi(routes(), about)))
  return [
    route({
      method: 'get',
      path: '/openapi.json',
      summary: 'Everything said here, for machines',
      docs: {
        id: 'getOpenapi',
        tag: 'About the service',
        description: 'The OpenAPI 3.1 document of this API, made from the routes as they run.',
        answers: {
          200: {
            description: 'The document.',
            content: {
              'application/json': { schema: z.looseObject({ openapi: z.string() }), example: { openapi: '3.1.0' } },
            },
          },
        },
      },
      permission: null,
      perform: async () => json(),
      respond: text =>
        new Response(text, { headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' } }),
    }),
  ]
}
