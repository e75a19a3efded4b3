import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { expect, it } from 'vitest'
import worker from '../../src/index.ts'
import { newTeam } from '../support/api.ts'

// The runtime closes a connection when a response is sent while the body of its request is unread.

async function send(path: string, token: string, body: string, type: string, bindings: Partial<Env> = {}) {
  const context = createExecutionContext()
  const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': String(body.length) }
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://x.test${path}`, {
    ...{ method: 'POST', body, headers },
  })
  const response = await worker.fetch(request, { ...env, ...bindings }, context)
  await response.text()
  await waitOnExecutionContext(context)
  return { status: response.status, bodyUsed: request.bodyUsed }
}

const path = '/v1/ext/procedure/lead/process'
const limited = { RATE_ADMIN: { limit: async () => ({ success: false }) } }

it('is read whatever a request is refused for', async () => {
  const { token } = await newTeam()
  expect(await send(path, token, '{}', 'application/json', limited)).toEqual({ status: 429, bodyUsed: true })
  expect(await send(path, 'nobody', '{}', 'application/json')).toEqual({ status: 401, bodyUsed: true })
  expect(await send(path, token, 'plain', 'text/plain')).toEqual({ status: 415, bodyUsed: true })
  expect(await send('/v1/nowhere', token, '{}', 'application/json')).toEqual({ status: 404, bodyUsed: true })
})

it('is read of a request whose route would have taken it as a stream', async () => {
  const { token } = await newTeam()
  const entries = Array.from({ length: 10_000 }, (_, index) => ({ lead_id: `LEAD-${index}` }))
  for (const processes of [entries.slice(0, 10), entries]) {
    const body = JSON.stringify({ processes })
    const answered = await send('/v1/ext/procedure/nope/process/bulk-create', token, body, 'application/json')
    expect(answered).toEqual({ status: 404, bodyUsed: true })
  }
})

it('is left where it is large', async () => {
  const { token } = await newTeam()
  const large = 'x'.repeat(100_000)
  expect(await send(path, token, large, 'text/plain')).toEqual({ status: 415, bodyUsed: false })
})
