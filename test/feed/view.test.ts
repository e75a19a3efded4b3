import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/db/databases.ts'
import { type EventFilter, readEvents } from '../../src/event/read.ts'
import { viewEvents } from '../../src/feed/view.ts'
import { newTeam, type Team } from '../support/api.ts'
import { waitForJob } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'

const getScope = ({ no, id }: Team) => ({
  db: openDatabase(env),
  team: { no, id, shortId: 'acme', name: 'Acme', eventFeedSince: 1 },
})

const read = (team: Team, after = 0, limit = 100, filter: EventFilter = {}) =>
  readEvents(getScope(team), { after, limit, ...filter })

const shown = async (team: Team) => {
  const scope = getScope(team)
  return (await viewEvents(scope, await readEvents(scope, { after: 0, limit: 100 }))).events
}

/** Lists the events of processes. */
const shownOfProcesses = async (team: Team) =>
  (await shown(team)).flatMap(event => ('process' in event.data ? [{ ...event, data: event.data }] : []))

const setUp = async () => {
  const team = await newTeam()
  return { team, ...(await newProcedure(team)) }
}

describe('what an event shows of a process', () => {
  it('is the process as it is now, the version after the event, and its author', async () => {
    const { team, create, update, remove, restore, fetch } = await setUp()
    const { data: made } = await create({ data: { lead_id: 'A' }, record: { data: { phone: '919448300001' } } })
    const { meta } = await update(made.id, { status: 'COMPLETED' })
    await remove(made.id)
    await restore(made.id)
    const events = await shownOfProcesses(team)
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['process.created', 1],
      ['process.updated', 2],
      ['process.deleted', 3],
      ['process.restored', 4],
    ])
    expect(events.map(({ data }) => data.version)).toEqual([1, 2, 2, 3])
    const { data: now } = await fetch(made.id)
    for (const { data } of events) expect(data.process).toEqual(now)
    expect(events[1]?.by).toMatchObject({ user: team.admin, request: meta.requestId, job: null, entry: null })
    expect(events[1]?.id).toMatch(`evt_${team.id.slice(-12)}_2_`)
    const { data: removed } = await remove(made.id)
    for (const { data } of await shownOfProcesses(team)) expect(data.process).toEqual(removed)
  })

  it.each([
    ['one attribute', { score: 2 }, { score: 1 }],
    ['two attributes', { score: 2, city: 'Goa' }, { score: 1, city: 'Pune' }],
    ['an attribute that goes', { city: null }, { city: 'Pune' }],
    ['an attribute that comes', { size: [1, { a: null }] }, {}],
    ['names that no path can have', { 'a"b\\': 1, '~': 2, '': 3 }, {}],
    [
      'more attributes than one call takes',
      Object.fromEntries(Array.from({ length: 65 }, (_, nth) => [`x${nth}`, nth])),
      {},
    ],
  ])(
    'has the values before and after of %s',
    async (_, data: Record<string, unknown>, before: Record<string, unknown>) => {
      const { team, create, update } = await setUp()
      const { data: made } = await create({ data: { lead_id: 'A', score: 1, city: 'Pune' } })
      await update(made.id, { data })
      const expected = Object.entries(data).map(([name, to]) => ({
        field: `data.${name}`,
        from: before[name] ?? null,
        to,
      }))
      const [, event] = await shownOfProcesses(team)
      const compareFields = (one: { field: string }, other: { field: string }) => (one.field < other.field ? -1 : 1)
      const changes = (event?.data.changes ?? []) as typeof expected
      expect(changes.sort(compareFields)).toEqual(expected.sort(compareFields))
    },
  )

  it('leaves out values that stayed the same, and shows statuses and customers as the API does', async () => {
    const { team, create, upsert } = await setUp()
    await create({ data: { lead_id: 'A', score: 1 } })
    const record = { data: { phone: '919448300002' } }
    const { data: after } = await upsert({ data: { lead_id: 'A', score: 1 }, status: 'COMPLETED', record })
    const [, event] = await shownOfProcesses(team)
    expect(event?.data.changes).toEqual([
      { field: 'status', from: 'OPEN', to: 'COMPLETED' },
      { field: 'state', from: 'NEW', to: 'WON' },
      { field: 'record', from: null, to: after.record.id },
    ])
  })
})

describe('a page of the log', () => {
  it('begins and ends anywhere in the row of a job, and joined the pages are the log', async () => {
    const { team, path, create } = await setUp()
    await create({ data: { lead_id: 'first' } })
    const processes = Array.from({ length: 25 }, (_, nth) => ({ data: { lead_id: `L${nth}` } }))
    const job = await team.call('POST', `${path}/bulk-create`, { processes })
    await waitForJob(team, job.data.id)
    await create({ data: { lead_id: 'last' } })
    const whole = await read(team)
    expect(whole.events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 27 }, (_, nth) => nth + 1))
    for (const limit of [1, 4, 10, 26, 27]) {
      const joined = []
      for (let after = 0; after < whole.latest; ) {
        const page = await read(team, after, limit)
        expect(page.events.length).toBe(Math.min(limit, 27 - after))
        joined.push(...page.events)
        after = page.lookedTo
      }
      expect(joined).toEqual(whole.events)
    }
    const [, event] = await shown(team)
    expect(event?.by).toMatchObject({ job: job.data.id, entry: 0, apiKey: null, request: null })
  })

  it('holds the events that pass a filter, and says how far it has read', async () => {
    const { team, create, update } = await setUp()
    const other = await newProcedure(team, {}, 'ticket')
    const { data: lead } = await create({})
    const { data: ticket } = await other.create({})
    for (let nth = 0; nth < 5; nth++) {
      await update(lead.id, { data: { score: nth } })
      await other.update(ticket.id, { data: { score: nth } })
    }
    const [{ proc = 0 } = {}] = (await read(team, 1, 1)).events.map(event => ({ proc: event.proc ?? 0 }))
    const wanted = await read(team, 0, 100, { types: ['process.updated'], procedures: [proc] })
    expect(wanted.events.map(({ sequence }) => sequence)).toEqual([4, 6, 8, 10, 12])
    expect(wanted).toMatchObject({ lookedTo: 12, latest: 12 })
    const two = await read(team, 0, 2, { types: ['process.updated'], procedures: [proc] })
    expect(two.events.map(({ sequence }) => sequence)).toEqual([4, 6])
    expect([6, 7]).toContain(two.lookedTo)
    const none = await read(team, 0, 2, { types: ['record.erased'] })
    expect(none).toMatchObject({ events: [], lookedTo: 12 })
  })
})
