import { exports } from 'cloudflare:workers'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { procedures } from '../../scripts/demo.ts'
import { about } from '../../src/docs/about.ts'
import type { AppEnv } from '../../src/http/context.ts'
import { mount } from '../../src/http/mount.ts'
import { buildOpenApiDocument } from '../../src/http/openapi/document.ts'
import { jsonResponse } from '../../src/http/response/envelope.ts'
import { route } from '../../src/http/route.ts'
import { fetchWorker, newTeam, ORIGIN, request } from '../support/api.ts'
import { operations } from '../support/document.ts'
import { bulk, JOBS, newLeadTeam } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'

describe('a browser of another origin', () => {
  it('gets a preflight response for every method and header that the API takes', async () => {
    const { status, headers } = await request('OPTIONS', '/v1/ext/procedure/lead/process', {
      headers: { origin: 'https://app.example', 'access-control-request-method': 'PATCH' },
    })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect(headers.get('access-control-allow-methods')).toContain(method)
    for (const name of [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'X-Chakra-SDK',
    ])
      expect(headers.get('access-control-allow-headers')).toContain(name)
    expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0)
  })

  it('may read every header that has a meaning, also of a refusal', async () => {
    const { headers } = await request('GET', '/v1/ext/users', { headers: { origin: 'https://app.example' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    for (const name of [
      'ETag',
      'RateLimit',
      'Retry-After',
      'X-Request-Id',
      'Idempotency-Replayed',
      'Location',
      'Sunset',
    ])
      expect(headers.get('access-control-expose-headers')).toContain(name)
  })
})

describe('every response of the API', () => {
  it('may not be cached, sniffed or framed', async () => {
    const team = await newTeam()
    const answers = [
      await team.call('GET', '/v1/ext/config'),
      await team.call('GET', '/nowhere'),
      await request('GET', '/v1/ext/users'),
    ]
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.get('strict-transport-security')).toContain('max-age')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  it('has a HEAD with the same headers and no body', async () => {
    const team = await newTeam()
    const get = await team.call('GET', '/v1/ext/config')
    const head = await exports.default.fetch(`${ORIGIN}/v1/ext/config`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${team.token}` },
    })
    expect(head.status).toBe(get.status)
    expect(await head.text()).toBe('')
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  })

  it('has a HEAD wherever it has a GET', async () => {
    const team = await newTeam()
    const plain = operations.filter(({ method, path }) => method === 'get' && !path.includes('{'))
    expect(plain.length).toBeGreaterThan(8)
    for (const { path } of plain) {
      const [get, head] = [await team.call('GET', path), await team.call('HEAD', path)]
      expect([head.status, head.headers.get('etag')], path).toEqual([get.status, get.headers.get('etag')])
    }
  })
})

describe('a response that the client has already', () => {
  it('is not sent again: every entity tag is answered with 304', async () => {
    const team = await newTeam()
    const plugin = await connectPlugin(team)
    await team.call('PUT', '/v1/ext/procedure/lead', procedures.lead)
    const body = { data: { lead_id: 'A-1' }, record: { data: { phone: newNumber() } } }
    const { data: process } = await team.call('POST', '/v1/ext/procedure/lead/process', body)
    const { data: message } = await plugin.send(newNumber())
    const { data: webhook } = await team.call('POST', '/v1/ext/webhook', {
      url: 'https://www.example.com/',
      enabled: false,
    })
    const { data: view } = await team.call('POST', '/v1/ext/saved-view', { name: 'Open', procedure: 'lead' })
    const paths = [
      ...['/v1/ext/config', '/v1/ext/procedure', '/v1/ext/procedure/lead', '/v1/ext/plugin', plugin.base],
      ...[`${plugin.base}/templates`, `/v1/ext/message/${message.id}`, '/v1/ext/users', '/v2/ext/users'],
      ...[`/v1/ext/user/${team.admin}`, `/v2/ext/user/${team.admin}`, `/v1/ext/procedure/lead/process/${process.id}`],
      ...['/v1/ext/procedure/lead/process/lead_id/A-1', `/v1/ext/record/${process.record.id}`],
      `/v1/ext/record?phone=${process.record.data.phone}`,
      ...['/v1/ext/webhook', `/v1/ext/webhook/${webhook.id}`],
      ...['/v1/ext/saved-view', `/v1/ext/saved-view/${view.id}`],
      '/openapi.json',
    ]
    const tagged = operations.filter(({ operation }) => '304' in operation.responses).length
    // All operations are compared except the media, which have a test of their own; the document is no operation.
    expect(paths.length).toBe(tagged - 1 + 1)
    for (const path of paths) {
      const headers = { authorization: `Bearer ${team.token}` }
      const first = await fetchWorker(path, { headers })
      const etag = first.headers.get('etag') ?? ''
      expect([first.status, etag], path).toEqual([200, expect.stringMatching(/^".+"$/)])
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await fetchWorker(path, { headers: { ...headers, 'if-none-match': known } })
        expect([again.status, await again.text(), again.headers.get('etag')], path).toEqual([304, '', etag])
        // A browser takes over what a 304 says, and shows the page under it.
        expect(again.headers.get('cache-control'), path).toBe(first.headers.get('cache-control'))
        const policy = again.headers.get('content-security-policy')
        expect([null, first.headers.get('content-security-policy')], path).toContain(policy)
      }
      const other = await fetchWorker(path, { headers: { ...headers, 'if-none-match': '"other"' } })
      expect(other.status, path).toBe(200)
    }
  })

  it('is sent again once it has changed', async () => {
    const team = await newTeam()
    const { headers } = await team.call('GET', '/v1/ext/users')
    await team.call('POST', '/v1/ext/user', { username: 'asha', role: 'agent' })
    const again = await team.call('GET', '/v1/ext/users', undefined, { 'if-none-match': headers.get('etag') ?? '' })
    expect([again.status, again.data.length]).toEqual([200, 2])
    expect(again.headers.get('etag')).not.toBe(headers.get('etag'))
  })
})

describe('OPTIONS', () => {
  it('names the methods of an address, and is a 404 for unknown ones', async () => {
    const known = await request('OPTIONS', '/v1/ext/procedure/lead/process')
    expect([known.status, known.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, PATCH, POST, PUT'])
    expect((await request('OPTIONS', '/v1/nowhere')).status).toBe(404)
  })
})

describe('the results of a job', () => {
  it.each([
    ['gzip, br', 'gzip'],
    ['br, GZIP;q=0.5', 'gzip'],
    ['gzip;q=0', null],
    ['identity', null],
    ['', null],
  ])('are compressed for clients that accept it: accept-encoding "%s"', async (accepted, encoding) => {
    const team = await newLeadTeam()
    const job = await bulk(team, 'POST', [{ data: { lead_id: 'A-1' } }])
    const headers = { authorization: `Bearer ${team.token}`, 'accept-encoding': accepted }
    const response = await fetchWorker(`${JOBS}/${job.data.id}/results`, { headers })
    await response.arrayBuffer()
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(response.headers.get('vary')).toBe('accept, accept-encoding')
  })
})

describe('an unknown page', () => {
  it('is answered with the menu for a browser, and as everywhere for a program', async () => {
    const headers = { accept: 'text/html,*/*;q=0.8' }
    for (const path of ['/docs/nope', '/docs/start/nope']) {
      const page = await fetchWorker(path, { headers })
      expect([page.status, page.headers.get('cache-control')]).toEqual([404, 'no-store'])
      expect(page.headers.get('content-security-policy')).toContain("style-src 'self'")
      expect(await page.text()).toMatch(/href="\/docs\/limits"[\s\S]*Page not found/)
      expect((await request('GET', path)).errors).toEqual([`there is no ${path}`])
    }
    const known = await fetchWorker('/docs/nope', { headers: { ...headers, 'if-none-match': '*' } })
    expect(known.status).toBe(404)
    const elsewhere = await fetchWorker('/elsewhere', { headers })
    expect(elsewhere.headers.get('content-type')).toContain('json')
  })

  it('is not /, which redirects a browser to the documentation', async () => {
    const root = await exports.default.fetch(`${ORIGIN}/`, { headers: { accept: 'text/html,*/*' }, redirect: 'manual' })
    expect([root.status, root.headers.get('location')]).toEqual([302, '/docs'])
    expect((await request('GET', '/')).status).toBe(404)
  })
})

it('a document for programs accepts reads only', async () => {
  const { status, headers } = await exports.default.fetch(`${ORIGIN}/openapi.json`, { method: 'POST' })
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

describe('a deprecated route', () => {
  const old = route({
    id: 'getOld',
    method: 'get',
    path: '/v1/old',
    summary: 'What was',
    deprecated: { since: '2026-11-01', sunset: '2027-05-01', successor: '/v2/new' },
    permission: null,
    perform: async () => ({}),
    respond: it => jsonResponse(200, it),
  })

  it('says so in every response, with the date of its end and what replaces it', async () => {
    const app = new Hono<AppEnv>()
    mount(app, [old], async () => {})
    const { status, headers } = await app.request('/v1/old')
    expect(status).toBe(200)
    expect(headers.get('deprecation')).toBe('@1793491200')
    expect(headers.get('sunset')).toBe('Sat, 01 May 2027 00:00:00 GMT')
    expect(headers.get('link')).toBe('</v2/new>; rel="successor-version"')
  })

  it('is marked in the document, with its headers', () => {
    const docs = { tag: 'Service', description: 'Old.', responses: { 200: { description: 'It.', data: z.object({}) } } }
    const { paths } = buildOpenApiDocument([{ ...old, docs }], about)
    const operation = paths['/v1/old']?.get as { deprecated: boolean; responses: Record<string, { headers: object }> }
    expect(operation.deprecated).toBe(true)
    expect(Object.keys(operation.responses['200']?.headers ?? {})).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset']),
    )
  })
})
