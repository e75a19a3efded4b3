import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { HOUR_MS } from '../../../src/time-units.ts'
import { newTeam, type Team } from '../../support/api.ts'
import { loadDueEvents, loadSequences, switchOnFeed } from '../../support/due.ts'
import { eventually } from '../../support/eventually.ts'
import { Harness } from '../../support/harness.ts'
import { waitForJob } from '../../support/jobs.ts'
import { newProcedure, type Processes } from '../../support/procedures.ts'

// The objects are those of the runtime here, with their alarms. `test/far/due.test.ts` has virtual time.

async function newDueTeam(): Promise<Processes & { team: Team }> {
  const team = await newTeam()
  await switchOnFeed(team)
  return { team, ...(await newProcedure(team, { primaryKey: null })) }
}

const getObject = ({ no }: Team) => env.DUE_ACTIONS.get(env.DUE_ACTIONS.idFromName(String(no)))
const readAlarm = (team: Team) => runInDurableObject(getObject(team), (_, { storage }) => storage.getAlarm())

const isTold = (team: Team, count: number) =>
  eventually(async () => expect(await loadDueEvents(team)).toHaveLength(count))

/** Processes that nobody told of, as an import makes them: put into the table. */
async function putTimes(team: Team, times: readonly number[]): Promise<void> {
  const rows = times.map((at, nth) => [-(team.no * 1_000_000 + nth), `put-${nth}`, at])
  await env.DB.prepare(
    `INSERT INTO process (rid, id, proc, team, status, state, next_action_at, updated_at, data)
      SELECT value ->> 0, value ->> 1, no, team, 3, 'NEW', value ->> 2, 0, jsonb('{}')
      FROM json_each(?1), procedure WHERE team = ?2`,
  )
    .bind(JSON.stringify(rows), team.no)
    .run()
}

describe('a next action that is due', () => {
  it('is notified once, when its time comes', async () => {
    const { team, create } = await newDueTeam()
    const nextActionAt = Date.now() + 1_200
    const { data } = await create({ nextActionAt })
    expect(await loadDueEvents(team)).toEqual([])
    await isTold(team, 1)
    const [told] = await loadDueEvents(team)
    expect(told).toMatchObject({ id: data.id, version: 1, nextActionAt })
    expect(told?.at).toBeGreaterThanOrEqual(nextActionAt)
    expect(await loadSequences(team)).toEqual([1, 2])
    expect(await runDurableObjectAlarm(getObject(team))).toBe(false)
  })

  it('is notified at once where its time is past, and leaves the process as it is', async () => {
    const { team, create, fetch } = await newDueTeam()
    const nextActionAt = Date.now() - HOUR_MS
    const { data, headers } = await create({ nextActionAt })
    expect(await loadDueEvents(team)).toMatchObject([{ id: data.id, nextActionAt }])
    const read = await fetch(data.id)
    expect(read.data).toEqual(data)
    expect(read.headers.get('etag')).toBe(headers.get('etag'))
  })

  it('is notified once however often an alarm rings, and for two at the same time', async () => {
    const { team } = await newDueTeam()
    await putTimes(
      team,
      Array.from({ length: 700 }, () => Date.now() - 60_000),
    )
    await getObject(team).schedule(team.no, [Date.now() + HOUR_MS])
    const others = Array.from({ length: 3 }, (_, nth) =>
      env.DUE_ACTIONS.get(env.DUE_ACTIONS.idFromName(`other ${nth}`)),
    )
    for (const other of others) await other.schedule(team.no, [Date.now() + HOUR_MS])
    await Promise.all([
      ...others.map(other => runDurableObjectAlarm(other)),
      runInDurableObject(getObject(team), object => Promise.all([object.alarm(), object.alarm()])),
    ])
    const told = await loadDueEvents(team)
    expect(new Set(told.map(({ id }) => id)).size).toBe(700)
    expect(told).toHaveLength(700)
    expect(await loadSequences(team)).toEqual(Array.from({ length: 700 }, (_, nth) => nth + 1))
  })

  it('is notified by the cron where the alarm was lost', async () => {
    const { team, create } = await newDueTeam()
    await create({ nextActionAt: Date.now() + HOUR_MS })
    await runInDurableObject(getObject(team), (_, { storage }) => storage.deleteAll())
    await runInDurableObject(getObject(team), (_, { storage }) => storage.deleteAlarm())
    await putTimes(team, [Date.now() - 30_000])
    await new Harness().runCron()
    await isTold(team, 1)
    // From then on the object has its schedule again.
    await eventually(async () => expect(await readAlarm(team)).toBeGreaterThan(Date.now() + HOUR_MS / 2))
  })

  it('is notified by the cron where the object expects its alarm still to ring', async () => {
    const { team, create } = await newDueTeam()
    const far = Date.now() + HOUR_MS
    await create({ nextActionAt: far })
    await runInDurableObject(getObject(team), (_, { storage }) => storage.deleteAlarm())
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => far + 30_000)
    await new Harness().runCron()
    clock.mockRestore()
    await eventually(async () => expect(await readAlarm(team)).not.toBeNull())
  })

  it('sets an alarm for the first of 800 times of a step, in one call', async () => {
    const { team, path } = await newDueTeam()
    const first = Date.now() + HOUR_MS
    const processes = Array.from({ length: 800 }, (_, nth) => ({ nextActionAt: first + ((nth * 7) % 800) * 1_000 }))
    const harness = new Harness()
    const accepted = await harness.request(team, 'POST', `${path}/bulk-create`, { processes })
    expect(accepted.status).toBe(202)
    await harness.settle(team)
    expect(await readAlarm(team)).toBe(Math.ceil(first / 1_000) * 1_000)
  })

  it('is notified for entries of a job whose time is past, in one row and in the transaction of the step', async () => {
    const { team, path, create } = await newDueTeam()
    const nextActionAt = Date.now() - HOUR_MS
    const ids = []
    for (let nth = 0; nth < 5; nth++) ids.push((await create()).data.id as string)
    const processes = ids.map(id => ({ id, update: { nextActionAt } }))
    await waitForJob(team, (await team.call('PATCH', path, { processes })).data.id)
    const told = await loadDueEvents(team)
    expect(told.map(({ id }) => id).sort()).toEqual([...ids].sort())
    const rows = env.DB.prepare(`SELECT count(*) AS n FROM event WHERE team = ? AND type = 'process.next_action_due'`)
    expect(await rows.bind(team.no).first()).toEqual({ n: 1 })
    const made = Array.from({ length: 3 }, () => ({ nextActionAt }))
    await waitForJob(team, (await team.call('POST', `${path}/bulk-create`, made)).data.id)
    expect(await loadDueEvents(team)).toHaveLength(8)
  })
})
