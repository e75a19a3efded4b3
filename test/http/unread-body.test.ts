import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { routes } from '../../src/app.ts'
import worker from '../../src/index.ts'
import { newTeam, type Team } from '../support/api.ts'
import { newConnectedTeam } from '../support/provider.ts'

// The runtime closes a connection when a response is sent while the body of its request is unread.

const PIECE = new TextEncoder().encode('{"processes": ['.padEnd(16 * 1024, ' '))
const OPERATOR_TOKEN = 'operator-token-of-some-forty-characters'

interface Sent {
  method?: string
  token: string
  type: string
  bytes: number
  /** False sends a body without its length. */
  hasLength?: boolean
  bindings?: Partial<Env> & { OPERATOR_TOKEN?: string }
}

/** Returns the response to a request, and the number of bytes of its body that were read. */
async function send(path: string, { method = 'POST', token, type, bytes, hasLength = true, bindings = {} }: Sent) {
  const context = createExecutionContext()
  let [sent, isWhole] = [0, false]
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = PIECE.subarray(0, bytes - sent)
        sent += piece.length
        if (piece.length > 0) return controller.enqueue(piece)
        isWhole = true
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = new Headers({ authorization: `Bearer ${token}`, 'content-type': type })
  if (hasLength) headers.set('content-length', String(bytes))
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://x.test${path}`, { method, body, headers })
  const response = await worker.fetch(request, { ...env, ...bindings }, context)
  await response.text()
  await waitOnExecutionContext(context)
  return { status: response.status, isWhole, sent }
}

const refusing = { limit: async () => ({ success: false }) }
const limited = { RATE_ADMIN: refusing }
const [JSON_TYPE, FORM_TYPE] = ['application/json', 'multipart/form-data; boundary=x']

const streamed = routes.flatMap(({ method, path, bodyAs, bodyBytesMax = 0 }) =>
  bodyAs === undefined
    ? []
    : [
        {
          method: method.toUpperCase(),
          address: path.replaceAll(/:(\w+)/g, 'nope'),
          type: bodyAs === 'json stream' ? JSON_TYPE : FORM_TYPE,
          bytesMax: bodyBytesMax,
        },
      ],
)

it('the list of streamed bodies has every route that takes its body as a stream', () => {
  expect(streamed.length).toBeGreaterThanOrEqual(5)
  for (const { bytesMax } of streamed) expect(bytesMax).toBeGreaterThan(1024 * 1024)
})

describe.each(streamed)('a body that $method $address refuses', ({ method, address, type, bytesMax }) => {
  const sizes = [
    { size: 'small', bytes: 100, hasLength: true },
    { size: '120 kB', bytes: 120_000, hasLength: true },
    { size: '120 kB, chunked', bytes: 120_000, hasLength: false },
  ]
  const refusals: [string, number, (team: Team) => Promise<Partial<Sent> & { query?: string }>][] = [
    ['for its token', 401, async () => ({ token: 'nobody' })],
    ['for its role', 403, async team => ({ token: (await team.as('viewer')).token })],
    ['over the limit of its caller', 429, async () => ({ bindings: limited })],
    ['for its type', 415, async () => ({ type: 'text/plain' })],
    ['for a parameter', 400, async () => ({ query: '?unknown=1' })],
    ['while the installation is paused', 503, async () => ({ bindings: { PAUSED: 'true' } as never })],
  ]

  it.each(refusals)('is read to its end: %s', async (_, status, change) => {
    const team = await newTeam()
    const { query = '', ...changed } = await change(team)
    // The plugin of the form is looked up before its type.
    const expected = status === 415 && type === FORM_TYPE ? 404 : status
    for (const { bytes, hasLength, size } of sizes) {
      const reply = await send(address + query, { method, token: team.token, type, ...changed, bytes, hasLength })
      expect({ ...reply, size }).toEqual({ status: expected, isWhole: true, sent: bytes, size })
    }
  })

  it.each([true, false])(
    'is read up to the limit of the route, once the caller is known: has a length %s',
    async hasLength => {
      const { token } = await newTeam()
      const shared = { method, token, type, hasLength, bindings: limited }
      expect(await send(address, { ...shared, bytes: bytesMax })).toMatchObject({ status: 429, isWhole: true })
      const { isWhole, sent } = await send(address, { ...shared, bytes: bytesMax + 5 * PIECE.length })
      expect(isWhole).toBe(false)
      expect(sent).toBeLessThanOrEqual(bytesMax + 2 * PIECE.length)
    },
  )

  it.each([true, false])('is read of an unauthenticated caller up to a bound: has a length %s', async hasLength => {
    const shared = { method, token: 'nobody', type, hasLength }
    expect(await send(address, { ...shared, bytes: 1024 * 1024 })).toMatchObject({ status: 401, isWhole: true })
    const { isWhole, sent } = await send(address, { ...shared, bytes: 5 * 1024 * 1024 })
    expect(isWhole).toBe(false)
    expect(sent).toBeLessThanOrEqual(1024 * 1024 + 2 * PIECE.length)
  })
})

describe('a body of the rows that an operator imports', () => {
  const path = '/v1/operate/rows'
  const shared = { type: 'application/x-ndjson', bindings: { OPERATOR_TOKEN } }

  it.each([true, false])('is read to its end where it is refused: has a length %s', async hasLength => {
    const own = { ...shared, token: OPERATOR_TOKEN, hasLength, bytes: 4 * 1024 * 1024 }
    expect(await send(`${path}?unknown=1`, own)).toMatchObject({ status: 400, isWhole: true })
    expect(await send(`${path}?team=none`, own)).toMatchObject({ status: 400, isWhole: true })
    const foreign = { ...shared, token: 'nobody', hasLength, bytes: 120_000 }
    expect(await send(path, foreign)).toMatchObject({ status: 401, isWhole: true })
  })
})

describe('a body of JSON', () => {
  const path = '/v1/ext/procedure/lead/process'

  it('is read whatever a request is refused for', async () => {
    const { token } = await newTeam()
    for (const hasLength of [true, false]) {
      const shared = { token, type: JSON_TYPE, bytes: 120_000, hasLength }
      expect(await send(path, { ...shared, bindings: limited })).toMatchObject({ status: 429, isWhole: true })
      expect(await send(path, { ...shared, token: 'nobody' })).toMatchObject({ status: 401, isWhole: true })
      expect(await send(path, { ...shared, type: 'text/plain' })).toMatchObject({ status: 415, isWhole: true })
      expect(await send('/v1/nowhere', shared)).toMatchObject({ status: 404, isWhole: true })
    }
  })

  it('is left beyond the limit, since that cannot cost an unauthenticated caller more', async () => {
    const { token } = await newTeam()
    for (const hasLength of [true, false]) {
      const { status, isWhole, sent } = await send(path, { token, type: JSON_TYPE, bytes: 5 * 1024 * 1024, hasLength })
      expect({ status, isWhole }).toEqual({ status: 413, isWhole: false })
      expect(sent).toBeLessThanOrEqual(2 * 1024 * 1024 + 3 * PIECE.length)
    }
  })

  it('is read up to the bound where an unauthenticated caller is refused for its size', async () => {
    for (const hasLength of [true, false]) {
      const sent = { token: '', type: JSON_TYPE, bytes: 120_000, hasLength }
      expect(await send('/v1/session', sent)).toMatchObject({ isWhole: true })
    }
  })
})

it.each([true, false])('a provider report beyond the limit is not held: has a length %s', async hasLength => {
  const { whatsapp } = await newConnectedTeam()
  const bytes = 20 * 1024 * 1024
  const reply = await send(whatsapp.webhookPath, { token: 'nobody', type: JSON_TYPE, bytes, hasLength })
  expect(reply).toMatchObject({ status: 413, isWhole: false })
  expect(reply.sent).toBeLessThanOrEqual(4 * 1024 * 1024 + 3 * PIECE.length)
})
