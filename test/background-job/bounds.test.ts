import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { encodeOutcomes, OUTCOME_ROW_BYTES_MAX } from '../../src/background-job/chunk.ts'
import { toFailure } from '../../src/background-job/entry.ts'
import { readInParts } from '../../src/background-job/read/stored-entries.ts'
import { CHUNK_ENTRIES_MAX, readJobSettings } from '../../src/background-job/settings.ts'
import { AppError } from '../../src/errors.ts'
import { ORIGIN } from '../support/api.ts'
import { advanceTo } from '../support/clock.ts'
import { type Call, Harness } from '../support/harness.ts'
import { STATEMENTS_PER_INVOCATION_MAX } from '../support/injected-bindings.ts'
import { bulk, JOBS, LEADS, listEntries, newLeadTeam } from '../support/jobs.ts'
import { sleep } from '../support/sleep.ts'

const ROW_BYTES_MAX = 2_000_000

const getStatuses = (entries: { completionStatus: string }[]) => entries.map(each => each.completionStatus)

describe('the rows of a job', () => {
  it('stay below the bytes that a row may hold, whatever the entries fail with', async () => {
    const team = await newLeadTeam()
    // A letter of Devanagari is one unit of a string, and three bytes.
    const key = (index: number) => `${'क'.repeat(900)}${index}`
    const processes = Array.from({ length: CHUNK_ENTRIES_MAX }, (_, index) => ({
      lead_id: key(index),
      update: { data: { city: 'ख'.repeat(300) } },
    }))
    const harness = new Harness({ JOB_TUNING: { chunkEntries: CHUNK_ENTRIES_MAX } })
    const accepted = await harness.request(team, 'PATCH', LEADS, { processes })
    await harness.settle(team)
    const job = await team.call('GET', `${JOBS}/${accepted.body._data.id}`)
    expect(job.meta.bjEntryCompletionStatusVsCount.ERROR).toBe(CHUNK_ENTRIES_MAX)
    const sizes = await env.DB.prepare(
      `SELECT max(length(CAST(entries AS BLOB))) AS entries,
          (SELECT max(length(CAST(outcomes AS BLOB))) FROM job_outcome) AS outcomes FROM job_chunk`,
    ).first<{ entries: number; outcomes: number }>()
    expect((sizes?.entries ?? 0) + (sizes?.outcomes ?? 0)).toBeLessThan(ROW_BYTES_MAX)
    expect(sizes?.outcomes).toBeLessThanOrEqual(500_000)
    const [first] = await listEntries(team, accepted.body._data.id, '?limit=1')
    expect(first.completionMessage).toContain('कक')
  })

  it('of a gigabyte are read in far fewer parts than an invocation has statements, whatever their size', async () => {
    for (const length of [300_000, 640_000, 860_000, 1_050_000, 1_120_000]) {
      const chunks = Array.from({ length: 1_000_000_000 / length }, (_, nth) => nth)
      let reads = 0
      const read = (part: readonly number[]) => {
        reads += 1
        return Promise.resolve({ items: part, length: part.length * length })
      }
      const inOrder: number[] = []
      for await (const chunk of readInParts(chunks, read)) inOrder.push(chunk)
      expect([inOrder, reads < STATEMENTS_PER_INVOCATION_MAX * 0.6]).toEqual([chunks, true])
    }
  })

  it('are several where the outcomes of a step exceed one row', () => {
    const result = { id: 'an id', primaryKey: 'क'.repeat(1_000) }
    const ended = Array.from({ length: CHUNK_ENTRIES_MAX }, (_, index) => ({
      index,
      outcome: { status: 'SUCCESS', result } as const,
    }))
    const rows = encodeOutcomes({ first: 0 }, ended)
    expect(rows.length).toBeGreaterThan(1)
    for (const { outcomes } of rows)
      expect(new TextEncoder().encode(outcomes).length).toBeLessThanOrEqual(OUTCOME_ROW_BYTES_MAX)
    expect(rows.reduce((sum, { success }) => sum + success, 0)).toBe(CHUNK_ENTRIES_MAX)
  })

  it('hold failures that are bounded in bytes, not in characters', () => {
    const failure = toFailure(new AppError('conflict', 'क'.repeat(600)))
    expect(new TextEncoder().encode(JSON.stringify(failure)).length).toBeLessThanOrEqual(1_500)
    expect(failure.message).toContain('कक')
  })

  it('get the outcomes of a step appended, and are not rewritten', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 100, sliceChunks: 1 } })
    const items = Array.from({ length: 300 }, (_, index) => ({ lead_id: `R${index}` }))
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
    await harness.settle(team)
    const steps = harness.log.filter(({ sql }) => /INSERT INTO "job_outcome"/.test(sql))
    // On a busy machine there are more.
    expect(steps.length).toBeGreaterThanOrEqual(3)
    const outcomes = env.DB.prepare(
      'SELECT count(*) AS count FROM job_outcome JOIN background_job ON no = job WHERE id = ?1',
    ).bind(body._data.id)
    expect(await outcomes.first('count')).toBe(steps.length)
    expect(harness.log.filter(({ sql }) => /UPDATE "?job_chunk/.test(sql))).toEqual([])
    expect(getStatuses(await listEntries(team, body._data.id, '?skip=200'))).toEqual(Array(100).fill('SUCCESS'))
  })
})

describe('a step', () => {
  it('holds no more bytes than the database can work with', async () => {
    const team = await newLeadTeam()
    const keys = Array.from({ length: 60 }, (_, index) => `B${index}`)
    await bulk(
      team,
      'POST',
      keys.map(lead_id => ({ lead_id })),
    )
    const harness = new Harness()
    const processes = keys.map(lead_id => ({ lead_id, update: { data: { note: 'x'.repeat(20_000) } } }))
    const { body } = await harness.request(team, 'PATCH', LEADS, { processes })
    await harness.settle(team)
    const steps = harness.log.filter(({ sql }) => /UPDATE "?process/.test(sql))
    expect(steps.length).toBeGreaterThan(2)
    expect(Math.max(...steps.map(({ about }) => about.length))).toBeLessThan(1_000_000)
    expect(new Set(getStatuses(await listEntries(team, body._data.id)))).toEqual(new Set(['SUCCESS']))
  })

  it('is split within the same run slice where the database has no memory for it', async () => {
    const team = await newLeadTeam()
    const keys = ['x', 'y', 'z', 'w']
    await bulk(
      team,
      'POST',
      keys.map(lead_id => ({ lead_id })),
    )
    const before = ({ kind, about, sql }: Call) => {
      const isLarge = keys.filter(each => about.includes(`city-${each}`)).length > 1
      if (kind === 'database' && /UPDATE "?process/.test(sql) && isLarge)
        throw new Error('D1_ERROR: out of memory: SQLITE_NOMEM')
    }
    const harness = new Harness({}, { before })
    const processes = keys.map(lead_id => ({ lead_id, update: { data: { city: `city-${lead_id}` } } }))
    const { body } = await harness.request(team, 'PATCH', LEADS, { processes })
    await harness.deliver()
    expect(harness.messages).toEqual([])
    expect(getStatuses(await listEntries(team, body._data.id))).toEqual(Array(4).fill('SUCCESS'))
  })
})

describe('an invocation', () => {
  it('runs no more statements than D1 lets it, races included', async () => {
    const team = await newLeadTeam()
    await bulk(team, 'POST', [{ lead_id: 'often' }])
    let races = 0
    const before = async ({ kind, sql }: Call) => {
      // Somebody else takes the row away under each of the first tries.
      if (kind === 'database' && /UPDATE "?process/.test(sql) && races < 2) {
        races += 1
        throw new Error("D1_ERROR: bad JSON path: 'a process was changed meanwhile': SQLITE_ERROR")
      }
    }
    const harness = new Harness({}, { before })
    const processes = Array.from({ length: 250 }, (_, index) => ({
      lead_id: 'often',
      update: { data: { [`attribute-${index}`]: index } },
    }))
    const { body } = await harness.request(team, 'PATCH', LEADS, { processes })
    await harness.settle(team)
    expect(races).toBe(2)
    expect(harness.statementsMax).toBeLessThanOrEqual(STATEMENTS_PER_INVOCATION_MAX)
    expect(new Set(getStatuses(await listEntries(team, body._data.id)))).toEqual(new Set(['SUCCESS']))
  })

  it('writes no more chunks than it may run statements, and the others go to an object', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 1 } })
    const items = Array.from({ length: 1_001 }, (_, index) => ({ lead_id: `C${index}` }))
    const accepted = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
    expect([accepted.status, accepted.body._data.total]).toEqual([202, 1_001])
    expect(harness.statementsMax).toBeLessThan(STATEMENTS_PER_INVOCATION_MAX)
    await team.call('POST', `${JOBS}/${accepted.body._data.id}/cancel`)
  })

  it('accepts the retry of a large job in few round trips', async () => {
    const team = await newLeadTeam()
    await bulk(team, 'POST', [{ lead_id: 'taken' }])
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 10 } })
    const items = Array.from({ length: 400 }, () => ({ lead_id: 'taken' }))
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
    await harness.settle(team)
    const before = harness.calls.database
    const retried = await harness.request(team, 'POST', `${JOBS}/${body._data.id}/retry`)
    expect([retried.status, retried.body._data.isCollecting]).toEqual([202, true])
    expect(harness.calls.database - before).toBeLessThanOrEqual(8)
    await harness.settle(team)
    expect((await team.call('GET', `${JOBS}/${retried.body._data.id}`)).data.total).toBe(400)
  })
})

describe('a body that arrives slowly', () => {
  it('is accepted: the time limit of the database begins at the end of the body', async () => {
    const team = await newLeadTeam()
    await bulk(team, 'POST', [{ lead_id: 'slow' }])
    const before = async ({ kind }: Call) => {
      // The delay is that of a distant database.
      if (kind === 'database') await sleep(20)
    }
    const harness = new Harness({}, { before })
    const text = new TextEncoder().encode(JSON.stringify({ where: {}, all: true, update: { data: { city: 'Goa' } } }))
    // Asked for when the request is read, and not before.
    const body = new ReadableStream(
      {
        pull(controller) {
          advanceTo(Date.now() + 25_000)
          controller.enqueue(text)
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
    const request = new Request(`${ORIGIN}${LEADS}`, { method: 'PATCH', headers, body })
    const context = createExecutionContext()
    const response = await app.fetch(request, harness.env, context)
    await waitOnExecutionContext(context)
    expect(response.status).toBe(202)
    await harness.settle(team)
  })
})

describe('an entry scheduled by hand', () => {
  const schedule = async (apiType: string) => {
    const team = await newLeadTeam()
    const entries = `{"apiType": ${apiType}, "apiData": {}}, {"apiType": "PROCESS_CREATE", "apiData": {"procedureId": "lead", "processCreate": {}}}`
    const response = await team.call('POST', JOBS, `{"entries": [${entries}]}`)
    expect(response.status).toBe(202)
    return listEntries(team, response.data.id)
  }

  it('is INVALID where its type cannot be made a text, and holds up no other', async () => {
    for (const apiType of ['{"toString": 1, "valueOf": 1}', '7', 'null', '[["x"]]']) {
      const [first] = await schedule(apiType)
      expect(first.completionStatus).toBe('INVALID')
      expect(first.completionMessage).toContain('"apiType" must be one of PROCESS_UPDATE')
    }
  })

  it('is INVALID where it is nested too deeply', async () => {
    for (const depth of [5_000, 50_000]) {
      const [first] = await schedule(`${'['.repeat(depth)}${']'.repeat(depth)}`)
      expect(first.completionStatus).toBe('INVALID')
    }
  })

  it('is INVALID where its data is nested too deeply', async () => {
    const team = await newLeadTeam()
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const response = await team.call('POST', JOBS, `{"entries": [{"apiType": "NOTHING", "apiData": ${deep}}]}`)
    expect(response.status).toBe(202)
    const [entry] = await listEntries(team, response.data.id)
    expect(entry.completionStatus).toBe('INVALID')
  })
})

describe('an entry that is nested thousands of levels', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`

  it('is INVALID without its data, and the entries of its job can be read', async () => {
    const team = await newLeadTeam()
    const items = `{"lead_id": "FINE"}, {"lead_id": "DEEP", "notes": ${deep(8_000)}}`
    const response = await team.call('POST', `${LEADS}/bulk-create`, `[${items}]`)
    expect(response.status).toBe(202)
    const [fine, refused] = await listEntries(team, response.data.id)
    expect(fine.completionStatus).toBe('NOT_STARTED')
    expect(refused.completionStatus).toBe('INVALID')
    expect(refused.completionMessage).toContain('at most 100 levels deep')
    expect(JSON.stringify(refused)).not.toContain('[[')
  })

  it('is refused in any other body, by the path of the place', async () => {
    const team = await newLeadTeam()
    const view = { name: 'Deep', query: { where: { city: 'DEEP' } } }
    const bodies: [string, string, string, string][] = [
      ['POST', LEADS, `{"data": {"lead_id": "L1", "notes": "DEEP"}}`, '/body/data/notes'],
      ['POST', '/v1/ext/saved-view', JSON.stringify(view), '/body/query/where/city'],
      ['PATCH', LEADS, '{"where": {"city": "DEEP"}, "update": {"state": "BUSY"}}', '/body/where'],
    ]
    for (const [method, path, body, place] of bodies) {
      const response = await team.call(method, path, body.replace('"DEEP"', deep(8_000)))
      expect(response.status).toBe(400)
      expect(response.errors.join()).toContain('at most 100 levels deep')
      expect(JSON.stringify(response.meta)).toContain(place)
    }
  })
})

describe('entries in flight', () => {
  it('are parsed once for all entries that a page shows', async () => {
    const team = await newLeadTeam()
    const harness = new Harness()
    const items = Array.from({ length: 250 }, (_, index) => ({ lead_id: `D${index}` }))
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
    const unfinished = JSON.stringify([{ mode: 'delayed', from: 0, to: 100, at: 1 }])
    await env.DB.prepare('UPDATE background_job SET cursor = 100, unfinished = ?2, outstanding = 100 WHERE id = ?1')
      .bind(body._data.id, unfinished)
      .run()
    const parse = vi.spyOn(JSON, 'parse')
    const page = await team.call('GET', `${JOBS}/${body._data.id}/entries`)
    const times = parse.mock.calls.filter(([text]) => text === unfinished).length
    parse.mockRestore()
    expect(getStatuses(page.data)).toEqual(Array(100).fill('IN_PROGRESS'))
    expect(times).toBeLessThanOrEqual(2)
    await team.call('POST', `${JOBS}/${body._data.id}/cancel`)
  })
})

describe('the settings of jobs', () => {
  it('are refused by name where they cannot be used', () => {
    expect(readJobSettings(env).chunkEntries).toBe(800)
    for (const [name, value] of [
      ['JOB_RETENTION_DAYS', '0'],
      ['JOB_RETENTION_DAYS', '2.5'],
      ['JOB_RETENTION_DAYS', 'Infinity'],
      ['JOB_ARCHIVE_MINUTES', ''],
      ['JOB_ARCHIVE_MINUTES', 'ten'],
      ['JOB_PAUSE_DAYS', '-1'],
      ['DATABASE_BYTES_MAX', '1e13'],
      ['JOB_PAUSE_DAYS', undefined],
    ] as const)
      expect(() => readJobSettings({ ...env, [name]: value })).toThrow(
        `the setting ${name} must be a whole number from`,
      )
  })
})
