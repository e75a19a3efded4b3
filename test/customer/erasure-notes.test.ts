import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { createCost } from '../../src/db/cost.ts'
import { openDatabase } from '../../src/db/databases.ts'
import { listErasureNotes } from '../../src/erasure-sweep/note.ts'
import { replayErasures } from '../../src/maintenance/replay-erasures.ts'
import { readProgress, selectReplayed } from '../../src/maintenance/replayed.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { request, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { LEADS, newLeadTeam } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

// Each erasure is noted outside of the database, so that a restore can erase again: see test/far/restore.alone.test.ts.

afterEach(() => void vi.useRealTimers())

async function teamWithCustomer() {
  const team = await newLeadTeam()
  const { data } = await team.call('POST', LEADS, { record: { data: { name: 'Asha', phone: newNumber() } } })
  return { team, process: `${LEADS}/${data.id}`, id: data.id as string, record: data.record.id as string }
}

async function loadNotes({ no }: Team) {
  const { notes } = await listErasureNotes(env.ARCHIVE, null)
  return notes.filter(({ team }) => team === no).map(({ what, ids }) => [what, ids])
}

it('an erasure is noted by ids alone, and one that is refused is not', async () => {
  const { team, process, id, record } = await teamWithCustomer()
  const erase = (path: string, headers = {}) => team.call('DELETE', path, undefined, headers)
  expect((await erase(`/v1/ext/record/${record}`, { 'if-match': '"7"' })).status).toBe(412)
  expect((await erase(`${LEADS}/${crypto.randomUUID()}?purge=true`)).status).toBe(404)
  expect(await loadNotes(team)).toEqual([])
  expect((await erase(`/v1/ext/record/${record}?everywhere=true`)).data.everywhere).toBe(true)
  expect((await erase(`${process}?purge=true`)).status).toBe(202)
  expect(await loadNotes(team)).toEqual([
    ['customer everywhere', [record]],
    ['process', [id]],
  ])
})

it('an erasure that cannot be noted is refused, and changes nothing', async () => {
  const { team, record } = await teamWithCustomer()
  const ARCHIVE = { put: () => Promise.reject(new Error('R2 is down')) }
  const path = `/v1/ext/record/${record}`
  const headers = { authorization: `Bearer ${team.token}` }
  const refused = await request('DELETE', path, { headers }, { ...env, ARCHIVE } as unknown as Env)
  expect([refused.status, refused.meta.errors[0].code]).toEqual([503, 'storage_unavailable'])
  expect((await team.call('GET', path)).status).toBe(200)
})

it('notes are removed once no restore can go back to before them', async () => {
  const { team, record } = await teamWithCustomer()
  await team.call('DELETE', `/v1/ext/record/${record}`)
  const harness = new Harness()
  await harness.runCron(Date.now() + 29 * DAY_MS)
  expect(await loadNotes(team)).toHaveLength(1)
  await harness.runCron(Date.now() + 32 * DAY_MS)
  expect(await loadNotes(team)).toEqual([])
})

it('a note that cannot be followed delays no other, is named, and is tried again by each run', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const [poisoned, other] = [await teamWithCustomer(), await teamWithCustomer()]
  const putNote = (key: string, note: string) =>
    env.ARCHIVE.put(`erasures/2026-01-01T00:00:00.000Z/${key}`, null, { customMetadata: { note } })
  const getNote = ({ team, record }: typeof other) =>
    JSON.stringify({ team: team.no, user: { id: 'x' }, origin: { job: 'x' }, what: 'customer', ids: [record] })
  await putNote('1', getNote(poisoned))
  await putNote('2', '{"team":')
  await putNote('3', getNote(other))
  const { no } = poisoned.team
  await env.DB.prepare(
    `CREATE TRIGGER poison BEFORE DELETE ON record WHEN old.team = ${no} BEGIN SELECT RAISE(ABORT, 'poison'); END`,
  ).run()
  await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'erase again'").run()
  const db = () => openDatabase(env)
  const replay = () => replayErasures({ env, db, cost: createCost(), now: Date.now(), statementsMax: 400 })
  const readState = async () => {
    const [[stored]] = await db().read(selectReplayed())
    return readProgress(stored?.value)
  }
  const loadStatus = async ({ team, record }: typeof other) =>
    (await team.call('GET', `/v1/ext/record/${record}`)).status
  const unreadable = 'erasures/2026-01-01T00:00:00.000Z/2'
  try {
    expect(await replay()).toEqual({ erasedAgain: 1, notErased: 2 })
    expect([await loadStatus(poisoned), await loadStatus(other)]).toEqual([200, 404])
    for (let run = 1; run <= 3; run++) {
      expect(await replay()).toEqual({ erasedAgain: 0, notErased: 2 })
      const { isDone, failed, failedRuns, erasedAgain } = await readState()
      expect([isDone, failedRuns, erasedAgain, failed.map(({ id }) => id)]).toEqual([
        ...[false, run, 1],
        [unreadable, poisoned.record],
      ])
      expect(failed[1]).toMatchObject({ team: no, what: 'customer', cause: expect.stringContaining('poison') })
    }
  } finally {
    await env.DB.prepare('DROP TRIGGER poison').run()
  }
  await env.ARCHIVE.delete(unreadable)
  expect(await replay()).toEqual({ erasedAgain: 1, notErased: 0 })
  expect(await loadStatus(poisoned)).toBe(404)
  await replay()
  expect((await readState()).isDone).toBe(true)
})

it('more notes than a run has statements for are gone through by several runs, also with one that fails', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const [first, last] = [await teamWithCustomer(), await teamWithCustomer()]
  const putNote = (key: string, team: Team, id: string) =>
    env.ARCHIVE.put(`erasures/2026-01-01T00:00:00.000Z/${key}`, null, {
      customMetadata: {
        note: JSON.stringify({ team: team.no, user: { id: 'x' }, origin: { job: 'x' }, what: 'customer', ids: [id] }),
      },
    })
  await putNote('0', first.team, first.record)
  for (let at = 1000; at < 2600; at += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, nth) => putNote(`1/${at + nth}`, first.team, crypto.randomUUID())),
    )
  await putNote('2', last.team, last.record)
  await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'erase again'").run()
  const { no } = first.team
  await env.DB.prepare(
    `CREATE TRIGGER poison BEFORE DELETE ON record WHEN old.team = ${no} BEGIN SELECT RAISE(ABORT, 'poison'); END`,
  ).run()
  const db = () => openDatabase(env)
  // One or two pages a run, as 400 statements are for 195,000 notes.
  const replay = async () => {
    const cost = createCost()
    await replayErasures({ env, db: () => openDatabase(env, cost), cost, now: Date.now(), statementsMax: 4 })
    const [[stored]] = await db().read(selectReplayed())
    return readProgress(stored?.value)
  }
  const loadStatus = async ({ team, record }: typeof last) =>
    (await team.call('GET', `/v1/ext/record/${record}`)).status
  try {
    for (let run = 0; run < 100 && (await loadStatus(last)) !== 404; run++) await replay()
    expect([await loadStatus(first), await loadStatus(last)]).toEqual([200, 404])
    let progress = await replay()
    for (let run = 0; run < 100 && progress.failedRuns < 2; run++) progress = await replay()
    expect([progress.isDone, progress.failed.map(({ id }) => id)]).toEqual([false, [first.record]])
    expect(progress.failedRuns).toBe(2)
  } finally {
    await env.DB.prepare('DROP TRIGGER poison').run()
  }
  let { isDone } = await replay()
  for (let run = 0; run < 100 && !isDone; run++) ({ isDone } = await replay())
  expect([isDone, await loadStatus(first)]).toEqual([true, 404])
})
