import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '../../src/time-units.ts'
import { newNumber } from '../support/provider.ts'
import { createRandom } from '../support/random.ts'
import { resume, suspend } from '../support/suspension.ts'
import { type FarReply, type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { Storm } from './platform/storm.ts'
import { connectSender } from './sender.ts'

const JOBS = '/v1/ext/background-job'
const KEYS = '/v1/ext/api-key'
/** A seed of the night, and how many of them; otherwise always the same two. */
const FIRST_SEED = Number(env.SEED) || 1
const SEEDS = env.CHAOS === 'full' ? Number(env.RUNS) || 100 : 2
const TRIES_MAX = 15
const [SINGLES, CHANGES, CREATED, MESSAGES, SENT_ALONE] = [15, 10, 300, 60, 10]
const STORM_MINUTES = 20
const ENDING_MINUTES_MAX = 240
const SUSPENDED_MINUTES = 5
const OVERLAP_MINUTES = 10
const NEW_SECRETS_KEY = btoa('another key of thirty-two bytes!')

beforeEach(() => {
  for (const method of ['error', 'warn', 'info'] as const) vi.spyOn(console, method).mockImplementation(() => {})
})
afterEach(() => void vi.restoreAllMocks())

/** A caller as the guide of retries has them: what failed, or was not answered, is sent again under its key. */
async function insist(place: Place, call: () => Promise<FarReply>): Promise<FarReply> {
  let last: unknown
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    const reply = await call().catch((error: Error) => error)
    if (!(reply instanceof Error) && (!isRetryable(reply) || isUnknown(reply) || isUnsent(reply))) return reply
    last = reply instanceof Error ? reply.message : [reply.status, reply.errors]
    const retryAfterSeconds = reply instanceof Error ? 0 : Number(reply.headers.get('retry-after'))
    await place.pass(SECOND_MS * Math.max(attempt, retryAfterSeconds))
  }
  throw new Error(`a call was not healed by ${TRIES_MAX} tries: ${JSON.stringify(last)}`)
}

const isRetryable = ({ status, meta }: FarReply) =>
  status >= 500 || status === 429 || meta.errors?.[0]?.code === 'request_in_progress'

/** Returns whether a response says that the outcome of a message is unknown, however often it is asked for. */
const isUnknown = ({ errors }: FarReply) => errors.some(error => error.includes('is not sent again'))

/** Returns whether a response says that a message was certainly not sent, however often it is asked for. */
const isUnsent = ({ meta: { errors: [first] = [] } }: FarReply) =>
  first?.code === 'provider_unavailable' && first.deliveryStatus === 'FAILED'

/** A key gives the state of its message. One that was not sent is sent again as a message of its own, with a key of its own. */
async function insistOnSending(place: Place, team: FarTeam, send: () => Promise<FarReply>): Promise<FarReply> {
  const reply = await insist(place, send)
  if (!isUnsent(reply)) return reply
  const path = `/v1/ext/message/${reply.meta.errors[0].messageId}/resend`
  return insistOnSending(place, team, () => team.call('POST', path, undefined, keyed(path)))
}

const keyed = (name: string) => ({ 'idempotency-key': name })

it('a message whose claim nobody could read again is sent once, by its state', async () => {
  const place = far()
  const team = await teamWithLeads(place)
  const sender = await connectSender(team)
  place.faults.add(
    { kind: 'database', fault: 'lost after', about: 'INTO "message"' },
    { kind: 'database', fault: 'lost before', about: 'SELECT "message"."id"', times: 3 },
  )
  const phone = newNumber()
  const sent = await place.run(() => insistOnSending(place, team, () => sender.send(phone, keyed(phone))))
  expect([sent.errors, sent.data.deliveryStatus]).toEqual([[], 'SENT'])
  expect((await team.call('GET', `/v1/ext/message/${sent.data.id}`)).data.resendOf).toEqual(expect.any(String))
  const { data: received } = await sender.received()
  expect((received as { to: string }[]).map(({ to }) => to)).toEqual([phone])
})

it.each(Array.from({ length: SEEDS }, (_, nth) => [FIRST_SEED + nth]))(
  'no entry is lost, no message is sent twice, and retries heal every call, whatever fails or comes late or twice (seed %i)',
  async seed => {
    const random = createRandom(seed)
    // Drawn apart, so that a seed makes the same storm with a rotation and without.
    const rotates = createRandom(~seed).chance(0.5)
    // Small turns: a job of three hundred entries is run by many messages, which meet each other.
    const vars: object = { PROVIDER_TUNING: { timeoutMs: 50_000 }, JOB_TUNING: { chunkEntries: 25, sliceChunks: 1 } }
    const place = far({}, vars)
    const team = await teamWithLeads(place)
    const sender = await connectSender(team, { settings: { limits: { throughputPerSecond: 1_000_000 } } })
    const call: FarTeam['call'] = (...args) => insist(place, () => team.call(...args))
    place.vanish(2)
    const storm = new Storm(random)
    place.begin(storm)

    const singles = Array.from({ length: SINGLES }, (_, nth) => `S${nth}`)
    const phones = Array.from({ length: MESSAGES }, newNumber)
    const alone = Array.from({ length: SENT_ALONE }, newNumber)
    const sent: string[] = []
    const sendAlone = async (phone: string) => {
      const reply = await insistOnSending(place, team, () => sender.send(phone, keyed(phone)))
      expect([phone, isUnknown(reply) ? [] : reply.errors]).toEqual([phone, []])
      if (!isUnknown(reply)) sent.push(phone)
    }
    const items = Array.from({ length: CREATED }, (_, nth) => ({ lead_id: `B${nth}`, data: { city: 'Pune' } }))
    const accept = (name: string, path: string, method: string, body?: unknown) =>
      call(method, path, body, keyed(name)).then(reply => {
        expect([name, reply.errors]).toEqual([name, []])
        return reply.data.id as string
      })

    const [creating, sending] = await place.run(() =>
      Promise.all([
        accept('create', `${LEADS}/bulk-create`, 'POST', items),
        accept('send', JOBS, 'POST', { entries: phones.map(phone => sender.entry(phone)) }),
        ...singles.map(async lead_id => {
          const made = await call('POST', LEADS, { data: { lead_id, score: 0 } }, keyed(lead_id))
          expect([lead_id, made.errors]).toEqual([lead_id, []])
        }),
        ...alone.slice(0, SENT_ALONE / 2).map(sendAlone),
      ]),
    )
    for (const lead_id of singles.slice(0, CHANGES)) {
      const changed = await call('PUT', `${LEADS}/lead_id/${lead_id}`, { data: { score: 7 } }, keyed(`to-7-${lead_id}`))
      expect([lead_id, changed.errors]).toEqual([lead_id, []])
    }
    await weather(place, STORM_MINUTES)
    await awaitEnd(place, call, [creating])
    const changing = await accept('change', LEADS, 'PATCH', {
      processes: items.slice(0, CREATED / 2).map(({ lead_id }) => ({ lead_id, update: { data: { city: 'Goa' } } })),
    })
    const former = team.token
    if (rotates) {
      team.token = await rotateKey(call)
      for (const token of [former, team.token]) expect(await readStatus(call, token)).toBe(200)
      place.set({ SECRETS_KEY: NEW_SECRETS_KEY, SECRETS_KEY_PREVIOUS: env.SECRETS_KEY })
      place.evict()
    }
    const suspendedAt = random.whole(0, STORM_MINUTES - 1)
    await weather(place, suspendedAt)
    await suspend(team)
    await weather(place, SUSPENDED_MINUTES)
    const resting = await call('GET', '/v1/ext/me')
    expect([resting.status, resting.meta.errors?.[0]?.code]).toEqual([403, 'team_suspended'])
    await resume(team)
    await weather(place, STORM_MINUTES - suspendedAt)
    place.calm()
    place.vanish()
    await awaitEnd(place, call, [sending, changing])
    if (rotates) {
      await weather(place, 1)
      place.set({ SECRETS_KEY_PREVIOUS: undefined })
      place.evict()
    }
    place.begin(storm)
    const undoing = await accept('undo', `${JOBS}/${changing}/undo`, 'POST')
    await place.run(() => Promise.all(alone.slice(SENT_ALONE / 2).map(sendAlone)))
    await weather(place, STORM_MINUTES)
    place.calm()
    place.vanish()
    await awaitEnd(place, call, [undoing])

    expect([await readStatus(call, former), await readStatus(call, team.token)]).toEqual([rotates ? 401 : 200, 200])

    const { database = 0, death = 0, late = 0, twice = 0, never = 0 } = Object.fromEntries(storm.happened)
    expect(Math.min(database, death, late + twice + never)).toBeGreaterThan(0)
    for (const id of [creating, changing, undoing]) {
      const { data: faults } = await team.call('GET', `${JOBS}/${id}/errors`)
      expect([id, faults, await loadCounts(team, id)]).toMatchObject([id, [], { ERROR: 0, INVALID: 0, CANCELLED: 0 }])
    }
    const { data: leads } = await team.call('POST', `${LEADS}/list?all=true`, {})
    const processes = leads as { data: { lead_id: string; city?: string; score?: number } }[]
    expect(processes.map(({ data }) => data.lead_id).sort()).toEqual(
      [...singles, ...items.map(({ lead_id }) => lead_id)].sort(),
    )
    expect(processes.filter(({ data }) => data.city === 'Pune')).toHaveLength(CREATED)
    expect(processes.filter(({ data }) => data.score === 7)).toHaveLength(CHANGES)

    const { data: received } = await sender.received()
    const reached = (received as { to: string }[]).map(({ to }) => to)
    expect(reached.filter((to, at) => reached.indexOf(to) !== at)).toEqual([])
    expect(sent.filter(phone => !reached.includes(phone))).toEqual([])
    const counts = await loadCounts(team, sending)
    expect(counts.SUCCESS + counts.ERROR).toBe(MESSAGES)
    // A message that the provider has without anybody's knowledge is an entry with an unknown result, and is not sent
    // again.
    expect(counts.SUCCESS).toBeLessThanOrEqual(phones.filter(phone => reached.includes(phone)).length)
  },
  300_000,
)

const readStatus = async (call: FarTeam['call'], token: string) =>
  (await call('GET', '/v1/ext/me', undefined, { authorization: `Bearer ${token}` })).status

/** A token is answered once. Where that was lost, the key that it is of is rotated in turn, by the former token. */
async function rotateKey(call: FarTeam['call']): Promise<string> {
  const { data: keys } = await call('GET', KEYS)
  let id = keys[0].id as string
  for (let overlapSeconds = OVERLAP_MINUTES * 60; ; overlapSeconds = 0) {
    const { data, errors } = await call('POST', `${KEYS}/${id}/rotate`, { overlapSeconds }, keyed(`rotate-${id}`))
    expect([id, errors]).toEqual([id, []])
    if (data.token !== null) return data.token as string
    id = data.id
  }
}

async function weather(place: Place, minutes: number): Promise<void> {
  for (let minute = 1; minute <= minutes; minute++) {
    await place.cron()
    await place.pass(MINUTE_MS)
  }
}

async function awaitEnd(place: Place, call: FarTeam['call'], jobs: readonly string[]): Promise<void> {
  for (let minute = 1; minute <= ENDING_MINUTES_MAX; minute++) {
    const statuses = await Promise.all(jobs.map(async id => (await call('GET', `${JOBS}/${id}`)).data.completionStatus))
    if (statuses.every(status => status === 'SUCCESS' || status === 'ERROR')) return
    await weather(place, 1)
  }
  throw new Error(`jobs have not ended in ${ENDING_MINUTES_MAX} minutes`)
}

const loadCounts = async (team: FarTeam, id: string) =>
  (await team.call('GET', `${JOBS}/${id}`)).meta.bjEntryCompletionStatusVsCount
