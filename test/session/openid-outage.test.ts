import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import type { Misbehaviour } from '../support/openid-provider.ts'
import { createBindings, createOpenIdProvider, loadShortId, newBrowser, newPerson } from '../support/openid-sign-in.ts'

let team: Team
const address = `asha-${crypto.randomUUID()}@acme.example`
beforeEach(async () => {
  team = await newTeam()
  await newPerson(team, address)
})
afterEach(() => void vi.unstubAllGlobals())

const HUGE = 'x'.repeat(300 * 1024)
let hanging = 0
const forever = () => {
  hanging += 1
  return new Promise<Response>(() => {})
}
/** Begins, and never ends. */
const dripping = () => {
  hanging += 1
  return new Response(new ReadableStream({ start: controller => controller.enqueue(new TextEncoder().encode('{')) }))
}

const FAULTS: [string, () => Promise<Response> | Response, number][] = [
  ['is down', () => new Response('down', { status: 503 }), 502],
  ['cannot be reached', () => Promise.reject(new TypeError('connection refused')), 502],
  ['answers with junk', () => new Response('<html>'), 502],
  ['answers with other JSON', () => Response.json([1]), 502],
  ['has a huge answer', () => new Response(HUGE), 502],
  ['leads elsewhere', () => Response.redirect('https://evil.example/', 302), 502],
  ['hangs', forever, 504],
  ['never ends its answer', dripping, 504],
]

/** Signs in at a provider that fails at this path, after all before it succeeded. */
async function comeBackWhere(path: string, answer: () => Promise<Response> | Response) {
  const otherwise: Misbehaviour = path === '/userinfo' ? { userInfo: {} } : {}
  const provider = await createOpenIdProvider(otherwise)
  otherwise.answer = asked => (asked === path ? answer() : undefined)
  const browser = newBrowser(createBindings(provider))
  const begun = await browser.begin()
  if (begun.status !== 200) return begun
  const claims = { sub: 'asha', email: address, email_verified: true }
  return browser.bringBack(provider.allow(begun.data.url, claims))
}

it.each(FAULTS)(
  'a provider that %s is reported as such at every step, and signs in nobody',
  async (_, fault, status) => {
    const places = ['/.well-known/openid-configuration', '/token', '/keys', '/userinfo']
    hanging = 0
    // The time of waiting for the provider is skipped: it passes when every call of it hangs.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answers = Promise.all(places.map(place => comeBackWhere(place, fault)))
    while (status === 504 && hanging < places.length) await scheduler.wait(1)
    vi.advanceTimersByTime(5_000)
    const replies = await answers.finally(() => vi.useRealTimers())
    expect(replies.map(reply => [reply.status, reply.meta.errors[0].hint])).toEqual(
      places.map(() => [status, expect.stringContaining('a passkey or a link signs in')]),
    )
    for (const { errors } of replies) expect(errors[0]).toContain('Example ID')
  },
)

it('a provider that fails is left alone for some seconds, and then asked again', async () => {
  const otherwise: Misbehaviour = { answer: () => new Response('down', { status: 503 }) }
  const provider = await createOpenIdProvider(otherwise)
  const browser = newBrowser(createBindings(provider))
  for (let time = 0; time < 3; time++) expect((await browser.begin()).status).toBe(502)
  expect(provider.asked.length).toBe(1)
  delete otherwise.answer
  vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] })
  try {
    expect((await browser.begin()).status).toBe(200)
  } finally {
    vi.useRealTimers()
  }
})

it('a provider that does not know this installation is reported to the operator', async () => {
  const provider = await createOpenIdProvider()
  const browser = newBrowser(createBindings(provider, { OPENID_CLIENT_SECRET: 'mistyped' }))
  const reply = await browser.comeBack(provider, address)
  expect([reply.status, reply.meta.errors[0].code]).toEqual([502, 'provider_refused'])
  expect(reply.errors[0]).toContain('invalid_client')
  expect(reply.errors[0]).toContain('OPENID_CLIENT_SECRET')
})

it.each([
  ['http', (base: string) => base.replace('https', 'http')],
  ['no address', () => 'here'],
  ['a script', () => 'javascript:alert(1)'],
])('an address of the provider that is %s is not followed', async (_, other) => {
  for (const member of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint']) {
    const metadata: Record<string, unknown> = {}
    const provider = await createOpenIdProvider({ metadata })
    metadata[member] = other(`${provider.issuer}/there`)
    expect([member, (await newBrowser(createBindings(provider)).begin()).status]).toEqual([member, 502])
  }
})

it('a provider is not accepted in place of another one that it names', async () => {
  const provider = await createOpenIdProvider({ metadata: { issuer: 'https://accounts.example.com' } })
  const { status, errors } = await newBrowser(createBindings(provider)).begin()
  expect([status, errors[0]]).toEqual([502, expect.stringContaining('https://accounts.example.com')])
  expect(await loadShortId(team)).not.toBe('')
})
