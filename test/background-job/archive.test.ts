import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { encodeIndex, encodeLine } from '../../src/background-job/archive/format.ts'
import { openArchive } from '../../src/background-job/archive/object.ts'
import { createArchiveTask } from '../../src/background-job/archive/tasks.ts'
import { createChunkRemovalTask } from '../../src/background-job/maintenance/expire.ts'
import { readJobSettings } from '../../src/background-job/settings.ts'
import { createCost } from '../../src/db/cost.ts'
import { openDatabase } from '../../src/db/databases.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'
import { fetchWorker, type Team } from '../support/api.ts'
import { breakBucket, failBucketCalls } from '../support/bucket.ts'
import { eraseEverywhere, untilErased } from '../support/erasing.ts'
import { Harness } from '../support/harness.ts'
import { buildMixedItems, bulk, JOBS, LEADS, listEntries, newLeadTeam } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

const STATUSES = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'INVALID', 'CANCELLED']
const SMALL = { chunkEntries: 5 }

async function mixedJob(harness: Harness, team: Team, count = 43): Promise<string> {
  const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, buildMixedItems(count))
  await harness.settle(team)
  return body._data.id
}

async function download(team: Team, path: string, accept: string): Promise<string> {
  const headers = { authorization: `Bearer ${team.token}`, accept }
  return new TextDecoder().decode(await (await fetchWorker(path, { headers })).arrayBuffer())
}

/** Returns all that can be read of a job and its entries. */
async function everything(team: Team, id: string): Promise<unknown[]> {
  const read: unknown[] = []
  const page = async (query: string) => {
    const { status, data, meta } = await team.call('GET', `${JOBS}/${id}/entries?${query}`)
    read.push([query, status, data, meta.total, meta.next])
  }
  const { data, meta } = await team.call('GET', `${JOBS}/${id}`)
  read.push(data, meta.bjEntryCompletionStatusVsCount)
  for (const query of ['', 'limit=100', 'skip=3&limit=7', 'skip=40&limit=100', 'skip=1000']) await page(query)
  for (const status of STATUSES) {
    for (const skip of [0, 2, 9]) await page(`completionStatus=${status}&skip=${skip}&limit=4`)
    for (const accept of ['text/csv', 'application/x-ndjson'])
      read.push(await download(team, `${JOBS}/${id}/results?completionStatus=${status}`, accept))
  }
  for (const accept of ['text/csv', 'application/x-ndjson'])
    read.push(await download(team, `${JOBS}/${id}/results`, accept))
  return read
}

const countRows = async ({ no }: Team): Promise<number> => {
  const sql =
    'SELECT (SELECT count(*) FROM job_chunk WHERE team = ?1) + (SELECT count(*) FROM job_outcome WHERE team = ?1) AS n'
  return (await env.DB.prepare(sql).bind(no).first<{ n: number }>())?.n ?? 0
}
const listObjects = async ({ id }: Team): Promise<string[]> =>
  (await env.ARCHIVE.list({ prefix: `jobs/${id}/` })).objects.map(({ key }) => key)

/** The time is an hour after the end of the job. */
const later = () => Date.now() + 2 * HOUR_MS
/** Then nothing of an attempt to move entries can go on any more, and there is another one. */
const ATTEMPT_MS = 21 * MINUTE_MS

it('no chunk of a job lacks its outcomes while its rows are removed', async () => {
  const now = Date.now()
  const db = env.DB
  await db.batch([
    db.prepare('INSERT INTO chunk_removal (job, team, due) VALUES (79, 1, ?)').bind(now),
    // These are more than a step removes.
    ...[0, 1, 2, 3, 4, 5].flatMap(first => [
      db
        .prepare('INSERT INTO job_chunk (team, job, first, count, invalid, entries) VALUES (1, 79, ?, 1, 0, ?)')
        .bind(first, 'x'.repeat(1_900_000)),
      db
        .prepare(
          `INSERT INTO job_outcome (team, job, "first", "offset", outcomes, invalid, success, error, updated_at) VALUES (1, 79, ?, 0, '[]', 0, 1, 0, ?)`,
        )
        .bind(first, now),
    ]),
  ])
  const left = () =>
    db
      .prepare(
        `SELECT (SELECT count(*) FROM job_chunk WHERE job = 79) AS chunks, (SELECT count(*) FROM job_outcome WHERE job = 79) AS outcomes`,
      )
      .first<{ chunks: number; outcomes: number }>()
  const task = createChunkRemovalTask(() => openDatabase(env, createCost()), now)
  expect((await task.step()).hasMore).toBe(true)
  expect(await left()).toEqual({ chunks: 1, outcomes: 6 })
  while ((await task.step()).hasMore);
  expect(await left()).toEqual({ chunks: 0, outcomes: 0 })
  expect((await db.prepare('SELECT count(*) AS n FROM chunk_removal WHERE job = 79').first<{ n: number }>())?.n).toBe(0)
})

describe('the entries of a completed job', () => {
  it('move to one object after a time, and every response stays the same, byte by byte', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: SMALL })
    const id = await mixedJob(harness, team)
    const before = await everything(team, id)
    await harness.runCron(Date.now() + 50 * 60_000)
    expect(await listObjects(team)).toEqual([])
    await harness.runCron(later())
    expect(await listObjects(team)).toEqual([`jobs/${team.id}/${id}.ndjson`])
    expect(await countRows(team)).toBe(0)
    expect(await everything(team, id)).toEqual(before)
  })

  it('a cancelled job still shows its entries as cancelled after they have moved', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { ...SMALL, sliceChunks: 1 } })
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, buildMixedItems(30))
    await harness.deliver()
    await team.call('POST', `${JOBS}/${body._data.id}/cancel`)
    await harness.settle(team)
    const before = await everything(team, body._data.id)
    expect(JSON.stringify(before)).toContain('cancelled before it started')
    await harness.runCron(later())
    expect(await countRows(team)).toBe(0)
    expect(await everything(team, body._data.id)).toEqual(before)
  })

  it('a job whose entries have moved can still be retried', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: SMALL })
    const id = await mixedJob(harness, team)
    const retried = async () => {
      const { body } = await harness.request(team, 'POST', `${JOBS}/${id}/retry`)
      await harness.settle(team)
      const entries = await listEntries(team, body._data.id, '?limit=100')
      return entries.map(({ data, completionStatus }: { data: unknown; completionStatus: string }) => [
        data,
        completionStatus,
      ])
    }
    const before = await retried()
    await harness.runCron(later())
    expect(await countRows(team)).toBe(0)
    expect(await retried()).toEqual(before)
    expect(before.length).toBeGreaterThan(5)
  })

  it('a job that still runs keeps its entries in the database', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { ...SMALL, sliceChunks: 1 } })
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, buildMixedItems(30))
    await harness.deliver()
    await harness.runCron(later())
    expect(await listObjects(team)).toEqual([])
    await harness.settle(team)
    expect((await team.call('GET', `${JOBS}/${body._data.id}`)).data.completionStatus).toBe('ERROR')
  })

  it('are read from the object by ranges, however large it is', async () => {
    const team = await newLeadTeam()
    const harness = new Harness()
    const text = 'é'.repeat(4_000)
    const items = Array.from({ length: 600 }, (_, nth) => ({ data: { lead_id: `L${nth}`, text } }))
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
    await harness.settle(team)
    const id = body._data.id
    const first = await listEntries(team, id, '?skip=450&limit=3')
    await harness.runCron(later())
    const object = await env.ARCHIVE.head(`jobs/${team.id}/${id}.ndjson`)
    expect(object?.size).toBeGreaterThan(4_800_000)
    const sizes: number[] = []
    const reader = new Harness(
      {},
      {
        async bucket(_, act) {
          const found = (await act()) as R2ObjectBody | null
          const bytes = await found?.arrayBuffer()
          sizes.push(bytes?.byteLength ?? 0)
          return found && { size: found.size, arrayBuffer: async () => bytes }
        },
      },
    )
    const page = await reader.request(team, 'GET', `${JOBS}/${id}/entries?skip=450&limit=3`)
    expect(page.body._data).toEqual(first)
    const paged = await reader.request(team, 'GET', `${JOBS}/${id}/entries?completionStatus=SUCCESS&limit=3`)
    expect(paged.body._data[0].index).toBe(0)
    expect(sizes).toHaveLength(4)
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(2_500_000)
  })

  it('are read to the end although they are moved meanwhile', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: SMALL })
    const id = await mixedJob(harness, team)
    const before = await download(team, `${JOBS}/${id}/results`, 'text/csv')
    const page = await listEntries(team, id, '?completionStatus=SUCCESS')
    let reads = 0
    const moving = new Harness(
      { JOB_TUNING: SMALL },
      {
        before: async ({ sql }) => {
          if (/"job_chunk"."entries"|entries AS/.test(sql) && ++reads === 1) await harness.runCron(later())
        },
      },
    )
    const reply = await moving.request(team, 'GET', `${JOBS}/${id}/entries?completionStatus=SUCCESS`)
    expect(reads).toBe(1)
    expect(await countRows(team)).toBe(0)
    expect(reply.body._data).toEqual(page)
    expect(await download(team, `${JOBS}/${id}/results`, 'text/csv')).toBe(before)
  })
})

it('entries that an erasure changes while they are moved stay in the database, and are moved later', async () => {
  const team = await newLeadTeam()
  const harness = new Harness({ JOB_TUNING: SMALL })
  const id = await mixedJob(harness, team)
  const before = await everything(team, id)
  const rows = await countRows(team)
  let changes = 0
  const changed = new Harness(
    { JOB_TUNING: SMALL },
    {
      before: async ({ sql }) => {
        if (!/UPDATE "background_job" SET "archived_at"/.test(sql) || changes > 0) return
        changes++
        await env.DB.prepare('UPDATE background_job SET revision = revision + 1 WHERE id = ?').bind(id).run()
      },
    },
  )
  await changed.runCron(later())
  expect([changes, await countRows(team), await listObjects(team)]).toEqual([1, rows, []])
  expect(await everything(team, id)).toEqual(before)
  await harness.runCron(later() + ATTEMPT_MS)
  expect([await countRows(team), (await listObjects(team)).length]).toEqual([0, 1])
  expect(await everything(team, id)).toEqual(before)
})

describe('two runs that move the entries of one job', () => {
  /** The archiver of another invocation, a minute later, or when nobody waits for the first one any more. */
  const moveBesides = async (ms = MINUTE_MS) => {
    const task = createArchiveTask(env.ARCHIVE, () => openDatabase(env), readJobSettings(env), later() + ms)
    while ((await task.step()).hasMore);
  }

  const MARK = /UPDATE "background_job" SET "archived_at"/
  const moments: [RegExp, number][] = [
    [/"job_chunk"."entries"/, MINUTE_MS],
    [MARK, MINUTE_MS],
    [MARK, ATTEMPT_MS],
  ]
  it('lose nothing, whichever of them marks the job', async () => {
    for (const [about, ms] of moments) {
      const team = await newLeadTeam()
      const id = await mixedJob(new Harness({ JOB_TUNING: SMALL }), team)
      const before = await everything(team, id)
      let calls = 0
      const harness = new Harness(
        { JOB_TUNING: SMALL },
        {
          before: async ({ sql, trigger }) => {
            if (trigger === 'cron' && about.test(sql) && ++calls === 1) await moveBesides(ms)
          },
        },
      )
      await harness.runCron(later())
      expect(calls).toBeGreaterThan(0)
      expect(await everything(team, id)).toEqual(before)
      await harness.runCron(later() + 2 * ATTEMPT_MS)
      expect([await countRows(team), (await listObjects(team)).length]).toEqual([0, 1])
      expect(await everything(team, id)).toEqual(before)
    }
  })

  it('do not write the object twice: the later one finds nothing left to move', async () => {
    const team = await newLeadTeam()
    const id = await mixedJob(new Harness({ JOB_TUNING: SMALL }), team)
    const before = await everything(team, id)
    const rows = await countRows(team)
    const [begun, put] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = new Harness(
      { JOB_TUNING: SMALL },
      {
        async bucket({ method }, act) {
          if (method === 'put') begun.resolve()
          if (method === 'put') await put.promise
          return act()
        },
      },
    )
    const cron = slow.runCron(later())
    await begun.promise
    await moveBesides()
    expect([await countRows(team), await listObjects(team)]).toEqual([rows, []])
    put.resolve()
    await cron
    expect((await listObjects(team)).length).toBe(1)
    expect(await everything(team, id)).toEqual(before)
  })
})

it('an index of an archive that is longer than usual is found', async () => {
  const job = { id: crypto.randomUUID() }
  const lines = Array.from({ length: 5_000 }, (_, nth) => {
    const chunk = { first: nth, count: 1, entries: JSON.stringify([['A', { nth }]]) }
    const line = encodeLine({ chunk, outcomes: [] })
    return { line, indexed: { first: nth, count: 1, invalid: 0, success: 1, error: 0, bytes: line.length } }
  })
  const index = encodeIndex(
    job,
    lines.map(({ indexed }) => indexed),
  )
  expect(index.length).toBeGreaterThan(70_000)
  await env.ARCHIVE.put(`jobs/team/${job.id}.ndjson`, lines.map(({ line }) => line).join('') + index)
  const archive = await openArchive(env.ARCHIVE, { id: 'team' }, job)
  expect(archive.lines).toHaveLength(5_000)
  expect((await archive.read([0, 1, 4_999])).map(({ first }) => first)).toEqual([0, 1, 4_999])
  await env.ARCHIVE.delete(`jobs/team/${job.id}.ndjson`)
})

describe('a damaged archive', () => {
  const DAMAGES: [string, (text: string) => string][] = [
    ['cut short', text => text.slice(0, text.length / 2)],
    ['cut short in its last line', text => text.slice(0, -2)],
    ['with an index that is no JSON', text => text.replace('"chunks":[', '"chunks":{')],
    ['with lines that are no JSON', text => text.replaceAll('"outcomes":[', '"outcomes":{')],
  ]

  it.each(DAMAGES)(
    'an archive %s is refused with 410 and named in the log, and an erasure removes what it has',
    async (_, how) => {
      const logged = vi
        .spyOn(console, 'error')
        .mockReset()
        .mockImplementation(() => {})
      const team = await newLeadTeam()
      const harness = new Harness({ JOB_TUNING: SMALL })
      const [phone, name] = [newNumber(), `Asha ${newNumber()}`]
      const items = [{ data: { lead_id: '1' }, record: { data: { phone, name } } }, ...buildMixedItems(17)]
      const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
      const id = body._data.id
      await harness.settle(team)
      await harness.runCron(later())
      const [key = ''] = await listObjects(team)
      const text = (await (await env.ARCHIVE.get(key))?.text()) ?? ''
      await env.ARCHIVE.put(key, how(text))
      const calls = [
        ['GET', 'entries'],
        ['GET', 'errors'],
        ['POST', 'retry'],
      ] as const
      const refused = async () => {
        for (const [method, path] of calls) {
          const reply = await team.call(method, `${JOBS}/${id}/${path}`)
          expect([path, reply.status, reply.meta.errors?.[0]?.code]).toEqual([path, 410, 'storage_damaged'])
        }
      }
      await refused()
      expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)))).toContainEqual({
        damagedObject: key,
        cause: expect.any(String),
      })
      expect((await team.call('GET', `${JOBS}/${id}`)).data.id).toBe(id)
      const record = (await team.call('GET', `/v1/ext/record?phone=${phone}`)).data[0].id
      await eraseEverywhere(team, record)
      await untilErased(team, record, harness)
      expect(await (await env.ARCHIVE.get(key))?.text()).not.toContain(phone)
      await refused()
      await env.ARCHIVE.delete(key)
    },
  )
})

describe('an archiving that breaks off', () => {
  it('loses nothing at any call: every entry can be read, and the job is archived later', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: SMALL })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const id = await mixedJob(harness, team, 17)
    const before = await everything(team, id)
    for (const [nth, isAfter] of [false, true].entries()) {
      const { around, calls } = breakBucket({ methods: ['put', 'get'], nth: 1, isAfter, count: 1 })
      const breaking = new Harness({ JOB_TUNING: SMALL }, { bucket: around })
      await breaking.runCron(later() + nth * ATTEMPT_MS)
      expect(calls()).toBe(1)
      expect(await everything(team, id)).toEqual(before)
    }
    expect(await countRows(team)).toBeGreaterThan(0)
    await harness.runCron(later() + 2 * ATTEMPT_MS)
    expect(await everything(team, id)).toEqual(before)
    let failed = 0
    for (let nth = 1; nth <= 8; nth++)
      for (const fault of ['overloaded', 'reset after'] as const) {
        const other = await newLeadTeam()
        const job = await mixedJob(harness, other, 7)
        const results = () => download(other, `${JOBS}/${job}/results`, 'application/x-ndjson')
        const all = await results()
        let calls = 0
        const about = (sql: string) => /job_chunk|archived_at|chunk_removal/.test(sql)
        const breaking = new Harness(
          { JOB_TUNING: SMALL },
          {
            fault(kind, _, __, { sql }) {
              if (kind !== 'database' || !about(sql) || ++calls !== nth) return undefined
              failed++
              return fault
            },
          },
        )
        await breaking.runCron(later())
        expect(await results()).toBe(all)
        await harness.runCron(later() + ATTEMPT_MS)
        expect(await countRows(other)).toBe(0)
        expect(await results()).toBe(all)
      }
    expect(failed).toBeGreaterThan(10)
    vi.restoreAllMocks()
  })

  const damages: Record<string, (text: string) => string> = {
    'is cut off': text => text.slice(0, -9),
    'is whole, and lacks a chunk': text => text.replace(/,\[[\d,]+\]\]\}\n$/, ']}\n'),
  }
  it.each(Object.entries(damages))('keeps the rows where an object %s', async (_, damage) => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: SMALL })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const id = await mixedJob(harness, team, 17)
    const before = await everything(team, id)
    const rows = await countRows(team)
    const broken = new Harness(
      { JOB_TUNING: SMALL },
      {
        bucket({ method, key, values }, act) {
          if (method !== 'put') return act()
          const text = new TextDecoder().decode(values[1] as Uint8Array)
          expect(damage(text)).not.toBe(text)
          return act(key, damage(text))
        },
      },
    )
    await broken.runCron(later())
    expect(await countRows(team)).toBe(rows)
    expect(await everything(team, id)).toEqual(before)
    vi.restoreAllMocks()
  })
})

describe('a job whose retention is over', () => {
  it('loses its object too, as soon as R2 can be reached', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: SMALL })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const id = await mixedJob(harness, team, 17)
    const end = Date.now() + 30 * DAY_MS
    // The walk over lost archives, which would find the object a day later, rests from here on.
    await harness.runCron(end - HOUR_MS)
    expect(await listObjects(team)).toHaveLength(1)
    const down = new Harness({ JOB_TUNING: SMALL }, { bucket: failBucketCalls(({ method }) => method === 'delete') })
    await down.runCron(end + HOUR_MS)
    expect((await team.call('GET', `${JOBS}/${id}`)).status).toBe(404)
    expect(await listObjects(team)).toHaveLength(1)
    await harness.runCron(end + 2 * HOUR_MS)
    expect(await listObjects(team)).toEqual([])
    const left = await env.DB.prepare('SELECT count(*) AS n FROM chunk_removal').first<{ n: number }>()
    expect(left?.n).toBe(0)
    vi.restoreAllMocks()
  })

  it('entries that cannot be read because R2 is down are a 503, also in a single page', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: SMALL })
    await bulk(team, 'POST', [{ lead_id: 'other' }])
    const id = await mixedJob(harness, team, 17)
    await harness.runCron(later())
    const down = new Harness({ JOB_TUNING: SMALL }, { bucket: failBucketCalls(({ method }) => method === 'get') })
    const { status, body } = await down.request(team, 'GET', `${JOBS}/${id}/entries`)
    expect([status, body._meta.errors[0].code]).toEqual([503, 'storage_unavailable'])
    expect((await down.request(team, 'GET', `${JOBS}/${id}`)).status).toBe(200)
  })
})
