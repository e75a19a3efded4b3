import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readLines } from '../../src/background-job/accept/body.ts'
import {
  createArchiveRemovalTask,
  createArchiveTask,
  createLostArchiveTask,
} from '../../src/background-job/archive/tasks.ts'
import { createChunkRemovalTask } from '../../src/background-job/maintenance/expire.ts'
import { type JobTuning, readJobSettings } from '../../src/background-job/settings.ts'
import { createCost } from '../../src/db/cost.ts'
import { openDatabase } from '../../src/db/databases.ts'
import { replayErasures } from '../../src/maintenance/replay-erasures.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'
import { fetchWorker, type Team } from '../support/api.ts'
import { type AroundBucketCall, breakBucket } from '../support/bucket.ts'
import { advanceTo } from '../support/clock.ts'
import { type FaultInjection, Harness } from '../support/harness.ts'
import { buildMixedItems, JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'
import { tablesWith } from '../support/tables-with.ts'

// Jobs whose entries are in objects from the start. A setting makes small ones of them.

const CREATE = `${LEADS}/bulk-create`
const IN_ROWS = { JOB_TUNING: { chunkEntries: 3 } }
const tuned = (more: Partial<JobTuning>) => ({ JOB_TUNING: { chunkEntries: 3, rowEntries: 6, ...more } })
const VARS = tuned({})

async function run(harness: Harness, team: Team, items: unknown[]): Promise<string> {
  const { status, body } = await harness.request(team, 'POST', CREATE, items)
  expect([status, body._errors]).toEqual([202, []])
  await harness.settle(team)
  return body._data.id
}

async function download(team: Team, id: string, accept: string): Promise<string> {
  const headers = { authorization: `Bearer ${team.token}`, accept }
  return new TextDecoder().decode(await (await fetchWorker(`${JOBS}/${id}/results`, { headers })).arrayBuffer())
}

const PAGES = ['limit=100', 'skip=4&limit=7', 'completionStatus=ERROR&skip=2&limit=5', 'completionStatus=SUCCESS']

const results = (team: Team, id: string): Promise<string> => download(team, id, 'application/x-ndjson')

const openDb = () => openDatabase(env, createCost())

const countStored = async (team: Team, id: string): Promise<number> =>
  (await results(team, id)).trim().split('\n').length

/** Returns all that can be read of a job's entries. */
async function everything(team: Team, id: string): Promise<unknown[]> {
  const pages = await Promise.all(PAGES.map(query => team.call('GET', `${JOBS}/${id}/entries?${query}`)))
  const failures = await team.call('GET', `${JOBS}/${id}/errors`)
  return [
    ...pages.map(({ status, data, meta }) => [status, data, meta.total, meta.next]),
    failures.data,
    await download(team, id, 'text/csv'),
    await results(team, id),
  ]
}

/** The same without what differs between two jobs. */
const comparable = (read: unknown[], team: Team, id: string): string =>
  JSON.stringify(read)
    .replaceAll(id.slice(0, 24), 'job')
    .replaceAll(team.id, 'team')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|job[0-9a-f]{12}|\d{13}/g, '')

const listObjectKeys = async ({ id }: Team): Promise<string[]> =>
  (await env.ARCHIVE.list({ prefix: `jobs/${id}/` })).objects.map(({ key }) => key)

const TABLES = ['job_chunk', 'job_outcome', 'chunk_removal', 'background_job'] as const
async function countRows({ no }: Team): Promise<Record<string, number>> {
  const counts = TABLES.map(table => `(SELECT count(*) FROM ${table} WHERE team = ?1) AS ${table}`)
  return (await env.DB.prepare(`SELECT ${counts}`).bind(no).first<Record<string, number>>()) ?? {}
}
const NOTHING = { job_chunk: 0, job_outcome: 0, chunk_removal: 0, background_job: 0 }

/** The time is an hour after the end of the job. */
const later = () => Date.now() + 2 * HOUR_MS

/** A harness with the settings of these tests, whose calls of R2 go through `bucket`. */
const withBucket = (bucket: AroundBucketCall, injection: FaultInjection = {}, vars = VARS): Harness =>
  new Harness(vars, { ...injection, bucket })

afterEach(() => void vi.restoreAllMocks())

describe('a job with entries in objects', () => {
  it('is run, shown, moved and removed like one with its entries in rows', async () => {
    const [one, other] = [await newLeadTeam(), await newLeadTeam()]
    const inRows = await run(new Harness(IN_ROWS), one, buildMixedItems(43))
    const harness = new Harness(VARS)
    const id = await run(harness, other, buildMixedItems(43))
    expect((await listObjectKeys(other)).length).toBe(1)
    const before = await everything(other, id)
    expect(comparable(before, other, id)).toBe(comparable(await everything(one, inRows), one, inRows))
    const { job_chunk, job_outcome } = await countRows(other)
    await harness.runCron(later())
    expect(await everything(other, id)).toEqual(before)
    // The rows are the index of its objects: none of them has entries or outcomes itself any more.
    expect(await countRows(other)).toEqual({ job_chunk, job_outcome, chunk_removal: 1, background_job: 1 })
    expect(await tablesWith('A30')).not.toContain('job_outcome')
    const keys = await listObjectKeys(other)
    expect(keys.length).toBe(3)
    await harness.runCron(later() + MINUTE_MS)
    expect(await listObjectKeys(other)).toEqual(keys)
    const expired = Date.now() + 32 * DAY_MS
    for (let round = 0; round < 3; round++) await harness.runCron(expired + round * MINUTE_MS)
    expect([await countRows(other), await listObjectKeys(other)]).toEqual([NOTHING, []])
  })

  it('is retried and undone, and these jobs have their entries in objects, too', async () => {
    const team = await newLeadTeam()
    const harness = new Harness(tuned({ rowEntries: 0 }))
    const items = Array.from({ length: 40 }, (_, nth) => ({ data: { lead_id: `A${nth}` } }))
    const id = await run(harness, team, [{ data: { lead_id: 'A3' } }, ...items])
    const retried = await harness.request(team, 'POST', `${JOBS}/${id}/retry`, { update: { data: { lead_id: 'B' } } })
    await harness.settle(team)
    expect((await team.call('GET', `${JOBS}/${retried.body._data.id}`)).data.completionStatus).toBe('SUCCESS')
    await harness.runCron(later())
    const undone = await harness.request(team, 'POST', `${JOBS}/${id}/undo`)
    await harness.settle(team)
    expect((await team.call('GET', `${JOBS}/${undone.body._data.id}`)).data).toMatchObject({
      completionStatus: 'SUCCESS',
      total: 40,
    })
    const left = await team.call('GET', LEADS)
    expect(left.data.map((each: { data: object }) => each.data)).toEqual([{ lead_id: 'B' }])
    for (const job of [id, retried.body._data.id, undone.body._data.id])
      expect((await listObjectKeys(team)).some(key => key.startsWith(`jobs/${team.id}/${job}/`))).toBe(true)
  })

  it('is refused where its entries would take more than can be stored, and says so', async () => {
    const team = await newLeadTeam()
    const harness = new Harness(tuned({ storedBytesMax: 2_000 }))
    const refused = await harness.request(team, 'POST', CREATE, buildMixedItems(43))
    expect([refused.status, refused.body._errors[0]]).toEqual([
      413,
      expect.stringContaining('the entries of a job take at most 2000 bytes as they are stored'),
    ])
    expect((await countRows(team)).background_job).toBe(0)
  })

  it('is bounded in bytes also where it follows another job, over all steps that read it', async () => {
    const team = await newLeadTeam()
    const note = 'x'.repeat(300)
    const items = Array.from({ length: 50 }, () => ({ data: { lead_id: 'twice', note } }))
    const id = await run(new Harness(IN_ROWS), team, items)
    const retried = async (bounds: Partial<JobTuning>) => {
      const harness = new Harness({ JOB_TUNING: { chunkEntries: 3, ...bounds } })
      const { body } = await harness.request(team, 'POST', `${JOBS}/${id}/retry`)
      await harness.settle(team)
      return (await team.call('GET', `${JOBS}/${body._data.id}`)).data
    }
    const large = await retried({ rowBytes: 9_000 })
    expect([large.completionStatus, large.total]).toEqual(['ERROR', 49])
    const sizes = await env.DB.prepare(
      'SELECT sum(octet_length(entries)) AS n FROM job_chunk WHERE job = (SELECT no FROM background_job WHERE id = ?)',
    )
      .bind(large.id)
      .first<{ n: number }>()
    expect(sizes?.n).toBeLessThan(11_000)
    expect((await listObjectKeys(team)).filter(key => key.includes(large.id)).length).toBeGreaterThan(0)
    expect(await countStored(team, large.id)).toBe(49)
    const tooLarge = await retried({ storedBytesMax: 9_000 })
    expect([tooLarge.completionStatus, tooLarge.statusMessage]).toEqual([
      'CANCELLED',
      expect.stringContaining('the entries of a job take at most 9000 bytes'),
    ])
  })

  it('has a million entries at most', async () => {
    let left = 1_000_001
    const body = readLines(
      async () => (left-- > 0 ? { line: 1, item: {} } : undefined),
      () => 'never empty',
    )
    body.release()
    const read = async () => {
      let count = 0
      for await (const _ of body.items()) count += 1
      return count
    }
    await body.begin()
    await expect(body.skip()).rejects.toThrow('a request holds at most 1000000 entries')
    await expect(read()).rejects.toThrow()
  })
})

/**
 * Expects nothing of an acceptance that broke off after some minutes, or a day where nobody knew whose an object was.
 */
async function expectNothingLeft(team: Team): Promise<void> {
  const harness = new Harness(VARS)
  for (let round = 0; round < 2; round++) await harness.runCron(Date.now() + (20 + round) * MINUTE_MS)
  expect(await countRows(team)).toEqual(NOTHING)
  const later = Date.now() + 2 * DAY_MS
  await forgetWalk()
  await walkThroughLost(later)
  expect(await listObjectKeys(team)).toEqual([])
}

const forgetWalk = () => env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'remove lost archives'").run()

async function walkThroughLost(now: number): Promise<void> {
  const task = createLostArchiveTask(env.ARCHIVE, () => openDatabase(env, createCost()), now)
  while ((await task.step()).hasMore);
}

describe('an acceptance that breaks off', () => {
  /** Two entries in rows, five in the first object, and two in another one. */
  const broken = (bucket: AroundBucketCall, injection: FaultInjection = {}) =>
    withBucket(bucket, injection, tuned({ rowEntries: 2 }))
  const LARGE = Array.from({ length: 9 }, (_, nth) => ({ data: { lead_id: `A${nth}`, note: 'x'.repeat(990_000) } }))

  it('leaves nothing after a failure of any call to R2 or the database, or has accepted the job', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const calm = new Harness(tuned({ rowEntries: 2 }))
    const first = await newLeadTeam()
    expect((await calm.request(first, 'POST', CREATE, LARGE)).status).toBe(202)
    const trips = calm.calls.database
    expect((await listObjectKeys(first)).length).toBeGreaterThan(1)
    for (const isAfter of [false, true])
      for (const nth of [1, 2]) {
        const team = await newLeadTeam()
        const { around, calls } = breakBucket({ methods: ['put'], nth, isAfter })
        const reply = await broken(around).request(team, 'POST', CREATE, LARGE)
        expect(calls()).toBeGreaterThanOrEqual(nth)
        expect([reply.status, reply.body._errors[0]]).toEqual([503, expect.stringContaining('cannot be stored')])
        expect((await team.call('GET', JOBS)).data).toEqual([])
        await expectNothingLeft(team)
        // A call that fails once is tried again, and an object that was written without a response is found.
        const once = await broken(breakBucket({ methods: ['put'], nth, isAfter, count: 1 }).around).request(
          team,
          'POST',
          CREATE,
          LARGE,
        )
        expect(once.status).toBe(202)
        expect(await countStored(team, once.body._data.id)).toBe(LARGE.length)
      }
    for (let nth = 1; nth <= trips; nth++) {
      const team = await newLeadTeam()
      const fault: FaultInjection['fault'] = (kind, at) =>
        kind === 'database' && at === nth ? 'reset after' : undefined
      const harness = new Harness(tuned({ rowEntries: 2 }), { fault })
      const { status } = await harness.request(team, 'POST', CREATE, LARGE)
      const jobs = (await team.call('GET', JOBS)).data
      if (status === 202 || jobs.length > 0) expect([nth, jobs.length, jobs[0].total]).toEqual([nth, 1, LARGE.length])
      else await expectNothingLeft(team)
    }
  })

  /** A quarter of an hour passes when the first entries are stored, and `act` happens: then the next ones come in. */
  const stalled = (act: (now: number) => Promise<unknown>) => {
    let isOver = false
    return new Harness(tuned({ rowEntries: 2 }), {
      after: async ({ kind, sql }) => {
        if (isOver || kind !== 'database' || !/INSERT INTO "chunk_removal"/.test(sql)) return
        isOver = true
        advanceTo(Date.now() + 16 * MINUTE_MS)
        await act(Date.now())
      },
    })
  }
  it('is a 409 and leaves nothing where its body stood still for so long that its rows were removed', async () => {
    for (const createTask of [
      (now: number) => createArchiveRemovalTask(env.ARCHIVE, openDb, now),
      (now: number) => createChunkRemovalTask(openDb, now),
    ]) {
      const team = await newLeadTeam()
      const harness = stalled(now => createTask(now).step())
      const { status, body } = await harness.request(team, 'POST', CREATE, LARGE)
      expect([status, body._errors[0]]).toEqual([409, expect.stringContaining('send it again')])
      expect((await team.call('GET', JOBS)).data).toEqual([])
      await expectNothingLeft(team)
    }
  })

  it('leaves nothing where it breaks off behind its list', async () => {
    const team = await newLeadTeam()
    const whatsapp = await connectPlugin(team)
    const harness = stalled(async now => {
      while ((await createChunkRemovalTask(openDb, now).step()).hasMore);
    })
    const processes = LARGE.map((_, nth) => ({ id: `A${nth}`, mapping: 'x'.repeat(500_000) }))
    const shared = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const path = `${whatsapp.base}/process/lead/bulk-send-template-message`
    const { status, body } = await harness.request(team, 'POST', path, { processes, ...shared })
    expect([status, body._errors[0]]).toEqual([409, expect.stringContaining('send it again')])
    expect(await countRows(team)).toEqual(NOTHING)
  })

  it('leaves nothing where the body ends too early', async () => {
    const team = await newLeadTeam()
    const lines = LARGE.map(item => `${JSON.stringify(item)}\n`)
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const line = lines[at++]
        if (line) controller.enqueue(new TextEncoder().encode(line))
        else controller.error(new Error('the client is gone'))
      },
    })
    const harness = new Harness(VARS)
    const reply = await harness.stream(team, CREATE, body, 'application/x-ndjson').catch(() => ({ status: 0 }))
    expect(reply.status).not.toBe(202)
    expect((await countRows(team)).job_chunk).toBeGreaterThan(0)
    expect((await team.call('GET', JOBS)).data).toEqual([])
    await expectNothingLeft(team)
  })
})

describe('a restore', () => {
  it('finds the objects of jobs that it had forgotten, if it is undone within a month', async () => {
    const team = await newLeadTeam()
    const id = await run(new Harness(VARS), team, buildMixedItems(17))
    const before = await everything(team, id)
    const job = await env.DB.prepare('SELECT * FROM background_job WHERE id = ?').bind(id).first()
    await env.DB.prepare('DELETE FROM background_job WHERE id = ?').bind(id).run()
    await env.DB.prepare('UPDATE chunk_removal SET object = NULL WHERE team = ?').bind(team.no).run()
    await forgetWalk()
    const now = Date.now()
    await replayErasures({ env, db: () => openDatabase(env), cost: createCost(), now, statementsMax: 400 })
    await walkThroughLost(now + 30 * DAY_MS)
    const names = Object.keys(job ?? {})
    await env.DB.prepare(`INSERT INTO background_job (${names}) VALUES (${names.map(() => '?')})`)
      .bind(...Object.values(job ?? {}))
      .run()
    expect(await everything(team, id)).toEqual(before)
    await env.DB.prepare('DELETE FROM background_job WHERE id = ?').bind(id).run()
    await walkThroughLost(now + 32 * DAY_MS)
    expect(await listObjectKeys(team)).toEqual([])
  })
})

/** A large job, as a database has it that was restored to a time in the middle of its acceptance. */
async function forgetAcceptance(team: Team, id: string): Promise<() => Promise<unknown>> {
  const job = await env.DB.prepare('SELECT * FROM background_job WHERE id = ?').bind(id).first()
  const names = Object.keys(job ?? {})
  await env.DB.prepare('DELETE FROM background_job WHERE id = ?').bind(id).run()
  const marking = env.DB.prepare('UPDATE chunk_removal SET due = ? WHERE team = ?')
  await marking.bind(Date.now() + 15 * MINUTE_MS, team.no).run()
  const again = env.DB.prepare(`INSERT INTO background_job (${names}) VALUES (${names.map(() => '?')})`)
  return () => env.DB.batch([again.bind(...Object.values(job ?? {})), marking.bind(Number.MAX_SAFE_INTEGER, team.no)])
}

async function removeDue(now: number): Promise<void> {
  for (const task of [createArchiveRemovalTask(env.ARCHIVE, openDb, now), createChunkRemovalTask(openDb, now)])
    while ((await task.step()).hasMore);
}

describe('a restored database', () => {
  it('keeps for a month the objects of a job that it takes for one whose acceptance broke off', async () => {
    const team = await newLeadTeam()
    const id = await run(new Harness(VARS), team, buildMixedItems(17))
    const before = await everything(team, id)
    const takeBack = await forgetAcceptance(team, id)
    const now = Date.now()
    await replayErasures({ env, db: () => openDatabase(env), cost: createCost(), now, statementsMax: 400 })
    for (const at of [now + HOUR_MS, now + 29 * DAY_MS]) await removeDue(at)
    await takeBack()
    expect(await everything(team, id)).toEqual(before)
    await forgetAcceptance(team, id)
    await removeDue(now + 32 * DAY_MS)
    expect([await listObjectKeys(team), await countRows(team)]).toEqual([[], NOTHING])
  })

  it('keeps objects that no row names for a month, and no longer', async () => {
    const team = await newLeadTeam()
    const id = await run(new Harness(VARS), team, buildMixedItems(17))
    const before = await everything(team, id)
    const now = later()
    const restored = "REPLACE INTO maintenance_position (task, team, position, rest_until) VALUES ('restore', 0, ?, 0)"
    await env.DB.prepare(restored).bind(String(now)).run()
    const lost = `jobs/${team.id}/${id}/${crypto.randomUUID()}.ndjson`
    await env.ARCHIVE.put(lost, 'what the restored database has forgotten')
    const move = async (at: number) => {
      const task = createArchiveTask(env.ARCHIVE, openDb, readJobSettings(env), at)
      while ((await task.step()).hasMore);
    }
    for (const at of [now, now + DAY_MS, now + 30 * DAY_MS]) await move(at)
    expect(await everything(team, id)).toEqual(before)
    expect([(await countRows(team)).chunk_removal, (await listObjectKeys(team)).includes(lost)]).toEqual([1, true])
    await move(now + 32 * DAY_MS)
    expect((await listObjectKeys(team)).includes(lost)).toBe(false)
    expect(await everything(team, id)).toEqual(before)
    await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'restore'").run()
  })
})

describe('a job whose objects cannot be read', () => {
  it('still shows what it has done', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const team = await newLeadTeam()
    const broken = withBucket(breakBucket({ methods: ['get'], nth: 1, isAfter: false }).around)
    const { body } = await broken.request(team, 'POST', CREATE, buildMixedItems(23))
    for (let round = 0; round < 3; round++) await broken.deliver()
    const { cursor } = (await env.DB.prepare('SELECT cursor FROM background_job WHERE id = ?')
      .bind(body._data.id)
      .first<{ cursor: number }>()) ?? { cursor: 0 }
    expect(cursor).toBeGreaterThan(0)
    const told = broken.log.filter(({ kind, about }) => kind === 'object' && about.includes(`"cursor":${cursor},`))
    expect(told.length).toBeGreaterThan(0)
    // The job continues with its objects, and leaves nothing for other tests.
    const harness = new Harness(VARS)
    harness.messages.push(...broken.messages)
    await harness.settle(team)
    expect((await team.call('GET', `${JOBS}/${body._data.id}`)).data.completedAt).toBeGreaterThan(0)
  })

  it('waits, and continues where it was', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const team = await newLeadTeam()
    const broken = withBucket(breakBucket({ methods: ['get'], nth: 2, isAfter: false }).around)
    const { body } = await broken.request(team, 'POST', CREATE, buildMixedItems(23))
    for (let round = 0; round < 3; round++) await broken.deliver()
    const harness = new Harness(VARS)
    await harness.runCron(Date.now() + 10 * MINUTE_MS)
    harness.messages.push(...broken.messages)
    await harness.settle(team)
    const calm = await newLeadTeam()
    const other = await run(new Harness(IN_ROWS), calm, buildMixedItems(23))
    const id = body._data.id
    expect(comparable([await download(team, id, 'text/csv')], team, id)).toBe(
      comparable([await download(calm, other, 'text/csv')], calm, other),
    )
  })
})

describe('moving the rows of a large job', () => {
  it('loses nothing where any call fails, and is repeated later', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    for (const isAfter of [false, true])
      for (const nth of [1, 2]) {
        const team = await newLeadTeam()
        const id = await run(new Harness(VARS), team, buildMixedItems(17))
        const before = await results(team, id)
        await withBucket(breakBucket({ methods: ['put'], nth, isAfter }).around).runCron(later())
        expect(await results(team, id)).toEqual(before)
        await new Harness(VARS).runCron(later() + MINUTE_MS)
        expect(await results(team, id)).toEqual(before)
        // Objects of failed moves are gone.
        expect((await listObjectKeys(team)).length).toBe(3)
      }
    let failed = 0
    for (let nth = 1; nth <= 7; nth++) {
      const team = await newLeadTeam()
      const id = await run(new Harness(VARS), team, buildMixedItems(17))
      const before = await results(team, id)
      let calls = 0
      const breaking = new Harness(VARS, {
        fault(kind, _, __, { sql }) {
          if (kind !== 'database' || !/job_chunk|job_outcome|chunk_removal/.test(sql) || ++calls !== nth)
            return undefined
          failed += 1
          return 'reset after'
        },
      })
      await breaking.runCron(later())
      expect(await results(team, id)).toEqual(before)
      await new Harness(VARS).runCron(later() + MINUTE_MS)
      expect(await results(team, id)).toEqual(before)
      expect((await listObjectKeys(team)).length).toBe(3)
    }
    expect(failed).toBeGreaterThan(4)
  })
})

async function untilErased(harness: Harness, team: Team, id: string): Promise<void> {
  for (let round = 0; round < 30; round++) {
    await harness.runCron()
    if ((await team.call('DELETE', `/v1/ext/record/${id}`)).status === 404) return
  }
  throw new Error('the erasure never ends')
}

async function expectNotInObjects(team: Team, ...words: string[]): Promise<void> {
  const texts = await Promise.all(
    (await listObjectKeys(team)).map(async key => (await env.ARCHIVE.get(key))?.text() ?? ''),
  )
  expect(texts.length).toBeGreaterThan(0)
  for (const text of texts) expect(words.filter(word => text.includes(word))).toEqual([])
}

describe('an erasure', () => {
  it('looks again at rows that were moved after it had read them', async () => {
    const team = await newLeadTeam()
    const [phone, name] = [newNumber(), `Asha ${newNumber()}`]
    const first = await team.call('POST', LEADS, { data: { lead_id: 'first' }, record: { data: { phone } } })
    const items = Array.from({ length: 8 }, (_, nth) => ({
      data: { lead_id: nth === 1 ? 'first' : `A${nth}` },
      ...(nth % 3 === 1 ? { record: { data: { phone, name } } } : {}),
    }))
    await run(new Harness(VARS), team, items)
    let isMoved = false
    const harness = new Harness(VARS, {
      before: async ({ kind, sql }) => {
        if (isMoved || kind !== 'database' || !/UPDATE "job_outcome"/.test(sql)) return
        isMoved = true
        const task = createArchiveTask(env.ARCHIVE, () => openDatabase(env), readJobSettings(env), later())
        while ((await task.step()).hasMore);
      },
    })
    expect((await team.call('DELETE', `/v1/ext/record/${first.data.record.id}`)).status).toBe(202)
    await untilErased(harness, team, first.data.record.id)
    expect([isMoved, await tablesWith(name, phone)]).toEqual([true, []])
    await expectNotInObjects(team, name, phone)
  })

  const damages = {
    'was cut off': (bytes: Uint8Array) => bytes.slice(0, 40),
    'has other bytes': (bytes: Uint8Array) => bytes.fill(0xff),
  }
  it.each(Object.entries(damages))(
    'is completed where an object of a large job %s, of which nothing is left',
    async (_, damage) => {
      const told = vi.spyOn(console, 'error').mockImplementation(() => {})
      const team = await newLeadTeam()
      const [phone, name] = [newNumber(), `Asha ${newNumber()}`]
      const first = await team.call('POST', LEADS, { data: { lead_id: 'first' }, record: { data: { phone } } })
      const items = Array.from({ length: 23 }, (_, nth) => ({
        data: { lead_id: `A${nth}` },
        ...(nth % 3 === 1 ? { record: { data: { phone, name } } } : {}),
      }))
      const harness = new Harness(VARS)
      const id = await run(harness, team, items)
      for (const key of await listObjectKeys(team)) {
        const stored = await env.ARCHIVE.get(key)
        await env.ARCHIVE.put(key, damage(new Uint8Array((await stored?.arrayBuffer()) ?? [])))
      }
      const page = await team.call('GET', `${JOBS}/${id}/entries?skip=9`)
      expect([page.status, page.meta.errors?.[0]?.code]).toEqual([410, 'storage_damaged'])
      expect((await team.call('DELETE', `/v1/ext/record/${first.data.record.id}`)).status).toBe(202)
      await untilErased(harness, team, first.data.record.id)
      expect(await tablesWith(name, phone)).toEqual([])
      await expectNotInObjects(team, name, phone)
      expect(told.mock.calls.some(([line]) => String(line).includes('damagedObject'))).toBe(true)
    },
  )

  const places = ['objects of a large job', 'an archive'] as const
  it.each(places)(
    'an erasure that stalls before it writes to %s restores nothing that another one has removed',
    async place => {
      vi.spyOn(console, 'error').mockImplementation(() => {})
      const team = await newLeadTeam()
      const people = Array.from({ length: 2 }, () => ({ phone: newNumber(), name: `Asha ${newNumber()}` }))
      const known = []
      for (const [nth, { phone }] of people.entries())
        known.push(await team.call('POST', LEADS, { data: { lead_id: `first ${nth}` }, record: { data: { phone } } }))
      const [one, other] = known.map(({ data }) => data.record.id as string) as [string, string]
      const items = Array.from({ length: 12 }, (_, nth) => ({
        data: { lead_id: `A${nth}` },
        record: { data: people[nth % 3] },
      }))
      const calm = new Harness(place === 'an archive' ? IN_ROWS : VARS)
      await run(calm, team, items)
      if (place === 'an archive') await calm.runCron(later())
      let isOver = false
      const slow = withBucket(async ({ method, key, values }, act) => {
        // An object of a large job is read whole to be written anew.
        const isBefore = place === 'an archive' ? method === 'put' : method === 'get' && values[1] === undefined
        if (isBefore && key.startsWith(`jobs/${team.id}/`) && !isOver) {
          isOver = true
          expect((await team.call('DELETE', `/v1/ext/record/${other}`)).status).toBe(202)
          await untilErased(calm, team, other)
        }
        return act()
      })
      expect((await team.call('DELETE', `/v1/ext/record/${one}`)).status).toBe(202)
      for (let round = 0; round < 5 && !isOver; round++) await slow.runCron()
      await untilErased(calm, team, one)
      const words = people.flatMap(({ phone, name }) => [phone, name])
      expect([isOver, await tablesWith(...words)]).toEqual([true, []])
      await expectNotInObjects(team, ...words)
    },
  )

  const states = ['before it is run', 'when it has ended', 'when it was moved'] as const
  it.each(states)('removes from the objects of a job all data of a customer, %s, and nothing else', async when => {
    const team = await newLeadTeam()
    const [phone, name, other] = [newNumber(), `Asha ${newNumber()}`, newNumber()]
    const first = await team.call('POST', LEADS, { data: { lead_id: 'first' }, record: { data: { phone } } })
    const items = Array.from({ length: 23 }, (_, nth) => ({
      data: { lead_id: `A${nth}`, note: 'ü'.repeat(nth) },
      record: { data: nth % 7 === 1 ? { phone, name } : { phone: other } },
    }))
    const harness = new Harness(tuned({ rowEntries: 3 }))
    const { body } = await harness.request(team, 'POST', CREATE, items)
    const id = body._data.id
    if (when !== 'before it is run') await harness.settle(team)
    if (when === 'when it was moved') await harness.runCron(later())
    expect((await team.call('DELETE', `/v1/ext/record/${first.data.record.id}`)).status).toBe(202)
    await untilErased(harness, team, first.data.record.id)
    await harness.settle(team)
    expect(await tablesWith(name, phone)).toEqual([])
    await expectNotInObjects(team, name, phone)
    const { data, meta } = await team.call('GET', `${JOBS}/${id}/entries?limit=100`)
    expect(meta.total).toBe(23)
    const done = when === 'before it is run' ? 'ERROR' : 'SUCCESS'
    for (const [nth, entry] of data.entries())
      expect([nth, entry.completionStatus, entry.data.apiData.processCreate?.data?.lead_id]).toEqual(
        nth % 7 === 1 ? [nth, done, undefined] : [nth, 'SUCCESS', `A${nth}`],
      )
  })
})
