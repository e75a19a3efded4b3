import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../src/db/databases.ts'
import { createEventExpiryTask } from '../../src/event/expire.ts'
import { CHECKS } from '../../src/health/checks.ts'
import { DAY_MS, MINUTE_MS } from '../../src/time-units.ts'
import { newTeam, type Team } from '../support/api.ts'
import { failBucketCalls } from '../support/bucket.ts'
import { loadDueEvents, switchOnFeed } from '../support/due.ts'
import {
  ATTRIBUTES,
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
import { loadObjects, moveLog, objectKeys } from '../support/moved-log.ts'
import { exportLines, operate } from '../support/operator.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'

// An object of the log may be damaged where it is kept. What is in it is gone; nothing else may be.

const gzip = async (text: string) =>
  new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer())

const gunzip = (bytes: Uint8Array) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()

const flip = (bytes: Uint8Array, at: number) =>
  bytes.map((byte, nth) => (nth === (at + bytes.length) % bytes.length ? byte ^ 1 : byte))

const DAMAGES: [string, (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>][] = [
  ['cut short', bytes => bytes.slice(0, bytes.length / 2)],
  ['without its last byte', bytes => bytes.slice(0, -1)],
  ['empty', () => new Uint8Array()],
  ['something else', () => new TextEncoder().encode('no object of a log')],
  ['of another checksum', bytes => flip(bytes, -8)],
  ['changed in the middle', bytes => flip(bytes, Math.floor(bytes.length / 2))],
  ['no JSON', () => gzip('no index\n')],
  ['without a row that its index names', async bytes => gzip((await gunzip(bytes)).replace(/[^\n]*\n$/, ''))],
  [
    'with an author that is no JSON',
    async bytes => gzip((await gunzip(bytes)).replace(/^((?:[^\t\n]*\t){5}){/gm, '$1[')),
  ],
  ['with a row that is no JSON', async bytes => gzip((await gunzip(bytes)).replaceAll('\t{"', '\t["'))],
]

const damaged: string[] = []
const failed = vi.spyOn(console, 'error')

beforeEach(() => void failed.mockReset().mockImplementation(() => {}))
// Others look for texts in all objects.
afterEach(async () => void (await env.ARCHIVE.delete(damaged.splice(0))))

const lines = () => failed.mock.calls.map(([line]) => JSON.parse(String(line)))

async function damage(keys: readonly string[], how: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>) {
  for (const key of keys) {
    const bytes = new Uint8Array((await (await env.ARCHIVE.get(key))?.arrayBuffer()) ?? new ArrayBuffer())
    await env.ARCHIVE.put(key, await how(bytes))
    damaged.push(key)
  }
}

const cutShort = (keys: readonly string[]) => damage(keys, bytes => bytes.slice(0, bytes.length / 2))

const get = (team: Team, path: string) => team.call('GET', path)

/** The changes of a lead, in objects but for the last one. */
async function oneLead(cities: readonly string[]) {
  const team = await newLeadTeam()
  const { id } = await createLead(team, { lead_id: 'A' })
  for (const city of cities) await team.call('PUT', `${LEADS}/${id}`, { data: { city } })
  await moveLog(team)
  return { team, at: `${LEADS}/${id}` }
}

describe('a damaged object of history', () => {
  it.each(DAMAGES)('is refused with 410 and named in the log, and newer history is shown: %s', async (_, how) => {
    const { team, at } = await oneLead(['Oslo', 'Pune', 'Goa'])
    const keys = await objectKeys(team)
    await damage(keys, how)
    for (const path of ['?asOf=1', '?blame=true', '?asOf=2&blame=true']) {
      const refused = await get(team, `${at}${path}`)
      expect([path, refused.status, refused.meta.errors?.[0]?.code]).toEqual([path, 410, 'storage_damaged'])
    }
    expect(lines()).toContainEqual({ damagedObject: keys.at(-1), cause: expect.any(String) })
    const recent = await get(team, `${at}/history`)
    expect(recent.data.map(({ version }: { version: number }) => version)).toEqual([4])
    const next = await get(team, `${at}/history?cursor=${recent.meta.next}`)
    expect([next.status, next.meta.errors?.[0]?.code]).toEqual([410, 'storage_damaged'])
    expect((await get(team, `${at}?asOf=4`)).status).toBe(200)
    const before = (await get(team, at)).data
    const reverted = await team.call('PUT', `${at}/revert`, { version: 1 })
    expect([reverted.status, reverted.meta.errors?.[0]?.code]).toEqual([410, 'storage_damaged'])
    expect((await get(team, at)).data).toEqual(before)
    expect((await team.call('PUT', at, { data: { city: 'Ulm' } })).status).toBe(200)
  })

  it('is exported as it is, and rows that have moved into it meanwhile end the export', async () => {
    const { team } = await oneLead(['Oslo', 'Pune'])
    const [key = ''] = await objectKeys(team)
    await cutShort([key])
    const rows = (await exportLines(team.id)).filter(line => line.startsWith('{"table":"event_object"'))
    expect(rows).toHaveLength((await loadObjects(team)).length)
    const stored = await operate('GET', `/team/${team.id}/object?name=${encodeURIComponent(`ARCHIVE/${key}`)}`)
    expect((await stored.arrayBuffer()).byteLength).toBe((await env.ARCHIVE.head(key))?.size)
    await expect(operate('GET', `/team/${team.id}/rows?after=event`).then(each => each.text())).rejects.toThrow()
  })

  it('leaves an entry of an undo that needs it as it is, and the job goes on', async () => {
    const team = await newLeadTeam()
    const ids = []
    for (const key of ['A', 'B']) ids.push((await createLead(team, { lead_id: key, city: 'Pune' })).id)
    const update = (id: string) => ({ id, update: { data: { city: 'Oslo' } } })
    const job = (await bulk(team, 'PATCH', ids.map(update))).data.id
    await createLead(team, { lead_id: 'C' })
    await moveLog(team)
    await cutShort(await objectKeys(team))
    const undo = await team.call('POST', `${JOBS}/${job}/undo`)
    expect((await waitForJob(team, undo.data.id)).meta.bjEntryCompletionStatusVsCount).toMatchObject({ ERROR: 2 })
    const entries = (await get(team, `${JOBS}/${undo.data.id}/entries`)).data
    expect(entries.map((each: { completionResult: { code: string } }) => each.completionResult.code)).toEqual(
      ids.map(() => 'history_expired'),
    )
  })
})

interface Lead {
  id: string
  record: { id: string }
}

/** A customer whose processes have a past, and another one of the same team. */
async function withPerson() {
  const team = await personalTeam()
  const [first, second] = [somePerson(), somePerson()]
  const made = await createLead(team, { lead_id: 'A', city: 'Pune', ...first })
  const other = await createLead(team, { lead_id: 'B', city: 'Pune', ...somePerson() })
  for (const city of ['Oslo', 'Rome', 'Ulm'])
    for (const { id } of [made, other]) await team.call('PUT', `${LEADS}/${id}`, { data: { city } })
  await team.call('PUT', `${LEADS}/${made.id}`, { data: { ...second, phone_number: first.phone_number } })
  await createLead(team, { lead_id: 'C' }, { record: null })
  await moveLog(team, 14)
  return { team, made, other: `${LEADS}/${other.id}`, first, second }
}

describe('an erasure beside a damaged object', () => {
  it('removes the object with all that it has, and continues before and after it', async () => {
    const { team, made, other, first, second } = await withPerson()
    const objects = await loadObjects(team)
    expect(objects.length).toBeGreaterThan(2)
    const middle = objects.at(-2)
    const key = `log/${team.id}/${middle?.first}-${middle?.last}-${middle?.no.toString(36)}`
    await cutShort([key])
    await eraseEverywhere(team, made.record.id)
    await untilErased(team, made.record.id)
    await expectNothingLeft(first, second)
    expect(await objectKeys(team)).not.toContain(key)
    expect(await loadObjects(team)).toHaveLength(objects.length)
    expect(lines()).toContainEqual({ damagedObject: key, cause: expect.any(String) })
    const history = await get(team, `${other}/history`)
    expect([history.status, history.meta.isComplete]).toEqual([200, false])
    const past = await get(team, `${other}?asOf=1`)
    expect([past.status, past.meta.errors?.[0]?.code]).toEqual([410, 'history_expired'])
    expect((await exportLines(team.id)).length).toBeGreaterThan(0)
  })

  it('removes it also where a process is purged', async () => {
    const { team, made, first, second } = await withPerson()
    await cutShort(await objectKeys(team))
    const harness = new Harness()
    for (let round = 0; round < 12; round++) {
      await team.call('DELETE', `${LEADS}/${made.id}?purge=true`)
      await harness.runCron()
    }
    expect((await team.call('DELETE', `${LEADS}/${made.id}?purge=true`)).status).toBe(404)
    await expectNothingLeft([first.address, second.address, ...second.tags])
  })

  it.each([
    ['erased', (team: Team, { record }: Lead) => eraseEverywhere(team, record.id)],
    ['purged', (team: Team, { id }: Lead) => team.call('DELETE', `${LEADS}/${id}?purge=true`)],
  ])('goes on before an event that no change made, which leads to none before it: %s', async (_, erase) => {
    const team = await newTeam()
    await switchOnFeed(team)
    await leadProcedure(team, { attributes: ATTRIBUTES, phoneAttribute: 'phone_number' })
    const [first, second] = [somePerson(), somePerson()]
    const made: Lead = await createLead(team, { lead_id: 'A', city: 'Pune', ...first })
    const update = (body: object) => team.call('PUT', `${LEADS}/${made.id}`, body)
    await update({ data: { ...second, phone_number: first.phone_number } })
    await update({ nextActionAt: Date.now() - MINUTE_MS })
    await update({ data: { city: 'Ulm' } })
    expect(await loadDueEvents(team)).toMatchObject([{ sequence: 4 }])
    await createLead(team, { lead_id: 'B' }, { record: null })
    // No two of them are of one month: each is in an object of its own, and the last one has the update behind the due event.
    await moveLog(team, 32)
    const last = (await loadObjects(team)).at(-1)
    await cutShort([`log/${team.id}/${last?.first}-${last?.last}-${last?.no.toString(36)}`])
    const harness = new Harness()
    for (let round = 0; round < 20 && (await erase(team, made)).status !== 404; round++) await harness.runCron()
    expect((await erase(team, made)).status).toBe(404)
    await expectNothingLeft([first.address, second.address, ...second.tags])
  })

  it('leaves no object that never expires: the removed one goes with its time, and those after it', async () => {
    const { team, made } = await withPerson()
    const objects = await loadObjects(team)
    const second = objects[1]
    await cutShort([`log/${team.id}/${second?.first}-${second?.last}-${second?.no.toString(36)}`])
    await eraseEverywhere(team, made.record.id)
    await untilErased(team, made.record.id)
    const readSecond = () =>
      env.DB.prepare('SELECT first_at, last_at, kept_from FROM event_object WHERE team = ? AND last = ?')
        .bind(team.no, second?.last)
        .first<{ first_at: number; last_at: number; kept_from: number }>()
    const removed = await readSecond()
    expect(removed?.kept_from).toBe((removed?.last_at ?? 0) + 1)
    const expireTo = async (cutoff: number) => {
      await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'expire events'").run()
      const now = Date.now()
      const context = { bucket: env.ARCHIVE, db: () => openDatabase(env), now }
      const task = createEventExpiryTask(context, now - cutoff)
      while ((await task.step()).hasMore);
    }
    await expireTo((removed?.first_at ?? 0) + 1)
    expect([(await loadObjects(team)).length, await readSecond()]).toEqual([objects.length - 1, removed])
    await expireTo((removed?.last_at ?? 0) + 2)
    expect(await loadObjects(team)).toHaveLength(objects.length - 2)
  })
})

/** Lets each object of one team's history fail when it is written. */
const failWrites = ({ id }: Team, failure: { isOver: boolean }) =>
  failBucketCalls(({ method, key }) => !failure.isOver && method === 'put' && key.startsWith(`log/${id}/`))

/** The request itself comes as far as to the first object. */
async function beginErasure({ team, made }: Awaited<ReturnType<typeof withPerson>>) {
  const harness = new Harness({}, { bucket: failBucketCalls(({ method }) => method === 'get') })
  const { status } = await harness.request(team, 'DELETE', `${RECORD}/${made.record.id}?everywhere=true`)
  expect(status).toBe(202)
}

const failing = async ({ no }: Team) =>
  (
    await env.DB.prepare("SELECT task FROM maintenance_position WHERE task LIKE 'failing %' AND team = ?")
      .bind(no)
      .all()
  ).results.map(({ task }) => task)

describe('an erasure that fails', () => {
  it('does not delay another team if a customer was erased, is reported, and ends when its cause is over', async () => {
    connectReceivers()
    vi.spyOn(console, 'info').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const [stuck, next] = [await withPerson(), await withPerson()]
    const receiver = newReceiver()
    const failure = { isOver: false }
    const harness = new Harness({ ALERT_URL: receiver.url }, { bucket: failWrites(stuck.team, failure) })
    const id = stuck.made.record.id
    await beginErasure(stuck)
    // The task alone does it: a request that is repeated would continue by itself.
    await beginErasure(next)
    for (let round = 0; round < 12; round++) await harness.runCron()
    await expectNothingLeft(next.first, next.second)
    const again = await harness.request(stuck.team, 'DELETE', `${RECORD}/${id}?everywhere=true`)
    expect(again.status).toBe(202)
    expect(lines()).toContainEqual({
      task: 'erase customers',
      erasure: id,
      teamNo: stuck.team.no,
      cause: expect.stringContaining('cannot be written'),
    })
    const startedAt = Date.now()
    for (let minute = 1; minute <= 12; minute++) await harness.runCron(startedAt + minute * MINUTE_MS)
    const alerts = receiver.arrivals.flatMap(({ event }) => event.alerts)
    expect(alerts).toContainEqual(
      expect.objectContaining({ alert: 'erasures fail', text: expect.stringContaining(id), status: 'begun' }),
    )
    const context = { env: harness.env, db: () => openDatabase(env), now: startedAt + 3 * 60 * MINUTE_MS }
    const check = await CHECKS.maintenance?.(context)
    expect([check?.status, check?.reason]).toEqual(['failing', expect.stringContaining('erase customers')])
    failure.isOver = true
    await harness.runCron(startedAt + 13 * MINUTE_MS)
    await untilErased(stuck.team, id, harness)
    expect(await failing(stuck.team)).toEqual([])
    await expectNothingLeft(stuck.first, stuck.second)
  })

  it('does not delay another team if a process was purged, is tried once in a run, and ends where it was completed otherwise', async () => {
    const [stuck, next] = [await withPerson(), await withPerson()]
    const harness = new Harness({}, { bucket: failWrites(stuck.team, { isOver: false }) })
    const purge = ({ team, made }: typeof stuck) =>
      harness.request(team, 'DELETE', `${LEADS}/${made.id}?purge=true`).then(({ status }) => status)
    expect(await purge(stuck)).toBe(202)
    for (let round = 0; round < 12 && (await purge(next)) !== 404; round++) await harness.runCron()
    expect(await purge(next)).toBe(404)
    expect(await failing(stuck.team)).toEqual([`failing sweep after erasures ${stuck.made.id}`])
    const tried = () => lines().filter(({ erasure }) => erasure === stuck.made.id).length
    const before = tried()
    await harness.runCron(Date.now() + MINUTE_MS)
    expect(tried()).toBe(before + 1)
    await env.DB.prepare('DELETE FROM erasure_sweep WHERE team = ?').bind(stuck.team.no).run()
    await harness.runCron(Date.now() + DAY_MS)
    expect(await failing(stuck.team)).toEqual([])
  })
})
