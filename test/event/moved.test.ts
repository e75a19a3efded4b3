import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createCost } from '../../src/db/cost.ts'
import { openDatabase } from '../../src/db/databases.ts'
import { createEventExpiryTask } from '../../src/event/expire.ts'
import { createLostObjectTask } from '../../src/event/object/lost.ts'
import { createMoveTask } from '../../src/event/object/move.ts'
import { openMovedLog } from '../../src/event/object/open.ts'
import { toRowNo } from '../../src/ids.ts'
import { replayErasures } from '../../src/maintenance/replay-erasures.ts'
import { withProcedure } from '../../src/procedure/definition-cache.ts'
import { beginSearch, type ChangeSearch, readOn } from '../../src/process/bulk/undo/change-search.ts'
import { listHistory } from '../../src/process/history/list.ts'
import type { HistoryScope } from '../../src/process/history/read-log.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { breakCall, databaseThrough, requestWith } from '../support/broken-bindings.ts'
import { bucketThrough, failBucketCalls } from '../support/bucket.ts'
import {
  createLead,
  eraseEverywhere,
  expectNothingLeft,
  personalTeam,
  RECORD,
  somePerson,
  untilErased,
} from '../support/erasing.ts'
import { Harness } from '../support/harness.ts'
import { bulk, JOBS, LEADS, leadProcedure, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'
import { ageLog, loadObjects, moveLog, moveLogs, objectKeys, rowsLeft } from '../support/moved-log.ts'
import { exportLines, operate, operateJson } from '../support/operator.ts'
import { newNumber } from '../support/provider.ts'
import { createRandom } from '../support/random.ts'
import { IS_CHAOS, SEED } from '../support/seed.ts'
import { sleep } from '../support/sleep.ts'

// The old part of the log is in objects of R2. History, earlier versions, authors and undo read it there as they read
// it in the database; an erasure, an export and the retention reach it.

const CITIES = ['Oslo', 'Pune', 'Goa', 'Ulm', null]

beforeEach(() => void vi.restoreAllMocks())

const get = (team: Team, path: string) => team.call('GET', path)

/** Joins all pages of a list, with the meta of the last one. */
async function readPages(team: Team, path: string, limit: number) {
  const data: unknown[] = []
  for (let next: string | null = ''; ; ) {
    const { status, data: page, meta } = await get(team, `${path}?limit=${limit}${next ? `&cursor=${next}` : ''}`)
    if (status !== 200) return { status }
    data.push(...page)
    next = meta.next
    if (next === null) return { status, data, isComplete: meta.isComplete }
  }
}

/** Reads all history of a process: each version and time, with its author. */
async function tell(team: Team, id: string, record: string | undefined): Promise<unknown[]> {
  const at = `${LEADS}/${id}`
  const times = (await loggedTimes(team)).flatMap(time => [time - 1, time])
  const told: unknown[] = [await readPages(team, `${at}/history`, 100), await readPages(team, `${at}/history`, 2)]
  const answer = ({ status, data, errors, meta }: Reply) => [status, data, errors, meta.blame]
  for (const moment of [...Array.from({ length: 12 }, (_, nth) => nth + 1), ...times])
    told.push([moment, answer(await get(team, `${at}?asOf=${moment}&blame=true`))])
  told.push(answer(await get(team, `${at}?blame=true`)))
  if (record) told.push(await readPages(team, `${RECORD}/${record}/history`, 3))
  return told
}

/** The times of every event, wherever it is. */
const times = new Map<number, number[]>()
async function loggedTimes(team: Team): Promise<number[]> {
  const known = times.get(team.no)
  if (known) return known
  const found = (await loadLoggedEvents(team)).map(({ at }) => at)
  times.set(team.no, found)
  return found
}

const until = async (task: { step: () => Promise<{ hasMore: boolean }> }) => {
  while ((await task.step()).hasMore);
}

const RUNS = IS_CHAOS ? 20 : 2

describe('history that was moved', () => {
  it('has the same responses as before, on all routes', async () => {
    const random = createRandom(SEED)
    for (let run = 0; run < RUNS; run++) {
      const team = await newLeadTeam()
      const phones = [newNumber(), newNumber()]
      const made = []
      for (const key of ['A', 'B'])
        made.push(
          (await team.call('POST', LEADS, { data: { lead_id: key }, record: { data: { phone: phones[0] } } })).data,
        )
      const ids = made.map(({ id }) => id as string)
      for (let step = 0; step < 9; step++) {
        const id = random.pick(ids)
        const body = { data: { city: random.pick(CITIES), score: random.whole(0, 2) } }
        const does: (() => Promise<unknown>)[] = [
          () => team.call('PUT', `${LEADS}/${id}`, body),
          () =>
            bulk(
              team,
              'PATCH',
              ids.map(each => ({ id: each, update: body })),
            ),
          () =>
            team.call('PUT', `${LEADS}/${id}`, { record: { data: { phone: random.pick(phones), name: `N${step}` } } }),
          () =>
            team.call('PUT', `${LEADS}/${id}`, { record: random.chance(0.5) ? null : { data: { phone: phones[1] } } }),
          async () => {
            await team.call('DELETE', `${LEADS}/${id}`)
            await team.call('POST', `${LEADS}/${id}/restore`)
          },
          () => team.call('PUT', `${LEADS}/${id}/revert`, { version: 1 }),
        ]
        await random.pick(does)()
      }
      await team.call('PUT', `${LEADS}/${ids[0]}`, { data: { score: 9 } })
      await ageLog(team)
      const record = made[0].record.id
      const before = []
      for (const id of ids) before.push(await tell(team, id, record))
      const usage = (await get(team, '/v1/ext/usage')).data.days
      await moveLogs()
      expect(await rowsLeft(team)).toBe(1)
      expect((await loadObjects(team)).length).toBeGreaterThan(1)
      expect((await objectKeys(team)).length).toBe((await loadObjects(team)).length)
      for (const [nth, id] of ids.entries()) expect(await tell(team, id, record)).toEqual(before[nth])
      expect((await get(team, '/v1/ext/usage')).data.days).toEqual(usage)
      // The log goes on, and so does the history.
      await team.call('PUT', `${LEADS}/${ids[1]}`, { data: { score: 10 } })
      const [whole] = (await tell(team, ids[1] ?? '', record)) as { data: { changes: unknown[] }[] }[]
      expect(whole?.data[0]?.changes).toContainEqual(expect.objectContaining({ field: 'data.score', to: 10 }))
      const reverted = await team.call('PUT', `${LEADS}/${ids[1]}/revert`, { version: 1 })
      expect([reverted.status, reverted.data.data]).toEqual([200, { lead_id: 'B' }])
    }
  })

  it('belongs to one team: another one, with the same numbers, has its own', async () => {
    const teams = [await newTeam(), await newTeam()]
    const ids: string[] = []
    const word = ({ id }: Team) => id.slice(-12)
    for (const team of teams) {
      await leadProcedure(team)
      const { data } = await team.call('POST', LEADS, { data: { lead_id: word(team), city: word(team) } })
      for (const city of [`${word(team)} 2`, `${word(team)} 3`])
        await team.call('PUT', `${LEADS}/${data.id}`, { data: { city } })
      ids.push(data.id)
      await moveLog(team)
    }
    for (const [nth, team] of teams.entries()) {
      const text = JSON.stringify((await get(team, `${LEADS}/${ids[nth]}/history`)).data)
      expect(text).toContain(word(team))
      expect(text).not.toContain(word(teams[1 - nth] as Team))
      expect((await get(team, `${LEADS}/${ids[1 - nth]}/history`)).status).toBe(404)
      const own = await objectKeys(teams[1 - nth] as Team)
      expect(
        (await operate('GET', `/team/${team.id}/object?name=${encodeURIComponent(`ARCHIVE/${own[0]}`)}`)).status,
      ).toBe(400)
    }
  })

  it('is a 503 where R2 fails or an object is missing, and recent history is still shown', async () => {
    const { team, id } = await oneLead(['Oslo', 'Pune', 'Goa'])
    await moveLog(team)
    const headers = { authorization: `Bearer ${team.token}` }
    const ask = (path: string, ARCHIVE: R2Bucket) => requestWith({ ARCHIVE }, `${LEADS}/${id}${path}`, { headers })
    const down = bucketThrough(failBucketCalls(({ method }) => method === 'get'))
    const empty = bucketThrough(async ({ method }) => (method === 'list' ? { objects: [] } : null))
    for (const bucket of [down, empty]) {
      for (const path of ['?asOf=1', '?blame=true']) {
        const answer = await ask(path, bucket)
        expect([path, answer.status]).toEqual([path, 503])
      }
      const recent = await ask('/history', bucket)
      expect(recent.data.map(({ changes }: { changes: unknown }) => changes)).toEqual([
        [{ field: 'data.city', from: 'Pune', to: 'Goa' }],
      ])
      expect((await ask(`/history?cursor=${recent.meta.next}`, bucket)).status).toBe(503)
      expect((await ask('?asOf=4', bucket)).status).toBe(200)
    }
    expect((await get(team, `${LEADS}/${id}/history`)).data).toHaveLength(4)
  })

  it('is found again where a restored database names an object that was rewritten since', async () => {
    const { team, id } = await oneLead(['Oslo', 'Pune'])
    await moveLog(team)
    const before = (await get(team, `${LEADS}/${id}/history`)).data
    await env.DB.prepare('UPDATE event_object SET no = no + 1 WHERE team = ?').bind(team.no).run()
    expect((await get(team, `${LEADS}/${id}/history`)).data).toEqual(before)
    const objects = await objectKeys(team)
    await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'remove lost history'").run()
    await until(createLostObjectTask(env.ARCHIVE, () => openDatabase(env), Date.now() + 2 * DAY_MS))
    expect(await objectKeys(team)).toEqual(objects)
    const named = (await loadObjects(team)).map(
      ({ first, last, no }) => `log/${team.id}/${first}-${last}-${no.toString(36)}`,
    )
    expect(named.toSorted()).toEqual(objects.toSorted())
  })

  it('is there when a restore is undone: what the restored database does not name stays for a month', async () => {
    const { team, id } = await oneLead(['Oslo', 'Pune'])
    await moveLog(team)
    const before = (await get(team, `${LEADS}/${id}/history`)).data
    const objects = await objectKeys(team)
    expect(objects.length).toBeGreaterThan(0)
    const { results } = await env.DB.prepare('SELECT * FROM event_object WHERE team = ?').bind(team.no).all()
    await env.DB.prepare('DELETE FROM event_object WHERE team = ?').bind(team.no).run()
    await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'remove lost history'").run()
    const now = Date.now()
    const db = () => openDatabase(env)
    await replayErasures({ env, db, cost: createCost(), now, statementsMax: 400 })
    const runTaskAt = (at: number) => until(createLostObjectTask(env.ARCHIVE, db, at))
    await runTaskAt(now + 30 * DAY_MS)
    expect(await objectKeys(team)).toEqual(objects)
    for (const row of results)
      await env.DB.prepare(
        'INSERT INTO event_object (team, last, first, no, bytes, first_at, last_at, days, kept_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
        .bind(
          ...['team', 'last', 'first', 'no', 'bytes', 'first_at', 'last_at', 'days', 'kept_from'].map(
            name => row[name],
          ),
        )
        .run()
    expect((await get(team, `${LEADS}/${id}/history`)).data).toEqual(before)
    await env.DB.prepare('DELETE FROM event_object WHERE team = ?').bind(team.no).run()
    await runTaskAt(now + 32 * DAY_MS)
    expect(await objectKeys(team)).toEqual([])
  })

  it('ends early, and is not refused, where a restored database names what had expired since', async () => {
    const { team, id } = await oneLead(['Oslo', 'Pune'])
    await moveLog(team)
    await env.ARCHIVE.delete(await objectKeys(team))
    expect((await get(team, `${LEADS}/${id}?asOf=1`)).status).toBe(503)
    const now = Date.now()
    const db = () => openDatabase(env)
    const expire = () => until(createEventExpiryTask({ bucket: env.ARCHIVE, db, now }, 30 * DAY_MS))
    // The task has done its work of this day.
    await env.DB.prepare(
      "INSERT OR REPLACE INTO maintenance_position (task, team, position, rest_until) VALUES ('expire events', 0, '', ?)",
    )
      .bind(now + DAY_MS / 2)
      .run()
    await replayErasures({ env, db, cost: createCost(), now, statementsMax: 400 })
    await expire()
    const history = await get(team, `${LEADS}/${id}/history`)
    expect([history.status, history.meta.isComplete]).toEqual([200, false])
    expect((await get(team, `${LEADS}/${id}?asOf=1`)).status).toBe(410)
    expect(await loadObjects(team)).toEqual([])
  })

  it('is read in a restored database from the object that was written last, from which most was erased', async () => {
    const { team } = await oneLead(['Oslo'])
    await moveLog(team)
    const [object] = await loadObjects(team)
    const toKey = (no: string) => `log/${team.id}/${object?.first}-${object?.last}-${no}`
    const bytes = await (await env.ARCHIVE.get(toKey(object?.no.toString(36) ?? '')))?.arrayBuffer()
    await env.ARCHIVE.delete(toKey(object?.no.toString(36) ?? ''))
    for (const no of ['b', 'a', 'c', 'aa']) {
      await env.ARCHIVE.put(toKey(no), bytes ?? '')
      await sleep(5)
    }
    await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'remove lost history'").run()
    await until(createLostObjectTask(env.ARCHIVE, () => openDatabase(env), Date.now() + 2 * DAY_MS))
    expect((await loadObjects(team))[0]?.no.toString(36)).toBe('aa')
  })

  it('stays where an erasure has written it, although the scan for lost objects asked for it before', async () => {
    const { team } = await oneLead(['Oslo'])
    await moveLog(team)
    const [object] = await loadObjects(team)
    const prefix = `log/${team.id}/${object?.first}-${object?.last}-`
    await env.ARCHIVE.put(`${prefix}left`, 'as it was before the erasure')
    const written = Number.parseInt('anew', 36)
    // The walk has read the row, and now an erasure is through.
    const ARCHIVE = bucketThrough(async ({ method, key }, act) => {
      if (method === 'head' && key.startsWith(prefix)) {
        await env.DB.prepare('UPDATE event_object SET no = ? WHERE team = ?').bind(written, team.no).run()
        await env.ARCHIVE.delete(`${prefix}${object?.no.toString(36)}`)
      }
      return act()
    })
    await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'remove lost history'").run()
    await until(createLostObjectTask(ARCHIVE, () => openDatabase(env), Date.now() + 2 * DAY_MS))
    expect((await loadObjects(team)).map(({ no }) => no)).toEqual([written])
    await env.ARCHIVE.delete(await objectKeys(team))
  })

  it('has any number of unnamed objects removed, a hundred a step', async () => {
    const { team } = await oneLead(['Oslo'])
    await moveLog(team)
    const [named] = await objectKeys(team)
    const [object] = await loadObjects(team)
    for (let nth = 0; nth < 130; nth++)
      await env.ARCHIVE.put(`log/${team.id}/${object?.first}-${object?.last}-z${nth}`, 'x')
    let calls = 0
    const ARCHIVE = bucketThrough(({ method }, act) => {
      if (method === 'head') calls += 1
      return act()
    })
    await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'remove lost history'").run()
    const task = createLostObjectTask(ARCHIVE, () => openDatabase(env), Date.now() + 2 * DAY_MS)
    for (let hasMore = true; hasMore; calls = 0) {
      hasMore = (await task.step()).hasMore
      expect(calls).toBeLessThanOrEqual(100)
    }
    expect(await objectKeys(team)).toEqual([named])
  })

  it('can be undone: an undo of a job finds its changes there', async () => {
    const team = await newLeadTeam()
    const ids: string[] = []
    for (let nth = 0; nth < 7; nth++)
      ids.push((await team.call('POST', LEADS, { data: { lead_id: `L${nth}`, city: 'Pune' } })).data.id)
    const jobs = []
    for (const city of ['Oslo', 'Goa'])
      jobs.push(
        (
          await bulk(
            team,
            'PATCH',
            ids.map(id => ({ id, update: { data: { city } } })),
          )
        ).data.id,
      )
    // Each process has another last event, in another object.
    for (const id of ids.slice(1)) await team.call('PUT', `${LEADS}/${id}`, { data: { score: 1 } })
    await team.call('PUT', `${LEADS}/${ids[0]}`, { data: { score: 2 } })
    await moveLog(team)
    const undo = async (job: string) => {
      const reply = await team.call('POST', `${JOBS}/${job}/undo`)
      expect(reply.errors).toEqual([])
      return waitForJob(team, reply.data.id)
    }
    const refused = await undo(jobs[1])
    expect(refused.meta.bjEntryCompletionStatusVsCount).toMatchObject({ ERROR: 7 })
    const other = await newTeam()
    await leadProcedure(other)
    const made = (await other.call('POST', LEADS, { data: { lead_id: 'A', city: 'Pune' } })).data.id
    const job = (await bulk(other, 'PATCH', [{ id: made, update: { data: { city: 'Oslo' } } }])).data.id
    await createLead(other, { lead_id: 'B' })
    await moveLog(other)
    const reply = await other.call('POST', `${JOBS}/${job}/undo`)
    expect((await waitForJob(other, reply.data.id)).meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 1 })
    expect((await get(other, `${LEADS}/${made}`)).data.data).toEqual({ lead_id: 'A', city: 'Pune' })
  })
})

it('a step of an undo reads moved history once, however many of its changes are expired', async () => {
  const { team } = await oneLead(['Oslo'])
  await moveLog(team)
  await env.DB.prepare('DELETE FROM event_object WHERE team = ?').bind(team.no).run()
  await env.DB.prepare('UPDATE event SET sequence = 1000 WHERE team = ?').bind(team.no).run()
  const searches = Array.from({ length: 50 }, (_, nth) => beginSearch(nth + 1, 'job', 1, nth + 1))
  const { statements } = await readOnce(team, searches)
  expect(searches.map(({ newest }) => newest)).toEqual(searches.map(() => 'not kept'))
  expect(statements).toBeLessThan(5)
})

it('an undo reads moved history first for its first entries, four objects at once', async () => {
  const { team, id } = await oneLead(['Oslo', 'Pune', 'Goa', 'Ulm', 'Rome', 'Bonn', 'Kiel', 'Jena'])
  await moveLog(team, 32)
  const searches = [1, 2, 3, 4, 5, 6, 7, 8].map(last => beginSearch(toRowNo(id), 'job', 1, last))
  const { opened } = await readOnce(team, searches)
  expect(opened).toBe(4)
  expect(searches.map(({ newest }) => typeof newest)).toEqual(
    searches.map((_, nth) => (nth < 4 ? 'object' : 'undefined')),
  )
})

async function readOnce(team: Team, searches: readonly ChangeSearch[]) {
  const cost = createCost()
  const scope = { db: openDatabase(env, cost), team: { ...team, eventFeedSince: null } }
  const moved = openMovedLog(env.ARCHIVE, scope)
  await readOn({ ...scope, moved } as unknown as Parameters<typeof readOn>[0], searches)
  return { statements: cost.statements, opened: moved.opened }
}

it('a page of a history ends before it opens too many objects, and the next one goes on', async () => {
  const team = await newLeadTeam()
  const customers: string[] = []
  for (const phone of [newNumber(), newNumber()])
    customers.push((await team.call('POST', LEADS, { record: { data: { phone } } })).data.record.id)
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' }, record: { id: customers[0] } })
  for (let nth = 0; nth < 22; nth++)
    await team.call('PUT', `${RECORD}/${customers[nth % 2]}`, { data: { visits: nth } })
  const { length: spread } = await loadLoggedEvents(team)
  for (let nth = 1; nth <= 25; nth++)
    await team.call('PUT', `${LEADS}/${data.id}`, { record: { id: customers[nth % 2] } })
  // What the customers have changed is in an object for each change; the process was given to and fro in one month.
  await env.DB.prepare('UPDATE event SET at = at - ?2 * max(0, ?3 - sequence) - ?4 WHERE team = ?1')
    .bind(team.no, 32 * DAY_MS, spread, 70 * DAY_MS)
    .run()
  const address = `${LEADS}/${data.id}/history`
  const before = await readPages(team, address, 100)
  expect(before.data?.length).toBeGreaterThan(25)
  await moveLogs()
  expect((await loadObjects(team)).length).toBeGreaterThan(22)
  expect(await readPages(team, address, 100)).toEqual(before)
  const scope = { db: openDatabase(env), now: Date.now(), team: { ...team, eventFeedSince: null } }
  const moved = openMovedLog(env.ARCHIVE, scope)
  const read = { ...scope, moved } as unknown as HistoryScope
  const target = { rid: toRowNo(data.id), id: data.id }
  const page = await withProcedure(read, 'lead', procedure => listHistory(read, procedure, target, { limit: 100 }))
  expect(moved.opened).toBeGreaterThan(190)
  expect(moved.opened).toBeLessThan(220)
  expect([page.entries.length < 25, page.next !== null, page.isComplete]).toEqual([true, true, true])
})

async function oneLead(cities: readonly string[]) {
  const team = await newLeadTeam()
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  for (const city of cities) await team.call('PUT', `${LEADS}/${data.id}`, { data: { city } })
  return { team, id: data.id as string }
}

describe('moving history', () => {
  it('loses nothing where any call fails, and is repeated later', async () => {
    for (const isAfter of [false, true])
      for (let nth = 1; ; nth++) {
        const { team, id } = await oneLead(['Oslo', 'Pune'])
        const before = (await get(team, `${LEADS}/${id}/history`)).data
        await ageLog(team)
        const aged = (await get(team, `${LEADS}/${id}/history`)).data
        expect(aged).toHaveLength(before.length)
        const calls = breakCall(nth, isAfter)
        const DB = databaseThrough(calls.around)
        const ARCHIVE = bucketThrough((_, act) => calls.around(act))
        await moveLogs({ ARCHIVE }, openDatabase({ ...env, DB })).catch(() => undefined)
        expect((await get(team, `${LEADS}/${id}/history`)).data).toEqual(aged)
        await moveLogs()
        expect(await rowsLeft(team)).toBe(1)
        expect((await get(team, `${LEADS}/${id}/history`)).data).toEqual(aged)
        if (!calls.hasFailed()) break
      }
  })

  it('leaves objects behind where it broke off, which are removed; objects with a row stay', async () => {
    const { team, id } = await oneLead(['Oslo', 'Pune'])
    await moveLog(team)
    const [first] = await loadObjects(team)
    const lost = `log/${team.id}/${first?.first}-${first?.last}-abc`
    await env.ARCHIVE.put(lost, 'x')
    await env.ARCHIVE.put(`log/${crypto.randomUUID()}/1-5-abc`, 'x')
    const runTaskAt = async (now: number) => {
      await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'remove lost history'").run()
      await until(createLostObjectTask(env.ARCHIVE, () => openDatabase(env), now))
    }
    await runTaskAt(Date.now() + DAY_MS / 2)
    expect(await objectKeys(team)).toContain(lost)
    await runTaskAt(Date.now() + 2 * DAY_MS)
    expect(await objectKeys(team)).toHaveLength((await loadObjects(team)).length)
    expect(await objectKeys(team)).not.toContain(lost)
    expect((await get(team, `${LEADS}/${id}/history`)).data).toHaveLength(3)
  })

  it('takes a month that is over, or as much as an object holds; a step looks at some teams only', async () => {
    const teams: Team[] = []
    for (let nth = 0; nth < 25; nth++) teams.push(await newTeam())
    const insert = env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
        INSERT INTO event SELECT ?1, i, 1, ?2, 'process.created', NULL, jsonb('{}'), jsonb_object('1', ?3), NULL FROM n`,
    )
    const day = (at: number) => Date.UTC(2031, 4, at)
    const [busy, long] = teams.slice(-2)
    const countRows = (team: Team) => (team === busy ? 5_002 : 3)
    for (const team of teams)
      await insert
        .bind(team.no, day(2), team === long ? 'x'.repeat(1_400_000) : 'x', team === long ? 5 : countRows(team))
        .run()
    const stepsAt = async (now: number) => {
      await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'move history'").run()
      const cost = createCost()
      const db = openDatabase(env, cost)
      const task = createMoveTask({
        bucket: env.ARCHIVE,
        db: () => db.reconnect(),
        now,
        recentMs: 35 * DAY_MS,
      })
      for (let before = 0, hasMore = true; hasMore; before = cost.statements) {
        ;({ hasMore } = await task.step())
        expect(cost.statements - before).toBeLessThan(25)
      }
    }
    const moved = async () => {
      const counts = await Promise.all(
        teams.map(async team => (await loadObjects(team)).map(({ first, last }) => [first, last])),
      )
      return [counts.slice(0, -2).flat(), ...counts.slice(-2)]
    }
    // The tenth is older than that, and its month is not.
    await stepsAt(day(10) + 35 * DAY_MS)
    expect(await moved()).toEqual([[], [[1, 5_000]], [[1, 3]]])
    await stepsAt(day(32) + 35 * DAY_MS)
    expect(await moved()).toEqual([
      Array.from({ length: 23 }, () => [1, 2]),
      [
        [1, 5_000],
        [5_001, 5_001],
      ],
      [
        [1, 3],
        [4, 4],
      ],
    ])
  })

  it('does nothing where the log was changed since it was read', async () => {
    const { team } = await oneLead(['Oslo', 'Pune'])
    await ageLog(team)
    const changes = [
      // A step of an erasure that changes rows does this.
      "DELETE FROM maintenance_position WHERE task = 'read log' AND team = ?",
      'UPDATE team SET last_erasure_at = ifnull(last_erasure_at, 0) + 1 WHERE no = ?',
      "UPDATE event SET after = jsonb('{}') WHERE team = ? AND sequence = 1",
      'DELETE FROM event WHERE team = ? AND sequence = 1',
    ]
    for (const change of changes) {
      const ARCHIVE = bucketThrough(async (_, act) => {
        await env.DB.prepare(change).bind(team.no).run()
        return act()
      })
      await moveLogs({ ARCHIVE })
      expect(await loadObjects(team)).toEqual([])
    }
  })
})

describe('an erasure of moved history', () => {
  async function withPerson(daysBetween?: number) {
    const team = await personalTeam()
    const [first, second, others] = [somePerson(), somePerson(), somePerson()]
    const made = await createLead(team, { lead_id: 'A', city: 'Pune', ...first })
    const other = await createLead(team, { lead_id: 'B', city: 'Pune', ...others })
    const at = `${LEADS}/${made.id}`
    await team.call('PUT', at, { data: { ...second, phone_number: first.phone_number, city: 'Oslo' } })
    await bulk(
      team,
      'PATCH',
      [made, other].map(({ id }, nth) => ({ id, update: { data: { name: somePerson().name, score: nth } } })),
    )
    await team.call('PUT', `${LEADS}/${other.id}`, { data: { city: 'Ulm' } })
    await team.call('PUT', at, { data: { city: 'Rome', address: null } })
    await createLead(team, { lead_id: 'C' }, { record: null })
    await moveLog(team, daysBetween)
    expect((await loadObjects(team)).length).toBeGreaterThan(1)
    return { team, made, other, at, first, second, others }
  }

  it('empties moved events, and nothing of others, if a customer is erased everywhere', async () => {
    const { team, made, other, at, first, second } = await withPerson()
    const theirs = (await get(team, `${LEADS}/${other.id}/history`)).data
    const objects = await objectKeys(team)
    await eraseEverywhere(team, made.record.id)
    await untilErased(team, made.record.id)
    await expectNothingLeft(first, second)
    expect((await get(team, `${LEADS}/${other.id}/history`)).data).toEqual(theirs)
    const history = await get(team, `${at}/history?limit=50`)
    expect(history.data.map(({ version }: { version: number }) => version)).toEqual([5, 4, 3, 2, 1])
    expect(history.data[1].changes).toEqual([{ field: 'data.city', from: 'Oslo', to: 'Rome' }])
    expect((await get(team, `${at}?asOf=2`)).data.data).toEqual({ lead_id: 'A', city: 'Oslo' })
    // No object was written twice, and the replaced ones are gone.
    const after = await objectKeys(team)
    expect(after).toHaveLength(objects.length)
    expect(after.filter(key => !objects.includes(key)).length).toBeGreaterThan(0)
  })

  it("removes the customer's events, also where they are in objects only, if a customer is erased alone", async () => {
    const team = await newLeadTeam()
    const phone = newNumber()
    const [name, former] = [`Asha ${crypto.randomUUID()}`, `Rao ${crypto.randomUUID()}`]
    const made = await createLead(team, { lead_id: 'A' }, { record: { data: { phone, name: former } } })
    await team.call('PUT', `${RECORD}/${made.record.id}`, { data: { name } })
    await createLead(team, { lead_id: 'B' }, { record: null })
    await moveLog(team)
    const erased = await team.call('DELETE', `${RECORD}/${made.record.id}`)
    expect(erased.status).toBe(202)
    const harness = new Harness()
    for (let round = 0; round < 9; round++) await harness.runCron()
    await expectNothingLeft({ name, former })
    expect((await get(team, `${LEADS}/${made.id}/history`)).status).toBe(200)
  })

  it.each(['live', 'from the trash'])('empties the events of a process that is purged, %s', async how => {
    const { team, made, other, at, first, second } = await withPerson()
    const theirs = (await get(team, `${LEADS}/${other.id}/history`)).data
    if (how !== 'live') await team.call('DELETE', at)
    const harness = new Harness()
    for (let round = 0; round < 12; round++) {
      const { status } = await team.call('DELETE', `${at}?purge=true`)
      if (status === 404) break
      expect(status).toBe(202)
      await harness.runCron()
    }
    expect((await team.call('DELETE', `${at}?purge=true`)).status).toBe(404)
    await expectNothingLeft([first.address, second.address, ...second.tags])
    expect((await get(team, `${LEADS}/${other.id}/history`)).data).toEqual(theirs)
    expect(made.id).not.toBe(other.id)
  })

  it('is not stopped by a missing object, and reaches those before it', async () => {
    const { team, made, first, second } = await withPerson(14)
    const objects = await loadObjects(team)
    expect(objects.length).toBeGreaterThan(2)
    const middle = objects.at(-2)
    await env.ARCHIVE.delete(`log/${team.id}/${middle?.first}-${middle?.last}-${middle?.no.toString(36)}`)
    await eraseEverywhere(team, made.record.id)
    await untilErased(team, made.record.id)
    await expectNothingLeft(first, second)
  })

  it('continues where R2 failed at any call, and shows nothing meanwhile that it has erased', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    for (let nth = 1; nth <= 5; nth++) {
      const { team, made, at, first, second } = await withPerson()
      let calls = 0
      const harness = new Harness({}, { bucket: failBucketCalls(() => calls++ % 6 === nth) })
      await harness.request(team, 'DELETE', `${RECORD}/${made.record.id}?everywhere=true`)
      const shown = await get(team, at)
      expect(JSON.stringify(shown.data)).not.toContain(second.address)
      await untilErased(team, made.record.id, harness)
      // Some objects could not be removed at once.
      await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'remove lost history'").run()
      await until(createLostObjectTask(env.ARCHIVE, () => openDatabase(env), Date.now() + 2 * DAY_MS))
      await expectNothingLeft(first, second)
    }
  })
})

it('an export has every event once, whatever moves meanwhile', async () => {
  const { team } = await oneLead(['Oslo', 'Pune', 'Goa', 'Ulm', 'Rome'])
  const whole = (await exportLines(team.id)).filter(line => line.startsWith('{"table":"event"'))
  await ageLog(team)
  const aged = (await exportLines(team.id)).filter(line => line.startsWith('{"table":"event"'))
  expect(aged).toHaveLength(whole.length)
  const cursors = ['event_object', 'event', ...[1, 3, 5].map(last => `event [${last}]`)]
  await moveLogs()
  for (const cursor of cursors) {
    const text = await (await operate('GET', `/team/${team.id}/rows?after=${encodeURIComponent(cursor)}`)).text()
    const lines = text.split('\n').filter(line => line.startsWith('{"table":"event"'))
    const after = Number(/\[(\d+)\]/.exec(cursor)?.[1] ?? 0)
    // The rows come from the database, where the objects were exported before these were moved.
    if (cursor !== 'event_object') expect(lines).toEqual(aged.slice(after))
    else expect(lines).toEqual(aged.slice(-1))
  }
  const all = await exportLines(team.id)
  const objects = all.filter(line => line.startsWith('{"table":"event_object"')).map(line => JSON.parse(line).row)
  expect(objects.map(({ first, last }) => [first, last])).toEqual(
    (await loadObjects(team)).map(({ first, last }) => [first, last]),
  )
  const foreign = JSON.stringify({ table: 'event_object', row: { ...objects[0], team: team.no + 1 } })
  expect((await operateJson('POST', `/rows?team=${team.no}`, foreign)).status).toBe(400)
})

it('an import that is repeated inserts no row again that has moved since', async () => {
  const { team, id } = await oneLead(['Oslo', 'Pune'])
  await ageLog(team)
  const before = (await get(team, `${LEADS}/${id}/history`)).data
  const rows = (await exportLines(team.id)).filter(line => line.startsWith('{"table":"event"'))
  await moveLogs()
  expect(await rowsLeft(team)).toBe(1)
  expect((await operate('POST', `/rows?team=${team.no}`, rows.join('\n'))).status).toBe(200)
  expect(await rowsLeft(team)).toBe(1)
  expect((await get(team, `${LEADS}/${id}/history`)).data).toEqual(before)
})

it('an import that is repeated leaves the rows of objects as an expiry, an erasure or a lost object has made them', async () => {
  const { team } = await oneLead(['Oslo', 'Pune'])
  await ageLog(team)
  await moveLogs()
  const rows = (await exportLines(team.id)).filter(line => line.startsWith('{"table":"event_object"'))
  await env.DB.prepare(
    'UPDATE event_object SET kept_from = kept_from + 1, no = no + 1, bytes = bytes + 1 WHERE team = ?',
  )
    .bind(team.no)
    .run()
  const before = await loadObjects(team)
  expect((await operate('POST', `/rows?team=${team.no}`, rows.join('\n'))).status).toBe(200)
  expect(await loadObjects(team)).toEqual(before)
})

it('moved history expires as rows do: older events are not shown, and whole objects are removed', async () => {
  const { team, id } = await oneLead(['Oslo', 'Pune', 'Goa', 'Ulm', 'Rome', 'Bonn', 'Kiel', 'Jena'])
  await ageLog(team)
  const events = await loadLoggedEvents(team)
  await moveLogs()
  const objects = await loadObjects(team)
  // Whatever day it is, one month has more than two of them: the second one is the last that expires.
  const expired = (objects.find(({ first, last }) => last > first + 1)?.first ?? 0) + 1
  const cutoff = (events[expired - 1]?.at ?? 0) + 1
  await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'expire events'").run()
  const now = Date.now()
  await until(createEventExpiryTask({ bucket: env.ARCHIVE, db: () => openDatabase(env), now }, now - cutoff))
  const history = await get(team, `${LEADS}/${id}/history`)
  expect([history.data.length, history.meta.isComplete]).toEqual([events.length - expired, false])
  expect((await get(team, `${LEADS}/${id}?asOf=${expired - 1}`)).status).toBe(410)
  const left = await loadObjects(team)
  expect(left).toEqual(objects.filter(({ last }) => last > expired))
  expect(await objectKeys(team)).toHaveLength(left.length)
})
