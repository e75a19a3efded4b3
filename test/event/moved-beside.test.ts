import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createCost } from '../../src/db/cost.ts'
import { openDatabase } from '../../src/db/databases.ts'
import { createEventExpiryTask } from '../../src/event/expire.ts'
import { createLostObjectTask } from '../../src/event/object/lost.ts'
import { toRowNo } from '../../src/ids.ts'
import { loadProcedures } from '../../src/procedure/personal.ts'
import { decideRestores } from '../../src/process/bulk/restore.ts'
import { prefetchFor } from '../../src/process/bulk/update.ts'
import type { UpdatePlan } from '../../src/process/bulk/update-rules.ts'
import { createTeamScope } from '../../src/scope.ts'
import { DAY_MS, HOUR_MS } from '../../src/time-units.ts'
import type { Team } from '../support/api.ts'
import { breakCall, databaseThrough, requestWith } from '../support/broken-bindings.ts'
import { createLead, expectNothingLeft, personalTeam, RECORD, somePerson, untilErased } from '../support/erasing.ts'
import { Harness } from '../support/harness.ts'
import { LEADS, newLeadTeam } from '../support/jobs.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'
import { ageLog, loadObjects, moveLog, moveLogs, objectKeys, rowsLeft } from '../support/moved-log.ts'
import { operate } from '../support/operator.ts'

// The log moves to objects, expires there and is read there while erasures, exports and jobs go on beside it.

beforeEach(() => void vi.restoreAllMocks())

const forget = (task: string) => env.DB.prepare('DELETE FROM maintenance_position WHERE task = ?').bind(task).run()

const until = async (task: { step: () => Promise<{ hasMore: boolean }> }) => {
  while ((await task.step()).hasMore);
}

async function oneLead(cities: readonly string[]) {
  const team = await newLeadTeam()
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  for (const city of cities) await team.call('PUT', `${LEADS}/${data.id}`, { data: { city } })
  return { team, id: data.id as string, path: `${LEADS}/${data.id}` }
}

const authorize = (team: Team) => ({ authorization: `Bearer ${team.token}` })

describe('moving a log beside an erasure', () => {
  async function withPerson() {
    const team = await personalTeam()
    const [first, second] = [somePerson(), somePerson()]
    const made = await createLead(team, { lead_id: 'A', city: 'Pune', ...first })
    const path = `${LEADS}/${made.id}`
    await team.call('PUT', path, { data: { ...second, phone_number: first.phone_number, city: 'Oslo' } })
    await team.call('PUT', path, { data: { city: 'Rome', address: null } })
    await createLead(team, { lead_id: 'B' }, { record: null })
    await ageLog(team)
    const record = made.record.id as string
    return { team, record, path, persons: [first, second] }
  }
  const WAYS = {
    everywhere: ({ record }: { record: string }) => `${RECORD}/${record}?everywhere=true`,
    purge: ({ path }: { path: string }) => `${path}?purge=true`,
  }
  async function untilGone({ team, record, path }: { team: Team; record: string; path: string }, way: string) {
    if (way === 'everywhere') return untilErased(team, record)
    const harness = new Harness()
    for (let round = 0; round < 12 && (await team.call('DELETE', `${path}?purge=true`)).status !== 404; round++)
      await harness.runCron()
    await harness.runCron()
  }
  const personal = (way: string, persons: ReturnType<typeof somePerson>[]) =>
    way === 'everywhere' ? persons : persons.flatMap(({ address, tags }) => [address, ...tags])

  it('goes on in a team whose erasure is only listed', async () => {
    const { team, path } = await oneLead(['Oslo', 'Pune'])
    await ageLog(team)
    await env.DB.prepare("INSERT INTO erasure_sweep (id, team, at, names, last_job) VALUES ('s' || ?1, ?1, 0, '[]', 0)")
      .bind(team.no)
      .run()
    await moveLogs()
    await env.DB.prepare('DELETE FROM erasure_sweep WHERE team = ?').bind(team.no).run()
    expect(await rowsLeft(team)).toBe(1)
    expect((await loadObjects(team)).length).toBeGreaterThan(0)
    expect((await team.call('GET', `${path}/history`)).data).toHaveLength(3)
  })

  it.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('loses no change of the erasure at any moment: %s', async way => {
    for (let nth = 1; ; nth++) {
      const person = await withPerson()
      let trips = 0
      const DB = databaseThrough(async call => {
        if (++trips === nth) await moveLogs()
        return call()
      })
      const init = { method: 'DELETE', headers: authorize(person.team) }
      expect((await requestWith({ DB }, WAYS[way](person), init)).status).toBeLessThan(300)
      await untilGone(person, way)
      await moveLogs()
      await expectNothingLeft(personal(way, person.persons))
      if (trips < nth) break
    }
  })

  it.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
    'discards what it has read where an erasure ends meanwhile: %s',
    async way => {
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      vi.spyOn(console, 'error').mockImplementation(() => {})
      for (let nth = 1; ; nth++) {
        const person = await withPerson()
        // The request ends here; tasks do the rest, while rows are between the database and the object.
        let trips = 0
        const DB = databaseThrough(call => (++trips >= nth ? Promise.reject(new Error('it is down')) : call()))
        const { status } = await requestWith({ DB }, WAYS[way](person), {
          method: 'DELETE',
          headers: authorize(person.team),
        })
        let isErased = false
        const ARCHIVE = {
          async put(key: string, bytes: Uint8Array) {
            if (!isErased && key.includes(person.team.id)) {
              isErased = true
              const asked = await person.team.call('DELETE', WAYS[way](person))
              expect([202, 200, 404]).toContain(asked.status)
              await untilGone(person, way)
            }
            return env.ARCHIVE.put(key, bytes)
          },
        } as unknown as R2Bucket
        await moveLogs({ ARCHIVE })
        expect(isErased).toBe(true)
        await moveLogs()
        expect((await loadObjects(person.team)).length).toBeGreaterThan(0)
        // The object that was written and is not named is removed, as after any move that broke off.
        await forget('remove lost history')
        await until(createLostObjectTask(env.ARCHIVE, () => openDatabase(env), Date.now() + 2 * DAY_MS))
        await expectNothingLeft(personal(way, person.persons))
        if (status < 300 && trips < nth) break
      }
    },
  )

  it('passes over the team for an hour where an erasure changes rows at that moment, and no other team', async () => {
    const [busy, other] = [await oneLead(['Oslo', 'Pune']), await oneLead(['Oslo'])]
    for (const { team } of [busy, other]) await ageLog(team)
    const ARCHIVE = {
      async put(key: string, bytes: Uint8Array) {
        if (key.includes(busy.team.id))
          await env.DB.prepare('UPDATE team SET last_erasure_at = ifnull(last_erasure_at, 0) + 1 WHERE no = ?')
            .bind(busy.team.no)
            .run()
        return env.ARCHIVE.put(key, bytes)
      },
    } as unknown as R2Bucket
    await moveLogs({ ARCHIVE })
    expect([await loadObjects(busy.team), await rowsLeft(other.team)]).toEqual([[], 1])
    const rest = await env.DB.prepare("SELECT rest_until FROM maintenance_position WHERE task = 'move history'").first<{
      rest_until: number
    }>()
    expect(rest?.rest_until).toBeLessThan(Date.now() + 2 * HOUR_MS)
    await moveLogs()
    expect(await rowsLeft(busy.team)).toBe(1)
  })
})

describe('the expiry of moved history', () => {
  it('leaves no row that names a removed object, wherever it breaks off', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    for (const isAfter of [false, true])
      for (let nth = 1; ; nth++) {
        const { team, path } = await oneLead(['Oslo', 'Pune', 'Goa', 'Ulm', 'Rome'])
        await ageLog(team, 32)
        // Nothing has cached the objects.
        const events = await loadLoggedEvents(team)
        await moveLogs()
        const calls = breakCall(nth, isAfter)
        const now = Date.now()
        const age = now - ((events[3]?.at ?? 0) + 1)
        const bucket = {
          delete: (keys: string[]) => calls.around(() => env.ARCHIVE.delete(keys)),
        } as unknown as R2Bucket
        const DB = databaseThrough(calls.around)
        const expire = async (bindings: { bucket: R2Bucket; DB: D1Database }) => {
          const db = () => openDatabase({ ...env, DB: bindings.DB })
          await until(createEventExpiryTask({ bucket: bindings.bucket, db, now }, age))
        }
        await forget('expire events')
        await expire({ bucket, DB }).catch(() => undefined)
        const told = await team.call('GET', `${path}/history`)
        expect([nth, isAfter, told.status, told.data.length > 1]).toEqual([nth, isAfter, 200, true])
        expect([200, 410]).toContain((await team.call('GET', `${path}?asOf=1`)).status)
        await forget('expire events')
        await expire({ bucket: env.ARCHIVE, DB: env.DB })
        await forget('remove lost history')
        await until(createLostObjectTask(env.ARCHIVE, () => openDatabase(env), now + 2 * DAY_MS))
        const left = await loadObjects(team)
        expect(left.length).toBeGreaterThan(0)
        expect(await objectKeys(team)).toHaveLength(left.length)
        if (!calls.hasFailed()) break
      }
  })

  it('ends a history whose object was about to be read, and an export goes on behind it', async () => {
    const { team, path } = await oneLead(['Oslo', 'Pune', 'Goa', 'Ulm', 'Rome'])
    await moveLog(team, 32)
    const [first] = await loadObjects(team)
    const key = `log/${team.id}/${first?.first}-${first?.last}-${first?.no.toString(36)}`
    // The change comes between the database's response and the call of R2.
    const ARCHIVE = new Proxy(env.ARCHIVE, {
      get: (bucket, name) => {
        const method: unknown = Reflect.get(bucket, name)
        if (typeof method !== 'function') return method
        return async (...values: unknown[]) => {
          if (name === 'get' && values[0] === key) {
            await env.DB.prepare('DELETE FROM event_object WHERE team = ? AND last = ?')
              .bind(team.no, first?.last)
              .run()
            await env.ARCHIVE.delete(key)
          }
          return Reflect.apply(method, bucket, values)
        }
      },
    })
    const row = await env.DB.prepare('SELECT * FROM event_object WHERE team = ? AND last = ?')
      .bind(team.no, first?.last)
      .first()
    const bytes = await (await env.ARCHIVE.get(key))?.arrayBuffer()
    const restored = async () => {
      await env.ARCHIVE.put(key, bytes ?? '')
      const names = Object.keys(row ?? {})
      await env.DB.prepare(`INSERT INTO event_object (${names.join()}) VALUES (${names.map(() => '?').join()})`)
        .bind(...Object.values(row ?? {}))
        .run()
    }
    const exported = await operate('GET', `/team/${team.id}/rows?after=event`, undefined, { ARCHIVE })
    const lines = (await exported.text()).trimEnd().split('\n')
    expect(lines.at(-1)).toMatch(/"end":true/)
    const events = lines.filter(line => line.startsWith('{"table":"event"'))
    expect(events).toHaveLength(6 - (first?.last ?? 0))
    await restored()
    const history = await requestWith({ ARCHIVE }, `${path}/history`, { headers: authorize(team) })
    expect([history.status, history.data.length, history.meta.isComplete]).toEqual([200, 6 - (first?.last ?? 0), false])
  })
})

it('a process whose last event has moved was not changed or deleted by the job whose row is the next one', async () => {
  const { team, id, path } = await oneLead(['Oslo'])
  const other = await team.call('POST', LEADS, { data: { lead_id: 'B' } })
  await team.call('PUT', `${LEADS}/${other.data.id}`, { data: { city: 'Pune' } })
  await moveLog(team)
  const job = crypto.randomUUID()
  await env.DB.prepare("UPDATE event SET by = jsonb_object('job', ?) WHERE team = ?").bind(job, team.no).run()
  const { no } = (await env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(team.no).first<{
    no: number
  }>()) ?? { no: 0 }
  const procedure = (await loadProcedures(openDatabase(env), team.no, [no])).get(no)
  if (!procedure) throw new Error('no procedure')
  const by = { team: { ...team, shortId: 'x', name: 'x', eventFeedSince: null }, user: { id: 'x' }, origin: { job } }
  const scope = createTeamScope(openDatabase(env, createCost()), by, Date.now())
  const rid = toRowNo(id)
  const plan: UpdatePlan = {
    entry: 0,
    target: { rid, id },
    name: id,
    faults: [],
    planned: { version: 2, isOwn: true },
  }
  const { prefetched } = await prefetchFor(scope, procedure, [plan])
  expect([prefetched.byRid.get(rid)?.version, prefetched.byRid.get(rid)?.isOwn]).toEqual([2, undefined])
  await team.call('DELETE', path)
  await env.DB.prepare(
    "UPDATE event SET sequence = sequence + 5, by = jsonb_object('job', ?2) WHERE team = ?1 AND sequence > 4",
  )
    .bind(team.no, job)
    .run()
  const { outcomes } = await decideRestores(scope, procedure, [plan])
  expect(outcomes[0]?.status).toBe('ERROR')
})
