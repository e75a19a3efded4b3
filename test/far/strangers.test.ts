import { expect, it } from 'vitest'
import { createToken } from '../../src/token.ts'
import { far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'

const COUNT = 500

const toId = (nth: number) => `01900000-0000-7000-8000-${String(nth).padStart(12, '0')}`
const forged = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }

/** The attempts of an unauthenticated caller from one address, another one each time. */
const attempts: [string, (nth: number) => [path: string, init: RequestInit]][] = [
  ['tokens', () => [LEADS, { headers: { authorization: `Bearer ${createToken(1)}` } }]],
  ['webhooks', nth => [`/webhooks/whatsapp/01/${toId(nth)}`, { method: 'POST', body: '{}', headers: forged }]],
  ['files', nth => [`/media/${toId(0)}/2026-01-01/${toId(nth)}.png`, {}]],
]

const getTrips = (place: Place) =>
  place.platform.calls.filter(({ kind }) => kind === 'database' || kind === 'media').length

it.each(attempts)(
  'a caller with %s reaches the database a few times, and is refused from then on',
  async (_, attempt) => {
    const place = far()
    const team = await teamWithLeads(place)
    place.vanish(3)
    place.platform.calls = []
    const statuses: number[] = []
    for (let nth = 0; nth < COUNT; nth++) {
      const [path, init] = attempt(nth)
      const headers = { ...(init.headers as Record<string, string>), 'cf-connecting-ip': '203.0.113.9' }
      const response = await place.run(() => place.fetch(path, { ...init, headers }))
      statuses.push(response.status)
      await response.arrayBuffer()
    }
    expect(getTrips(place)).toBeLessThan(150)
    expect(statuses.filter(status => status === 429).length).toBeGreaterThan(COUNT / 2)
    // Another caller is served.
    expect((await team.call('GET', LEADS, undefined, { 'cf-connecting-ip': '203.0.113.10' })).status).toBe(200)
  },
)
