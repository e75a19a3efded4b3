import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/time-units.ts'
import { loadDueEvents, loadSequences, switchOnFeed } from '../support/due.ts'
import { definition } from '../support/procedures.ts'
import { createRandom, type Random } from '../support/random.ts'
import { resume, suspend } from '../support/suspension.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { LEADS } from './leads.ts'
import { HERE } from './platform/options.ts'

const SEED = 20_261_122
/** The promised delay. */
const LATE_MS_MAX = 5_000

const withLeads = async (team: FarTeam) => {
  const made = await team.call('PUT', '/v1/ext/procedure/lead', definition({ primaryKey: null }))
  expect(made.errors).toEqual([])
  return team
}

async function dueTeam(place: Place): Promise<FarTeam> {
  const team = await place.newTeam()
  await switchOnFeed(team)
  return withLeads(team)
}

async function create(team: FarTeam, body: unknown): Promise<string> {
  const { data, errors } = await team.call('POST', LEADS, body)
  expect(errors).toEqual([])
  return data.id
}

async function update(team: FarTeam, id: string, body: unknown): Promise<void> {
  expect((await team.call('PUT', `${LEADS}/${id}`, body)).errors).toEqual([])
}

const in_ = (ms: number) => Date.now() + ms

/** The times that were told, and none of them early or late. */
async function loadTimes(team: FarTeam): Promise<number[]> {
  const told = await loadDueEvents(team)
  for (const { at, nextActionAt } of told) {
    expect(at).toBeGreaterThanOrEqual(nextActionAt)
    expect(at).toBeLessThanOrEqual(nextActionAt + LATE_MS_MAX)
  }
  return told.map(({ nextActionAt }) => nextActionAt)
}

const pause = (place: Place, value: string) => place.set({ PAUSED: value } as Partial<Env>)

/** Counts the scans of the objects in the database. */
const countLooks = ({ platform }: Place) =>
  platform.calls.filter(
    ({ kind, trigger, about }) => kind === 'database' && trigger === 'object' && !about.includes('webhook'),
  ).length

it('a suspended team is not notified of due actions; once resumed it is, once each, also of later ones in time', async () => {
  const place = far()
  const team = await dueTeam(place)
  const times = [in_(5 * MINUTE_MS), in_(6 * MINUTE_MS), in_(21 * MINUTE_MS)] as const
  for (const nextActionAt of times) await create(team, { nextActionAt })
  await suspend(team)
  for (let minute = 0; minute < 15; minute++) {
    await place.pass(MINUTE_MS)
    await place.cron()
  }
  expect(await loadDueEvents(team)).toEqual([])
  await resume(team)
  await place.pass(MINUTE_MS)
  await place.cron()
  await place.pass(10 * MINUTE_MS)
  const events = await loadDueEvents(team)
  expect(events.map(({ nextActionAt }) => nextActionAt)).toEqual(times)
  expect(events[2]?.at).toBeLessThanOrEqual(times[2] + LATE_MS_MAX)
})

describe('a next action', () => {
  it('is notified once: not again if the same value is set again, and again if it is another', async () => {
    const place = far()
    const team = await dueTeam(place)
    const [first, second] = [in_(MINUTE_MS), in_(10 * MINUTE_MS)]
    const id = await create(team, { nextActionAt: first })
    await place.pass(2 * MINUTE_MS)
    expect(await loadTimes(team)).toEqual([first])
    await update(team, id, { nextActionAt: first })
    await update(team, id, { nextActionAt: first, data: { city: 'Pune' }, status: 'OPEN' })
    await place.pass(2 * MINUTE_MS)
    expect(await loadTimes(team)).toEqual([first])
    await update(team, id, { nextActionAt: second })
    await place.pass(20 * MINUTE_MS)
    expect(await loadTimes(team)).toEqual([first, second])
  })

  it('is notified when its time comes, and the value before it is not', async () => {
    const place = far()
    const team = await dueTeam(place)
    const id = await create(team, { nextActionAt: in_(MINUTE_MS) })
    const later = in_(5 * MINUTE_MS)
    await update(team, id, { nextActionAt: later })
    await place.pass(2 * MINUTE_MS)
    expect(await loadTimes(team)).toEqual([])
    const earlier = in_(30 * SECOND_MS)
    await update(team, id, { nextActionAt: earlier })
    await place.pass(10 * MINUTE_MS)
    expect(await loadTimes(team)).toEqual([earlier])
  })

  it('is never notified for a process that is closed or deleted, or has none any more', async () => {
    const place = far()
    const team = await dueTeam(place)
    const nextActionAt = in_(MINUTE_MS)
    const [completed, cancelled, deleted, removed] = await Promise.all(
      [1, 2, 3, 4].map(() => create(team, { nextActionAt })),
    )
    await create(team, { nextActionAt, status: 'CANCELLED' })
    await create(team, { nextActionAt: in_(-HOUR_MS), status: 'COMPLETED' })
    await update(team, completed ?? '', { status: 'COMPLETED' })
    await update(team, cancelled ?? '', { status: 'CANCELLED' })
    await update(team, removed ?? '', { nextActionAt: null })
    await team.call('DELETE', `${LEADS}/${deleted}`)
    await place.pass(5 * MINUTE_MS)
    expect(await loadDueEvents(team)).toEqual([])
  })

  it('is notified when the process is opened again: at once if it is past, else at its time', async () => {
    const place = far()
    const team = await dueTeam(place)
    const [near, distant] = [in_(MINUTE_MS), in_(HOUR_MS)]
    const one = await create(team, { nextActionAt: near, status: 'CANCELLED' })
    const other = await create(team, { nextActionAt: distant, status: 'CANCELLED' })
    await place.pass(10 * MINUTE_MS)
    await update(team, one, { status: 'OPEN' })
    expect((await loadDueEvents(team)).map(({ id }) => id)).toEqual([one])
    await update(team, one, { status: 'CANCELLED' })
    await update(team, one, { status: 'OPEN' })
    await update(team, other, { status: 'OPEN' })
    await place.pass(2 * HOUR_MS)
    expect((await loadDueEvents(team)).map(({ id }) => id)).toEqual([one, other])
  })

  it('is notified for a restored process if it is past or to come, and not if it was notified before', async () => {
    const place = far()
    const team = await dueTeam(place)
    const [near, distant] = [in_(MINUTE_MS), in_(HOUR_MS)]
    const told = await create(team, { nextActionAt: near })
    await place.pass(2 * MINUTE_MS)
    const [missed, coming] = [
      await create(team, { nextActionAt: in_(MINUTE_MS) }),
      await create(team, { nextActionAt: distant }),
    ]
    for (const id of [told, missed, coming]) await team.call('DELETE', `${LEADS}/${id}`)
    await place.pass(10 * MINUTE_MS)
    expect((await loadDueEvents(team)).map(({ id }) => id)).toEqual([told])
    for (const id of [told, missed, coming])
      expect((await team.call('POST', `${LEADS}/${id}/restore`)).status).toBe(200)
    expect((await loadDueEvents(team)).map(({ id }) => id)).toEqual([told, missed])
    await place.pass(2 * HOUR_MS)
    expect((await loadDueEvents(team)).map(({ id }) => id)).toEqual([told, missed, coming])
  })
})

describe('the due actions object of a team', () => {
  it('does nothing while nothing is due, and is not called for a time that is covered', async () => {
    const place = far()
    const team = await dueTeam(place)
    await create(team, { nextActionAt: in_(2 * HOUR_MS) })
    const calls = place.platform.calls.length
    for (let nth = 1; nth < 10; nth++) await create(team, { nextActionAt: in_((2 + nth) * HOUR_MS) })
    await place.pass(HOUR_MS)
    const since = place.platform.calls.slice(calls)
    expect(since.filter(({ about }) => about.startsWith('DUE_ACTIONS'))).toEqual([])
    expect(countLooks(place)).toBe(0)
    await place.pass(20 * HOUR_MS)
    expect(await loadTimes(team)).toHaveLength(10)
  })

  it('is not called, and nobody is notified, where the feed is off', async () => {
    const place = far()
    const team = await withLeads(await place.newTeam())
    await create(team, { nextActionAt: in_(MINUTE_MS) })
    await create(team, { nextActionAt: in_(-MINUTE_MS) })
    await place.pass(HOUR_MS)
    await place.cron()
    expect(await loadDueEvents(team)).toEqual([])
    expect(place.platform.calls.filter(({ about }) => about.startsWith('DUE_ACTIONS'))).toEqual([])
  })

  it('continues after it has lost its memory, after hours in which nothing ran, and after a pause', async () => {
    const place = far()
    const team = await dueTeam(place)
    const times = [1, 2, 3].map(nth => in_(nth * 10 * MINUTE_MS))
    for (const nextActionAt of times) await create(team, { nextActionAt })
    place.evict()
    place.vanish()
    await place.pass(11 * MINUTE_MS)
    expect(await loadTimes(team)).toEqual(times.slice(0, 1))
    pause(place, 'true')
    await place.pass(11 * MINUTE_MS)
    expect(await loadDueEvents(team)).toHaveLength(1)
    pause(place, 'false')
    await place.pass(20 * SECOND_MS)
    expect((await loadDueEvents(team)).map(({ nextActionAt }) => nextActionAt)).toEqual(times.slice(0, 2))
    await place.pass(HOUR_MS)
    expect((await loadDueEvents(team)).map(({ nextActionAt }) => nextActionAt)).toEqual(times)
  })

  it('continues after any fault of the database, and notifies once', async () => {
    for (const fault of ['lost before', 'lost after', 'overloaded', 'hangs after'] as const)
      for (let skip = 0; skip < 3; skip++) {
        const place = far(HERE)
        const team = await dueTeam(place)
        for (let nth = 0; nth < 3; nth++) await create(team, { nextActionAt: in_(MINUTE_MS) })
        place.faults.add({ kind: 'database', trigger: 'object', fault, skip, times: 2 })
        await place.pass(5 * MINUTE_MS)
        expect([fault, skip, (await loadDueEvents(team)).length]).toEqual([fault, skip, 3])
        expect(await loadSequences(team)).toEqual([1, 2, 3, 4, 5, 6])
      }
  })

  it('is replaced by the cron within a minute where it cannot be called', async () => {
    const place = far()
    const team = await dueTeam(place)
    place.faults.add({ kind: 'object', fault: 'lost before', about: 'DUE_ACTIONS' })
    const id = await create(team, { nextActionAt: in_(30 * SECOND_MS) })
    await update(team, id, { data: { city: 'Pune' } })
    await place.pass(MINUTE_MS)
    expect(await loadDueEvents(team)).toEqual([])
    await place.cron()
    await place.pass(5 * SECOND_MS)
    expect(await loadDueEvents(team)).toHaveLength(1)
  })

  it('notifies of a value that is committed after its scan for that time', async () => {
    // The database is so far away, and a known customer takes a trip more, that the object looks while the process is on its way.
    for (let ms = 0; ms <= 3_000; ms += 500) {
      const place = far({ databaseMs: 2_500 })
      const team = await dueTeam(place)
      const record = { data: { phone: '919448300007' } }
      await create(team, { record })
      const nextActionAt = in_(ms)
      const id = await create(team, { nextActionAt, record })
      await place.pass(30 * SECOND_MS)
      expect([ms, (await loadDueEvents(team)).map(each => each.id)]).toEqual([ms, [id]])
    }
  })
})

describe('switching the feed on', () => {
  it('notifies of next actions from then on, also in isolates that do not know of it yet', async () => {
    const place = far()
    const team = await withLeads(await place.newTeam())
    await create(team, { nextActionAt: in_(-MINUTE_MS) })
    const coming = in_(2 * MINUTE_MS)
    const before = await create(team, { nextActionAt: coming })
    const { errors } = await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
    expect(errors).toEqual([])
    // This isolate trusts its cached token for some seconds more.
    const ids = [before]
    for (const ms of [2_000, 20_000, 50_000, 200_000]) ids.push(await create(team, { nextActionAt: in_(ms) }))
    await place.pass(10 * MINUTE_MS)
    expect((await loadDueEvents(team)).map(({ id }) => id).sort()).toEqual(ids.sort())
  })
})

/** Changes of processes that come at any time, also while their times are looked for, and what was ever set. */
async function changeAtRandom(place: Place, team: FarTeam, random: Random) {
  const ever = new Map<string, Set<number>>()
  const time = () => in_(random.pick([-HOUR_MS, -100, 0, 100, 900, 1_500, 3_000, 10_000, 70_000]))
  for (let nth = 0; nth < 8; nth++) ever.set(await create(team, {}), new Set())
  const change = async () => {
    const id = random.pick([...ever.keys()])
    const nextActionAt = random.chance(0.6) ? time() : undefined
    if (nextActionAt !== undefined) ever.get(id)?.add(nextActionAt)
    const status = random.pick(['OPEN', 'OPEN', 'CANCELLED', undefined])
    const body = {
      ...(nextActionAt === undefined ? {} : { nextActionAt }),
      ...(status === undefined ? {} : { status }),
    }
    if (random.chance(0.1)) await team.call('DELETE', `${LEADS}/${id}`)
    else if (random.chance(0.3)) await team.call('POST', `${LEADS}/${id}/restore`)
    else await team.call('PUT', `${LEADS}/${id}`, body)
  }
  for (let round = 0; round < 12; round++) {
    await Promise.all(Array.from({ length: random.whole(1, 6) }, change))
    await place.pass(random.pick([0, 300, 1_000, 5_000]))
    if (random.chance(0.2)) place.evict()
    if (random.chance(0.2)) place.vanish(random.whole(1, 3))
    if (random.chance(0.2)) await place.cron()
  }
  return ever
}

describe('concurrent changes of next actions', () => {
  it.each(Array.from({ length: 8 }, (_, nth) => nth))(
    'cause one notification for each value, and leave none out (%i)',
    async nth => {
      const random = createRandom(SEED + nth)
      const place = far({ databaseMs: random.pick([5, 100, 1_500]), objectMs: random.pick([5, 100, 800]) })
      const team = await dueTeam(place)
      const faults = (['lost before', 'lost after', 'overloaded'] as const).map(fault => ({
        fault,
        skip: random.whole(0, 9),
      }))
      if (random.chance(0.5))
        place.faults.add(...faults.map(each => ({ ...each, kind: 'database', trigger: 'object' }) as const))
      if (random.chance(0.5))
        place.faults.add(...faults.map(each => ({ ...each, kind: 'object', about: 'DUE_ACTIONS' }) as const))
      const ever = await changeAtRandom(place, team, random)
      place.faults.clear()
      await place.pass(2 * MINUTE_MS)
      await place.cron()
      await place.pass(MINUTE_MS)
      const told = await loadDueEvents(team)
      const last = new Map<string, number>()
      for (const { id, nextActionAt } of told) {
        expect(ever.get(id)).toContain(nextActionAt)
        expect(last.get(id), 'told again').not.toBe(nextActionAt)
        last.set(id, nextActionAt)
      }
      for (const id of ever.keys()) {
        const { data, status } = await team.call('GET', `${LEADS}/${id}`)
        if (status === 200 && data.status === 'OPEN' && data.nextActionAt !== null)
          expect(last.get(id)).toBe(data.nextActionAt)
      }
      const sequences = await loadSequences(team)
      expect(sequences).toEqual(sequences.map((_, place) => place + 1))
    },
  )
})

/** Inserts many processes with the same time, which is the hardest case, and schedules the time with the object. */
async function putMany(team: FarTeam, count: number, first: number): Promise<void> {
  const BATCH = 10_000
  for (let from = 0; from < count; from += BATCH)
    await env.DB.prepare(
      `INSERT INTO process (rid, id, proc, team, status, state, next_action_at, updated_at, data)
        SELECT ?3 * 10000000 + ?4 + key, 'p' || (?4 + key), no, team, 3, 'NEW', ?1, 0, jsonb('{"city": "Pune"}')
        FROM json_each(?2), procedure WHERE team = ?3`,
    )
      .bind(first, JSON.stringify(Array.from({ length: BATCH }, () => 0)), team.no, from)
      .run()
  await create(team, { nextActionAt: first })
}

describe('a hundred thousand next actions in one minute', () => {
  it('are notified within it, each once, within the limits of Cloudflare', async () => {
    const COUNT = 100_000
    const place = far()
    const team = await dueTeam(place)
    const first = Math.ceil(in_(MINUTE_MS) / SECOND_MS) * SECOND_MS
    await putMany(team, COUNT, first)
    place.platform.calls = []
    await place.pass(first + MINUTE_MS - Date.now())
    const told = await loadDueEvents(team)
    expect(told).toHaveLength(COUNT + 1)
    expect(new Set(told.map(({ id }) => id)).size).toBe(COUNT + 1)
    const delays = told.map(({ at, nextActionAt }) => at - nextActionAt).sort((one, other) => one - other)
    const calls = place.platform.calls.filter(({ kind, trigger }) => kind === 'database' && trigger === 'object')
    const [median = 0, longest = MINUTE_MS] = [delays[COUNT / 2], delays.at(-1)]
    if (env.FAR === 'print') console.info(JSON.stringify({ trips: calls.length, median, longest }))
    expect(longest).toBeLessThan(MINUTE_MS)
    expect(calls.length).toBeLessThan(COUNT / 400)
  })
})
