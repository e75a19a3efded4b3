import { newProcess, PROCESSES } from './procedure.ts'
import { type Check, expectStatus, must } from './visit.ts'

const BOOKMARK = 'x-caseworker-bookmark'

export const protocolChecks: Check[] = [
  {
    name: 'an unknown path is a 404, a wrong method a 405 that names the right ones',
    async run({ call }) {
      await expectStatus(call('GET', '/v1/ext/smoke'), 404)
      const { headers } = await expectStatus(call('DELETE', '/v1/ext/config'), 405)
      must(headers.get('allow') === 'GET, HEAD', `allow is ${headers.get('allow')}`)
    },
  },
  {
    name: 'headers of the rate limit, of the time taken, of the request',
    async run({ call }) {
      const { headers } = await expectStatus(call('GET', '/v1/ext/users'), 200)
      for (const name of ['ratelimit', 'ratelimit-policy', 'server-timing', 'x-request-id'])
        must(headers.has(name), `${name} is missing`)
    },
  },
  {
    name: 'CORS preflight',
    async run({ call }) {
      const asked = { origin: 'https://smoke.example', 'access-control-request-method': 'POST' }
      const { headers } = await expectStatus(call('OPTIONS', PROCESSES, { headers: asked, token: null }), 204)
      must(headers.get('access-control-allow-origin') === '*', 'no origin is allowed')
      must(/\bauthorization\b/i.test(headers.get('access-control-allow-headers') ?? ''), 'no token is allowed')
    },
  },
  {
    name: 'a bookmark is given and accepted, junk is a 400',
    async run(visit) {
      const { path } = await newProcess(visit)
      const read = (bookmark: string) => visit.call('GET', path, { headers: { [BOOKMARK]: bookmark } })
      const written = await expectStatus(visit.call('PUT', path, { body: { data: { score: 9 } } }), 200)
      const given = written.headers.get(BOOKMARK) ?? (await expectStatus(read('any'), 200, 404)).headers.get(BOOKMARK)
      if (given === null) throw new Error('no bookmark was given')
      await expectStatus(read(given), 200)
      await expectStatus(read('junk!'), 400)
    },
  },
  {
    name: 'documentation and openapi.json',
    async run({ call }) {
      const page = await expectStatus(call('GET', '/docs', { token: null, headers: { accept: 'text/html' } }), 200)
      must(/^text\/html/.test(page.headers.get('content-type') ?? ''), 'the page is no HTML')
      const { text } = await expectStatus(call('GET', '/openapi.json', { token: null }), 200)
      must(Object.keys(JSON.parse(text).paths).length > 20, 'openapi.json has hardly a path')
    },
  },
]
