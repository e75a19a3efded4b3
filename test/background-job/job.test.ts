import { createScheduledController } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { runCron } from '../../src/maintenance/cron.ts'
import { newTeam, ORIGIN, type Team } from '../support/api.ts'
import { advanceTo } from '../support/clock.ts'
import { Harness } from '../support/harness.ts'
import { bulk, JOBS, LEADS, leadProcedure, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'

const SMALL = { chunkEntries: 10, sliceChunks: 2 }

/** A job of 45 entries in chunks of 10 that has come as far as the first two: every third fails. */
async function halfDone(): Promise<{ team: Team; harness: Harness; id: string }> {
  const team = await newLeadTeam()
  const harness = new Harness({ JOB_TUNING: SMALL })
  const items = Array.from({ length: 45 }, (_, index) => ({ lead_id: index % 3 === 2 ? 'A' : `L${index}` }))
  await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  const accepted = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
  await harness.deliver()
  return { team, harness, id: accepted.body._data.id }
}

const statuses = (entries: { completionStatus: string }[]) => entries.map(each => each.completionStatus)

describe('a running job', () => {
  it('counts and entries of a running job agree', async () => {
    const { team, harness, id } = await halfDone()
    const job = await team.call('GET', `${JOBS}/${id}`)
    expect(job.data).toMatchObject({ completionStatus: 'IN_PROGRESS', completedAt: 0 })
    const counts = job.meta.bjEntryCompletionStatusVsCount
    expect(counts).toEqual({ INVALID: 0, NOT_STARTED: 25, IN_PROGRESS: 0, SUCCESS: 14, ERROR: 6, CANCELLED: 0 })
    expect(job.headers.get('retry-after')).toBe('1')
    // By one of them it is known that no others of the team are run before it.
    expect(job.cost.read).toBeLessThanOrEqual(4)
    const all = await listEntries(team, id)
    for (const [status, count] of Object.entries(counts)) {
      expect(statuses(all).filter(each => each === status)).toHaveLength(count as number)
      expect(await listEntries(team, id, `?completionStatus=${status}`)).toHaveLength(count as number)
    }
    await harness.settle(team)
    expect((await team.call('GET', `${JOBS}/${id}`)).cost.read).toBeLessThanOrEqual(3)
  })

  it('shows the entries in its current step as IN_PROGRESS', async () => {
    const { team, id } = await halfDone()
    // This is the state that a runner leaves which ends in the middle of its slice.
    await env.DB.prepare('UPDATE background_job SET in_progress = 10, in_progress_to = cursor + 10 WHERE id = ?')
      .bind(id)
      .run()
    const all = statuses(await listEntries(team, id))
    expect(all.slice(20, 30)).toEqual(Array(10).fill('IN_PROGRESS'))
    expect(all.slice(30)).toEqual(Array(15).fill('NOT_STARTED'))
    const reply = await team.call('GET', `${JOBS}/${id}/entries?completionStatus=IN_PROGRESS&limit=5`)
    expect(reply.meta).toMatchObject({
      total: 10,
      next: `${JOBS}/${id}/entries?skip=5&limit=5&completionStatus=IN_PROGRESS`,
    })
  })

  it('a job is not found by another team', async () => {
    const { id } = await halfDone()
    const stranger = await newTeam()
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/entries'],
      ['GET', '/entries?completionStatus=ERROR'],
      ['GET', '/results'],
      ['GET', '/events'],
      ['POST', '/cancel'],
      ['POST', '/retry'],
    ] as const)
      expect([path, (await stranger.call(method, `${JOBS}/${id}${path}`)).status]).toEqual([path, 404])
    for (const other of ['nonsense', crypto.randomUUID()])
      expect((await stranger.call('GET', `${JOBS}/${other}/entries`)).status).toBe(404)
  })
})

describe('the entries of a job', () => {
  it('pages of entries neither repeat nor skip one, filtered or not, each with its index and an id that stays', async () => {
    const { team, harness, id } = await halfDone()
    await harness.settle(team)
    for (const [filter, total] of [
      ['', 45],
      ['completionStatus=ERROR&', 15],
      ['completionStatus=SUCCESS&', 30],
      ['completionStatus=INVALID&', 0],
    ] as const) {
      const walked: { index: number; id: string }[] = []
      let path: string | null = `${JOBS}/${id}/entries?${filter}limit=7`
      while (path !== null) {
        const page = await team.call('GET', path)
        expect(page.meta.total).toBe(total)
        walked.push(...page.data)
        path = page.meta.next
      }
      expect(walked.map(each => each.index)).toEqual([...walked.map(each => each.index)].sort((a, b) => a - b))
      expect(new Set(walked.map(each => each.id)).size).toBe(total)
      expect(walked).toHaveLength(total)
    }
    const [first] = await listEntries(team, id, '?limit=1&skip=44')
    expect(first).toMatchObject({
      index: 44,
      backgroundJob: id,
      team: team.id,
      createdBy: team.admin,
      validationResult: null,
    })
    for (const query of ['limit=0', 'limit=101', 'skip=-1', 'completionStatus=DONE', 'page=2'])
      expect((await team.call('GET', `${JOBS}/${id}/entries?${query}`)).status).toBe(400)
  })
})

describe('cancelling', () => {
  it('a cancelled job starts no further entries and keeps what is done; a queue message that still comes does nothing', async () => {
    const { team, harness, id } = await halfDone()
    const cancelled = await team.call('POST', `${JOBS}/${id}/cancel`)
    expect(cancelled.data).toMatchObject({
      completionStatus: 'CANCELLED',
      statusMessage: 'Cancelled: of 45 entries 14 succeeded, 6 failed, 25 not run',
    })
    expect(cancelled.data.completedAt).toBeGreaterThan(0)
    await harness.settle(team)
    await harness.deliver()
    const job = await team.call('GET', `${JOBS}/${id}`)
    expect(job.meta.bjEntryCompletionStatusVsCount).toEqual({
      INVALID: 0,
      NOT_STARTED: 0,
      IN_PROGRESS: 0,
      SUCCESS: 14,
      ERROR: 6,
      CANCELLED: 25,
    })
    const entries = await listEntries(team, id, '?completionStatus=CANCELLED')
    expect(entries).toHaveLength(25)
    expect(entries[0].completionMessage).toBe('cancelled before it started')
    const again = await team.call('POST', `${JOBS}/${id}/cancel`, undefined, { 'idempotency-key': 'again' })
    expect([again.status, again.data.completedAt]).toEqual([200, cancelled.data.completedAt])
    expect((await team.call('POST', `${JOBS}/${id}/cancel`, undefined, { 'idempotency-key': 'again' })).data).toEqual(
      again.data,
    )
  })

  it('a job that has ended cannot be cancelled', async () => {
    const team = await newLeadTeam()
    const job = await bulk(team, 'POST', [{ lead_id: 'A' }])
    const reply = await team.call('POST', `${JOBS}/${job.data.id}/cancel`)
    expect([reply.status, reply.errors]).toEqual([409, [`background job ${job.data.id} has ended already: SUCCESS`]])
  })
})

describe('retrying', () => {
  it('runs the entries with ERROR again, as a linked job', async () => {
    const { team, harness, id } = await halfDone()
    expect((await team.call('POST', `${JOBS}/${id}/retry`)).status).toBe(409)
    await harness.settle(team)
    await team.call('DELETE', `${LEADS}/lead_id/A`)
    const retry = await team.call('POST', `${JOBS}/${id}/retry`)
    expect(retry.status).toBe(202)
    expect(retry.data).toMatchObject({ retryOf: id, total: 15 })
    const job = await waitForJob(team, retry.data.id)
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 1, ERROR: 14 })
    // The first job is unchanged; beside it are the totals of its retry, with each entry counted once.
    const first = await team.call('GET', `${JOBS}/${id}`)
    expect(first.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 30, ERROR: 15 })
    expect(first.meta.retries).toEqual({
      jobs: 1,
      entries: 15,
      newest: retry.data.id,
      succeeded: 1,
      undoFirst: [retry.data.id],
      bjEntryCompletionStatusVsCount: { ...job.meta.bjEntryCompletionStatusVsCount, SUCCESS: 31, ERROR: 14 },
    })
    expect(job.meta).not.toHaveProperty('retries')
    const fine = await bulk(team, 'POST', [{ lead_id: 'Z' }])
    expect((await team.call('POST', `${JOBS}/${fine.data.id}/retry`)).errors[0]).toContain(
      'has no entry with ERROR to retry',
    )
  })
})

it('shows a chain of retries at the cost of one, by its newest tries, however it branches', async () => {
  const team = await newLeadTeam()
  await bulk(team, 'POST', [{ lead_id: 'A' }])
  const job = (
    await bulk(
      team,
      'POST',
      ['A', 'B', 'A'].map(lead_id => ({ lead_id })),
    )
  ).data.id
  const retry = async (id: string): Promise<string> => {
    const { data } = await team.call('POST', `${JOBS}/${id}/retry`)
    return (await waitForJob(team, data.id)).data.id
  }
  const report = async (id: string) => {
    const { meta, cost } = await team.call('GET', `${JOBS}/${id}`)
    return { retries: meta.retries, cost }
  }
  const second = await retry(job)
  const one = await report(job)
  let last = second
  for (const _ of [1, 2, 3, 4, 5]) last = await retry(last)
  const six = await report(job)
  expect([one.retries.jobs, six.retries.jobs, one.cost.trips, six.cost.trips]).toEqual([1, 6, 1, 1])
  expect(six.cost.read - one.cost.read).toBeLessThanOrEqual(2 * 5)
  expect(six.retries).toMatchObject({
    entries: 2,
    newest: last,
    bjEntryCompletionStatusVsCount: { SUCCESS: 1, ERROR: 2 },
  })
  expect((await report(second)).retries).toMatchObject({ jobs: 5, newest: last })
  expect((await report(last)).retries).toBeUndefined()
  // The first job once more: its newest retry counts, and the chain of before does not get it.
  await team.call('DELETE', `${LEADS}/lead_id/A`)
  const branch = await retry(job)
  expect((await report(job)).retries).toMatchObject({
    jobs: 7,
    newest: branch,
    bjEntryCompletionStatusVsCount: { SUCCESS: 2, ERROR: 1 },
  })
  expect((await report(second)).retries).toMatchObject({ jobs: 5, newest: last })
})

it('names a failed entry by the key of its process, however the request named it', async () => {
  const team = await newLeadTeam()
  await bulk(team, 'POST', [{ lead_id: 'A', state: 'LOST' }, { lead_id: 'B' }])
  const { data } = await team.call('GET', `${LEADS}/lead_id/A`)
  const job = await bulk(team, 'PATCH', {
    processes: [
      { id: data.id, state: 'NEW' },
      { id: 'A', data: { score: 'x' } },
      { lead_id: 'C', state: 'NEW' },
      { id: crypto.randomUUID(), state: 'NEW' },
    ],
  })
  const keys = async (id: string) =>
    (await listEntries(team, id)).map((each: { primaryKey: string }) => each.primaryKey)
  expect(await keys(job.data.id)).toEqual(['A', 'A', 'C', null])
  const created = await bulk(team, 'POST', [{ lead_id: 'A' }, { lead_id: 'D', data: { score: 'x' } }])
  expect(await keys(created.data.id)).toEqual(['A', 'D'])
})

describe('scheduling by hand', () => {
  it('runs entries of any kind about any procedure, in order', async () => {
    const team = await newLeadTeam()
    const made = { procedureId: 'lead', processCreate: { data: { lead_id: 'A' } } }
    const named = { procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: 'A' }
    const entries = [
      [{ apiType: 'PROCESS_CREATE', apiData: made }, 'SUCCESS', ''],
      [{ apiType: 'PROCESS_UPDATE', apiData: { ...named, processUpdate: { data: { score: 1 } } } }, 'SUCCESS', ''],
      [{ apiType: 'PROCESS_DELETE', apiData: named }, 'SUCCESS', ''],
      [{ apiType: 'PROCESS_CREATE', apiData: made }, 'SUCCESS', ''],
      [
        { apiType: 'PROCESS_UPDATE', apiData: { ...named, procedureId: 'other', processUpdate: {} } },
        'ERROR',
        'procedure other not found',
      ],
      [
        { apiType: 'PROCESS_UPDATE', apiData: { procedureId: 'lead', processUpdate: {} } },
        'INVALID',
        '"apiData": it needs "processId", or "primaryKeyShortId" and "primaryKeyValue"',
      ],
      [
        { apiType: 'PROCESS_MERGE', apiData: {} },
        'INVALID',
        expect.stringContaining('"apiType" must be one of PROCESS_UPDATE, PROCESS_CREATE, PROCESS_DELETE'),
      ],
      [5, 'INVALID', expect.stringContaining('"apiType" must be one of')],
    ] as const
    const reply = await team.call('POST', JOBS, { entries: entries.map(([entry]) => entry) })
    expect(reply.status).toBe(202)
    await waitForJob(team, reply.data.id)
    const found = await listEntries(team, reply.data.id)
    expect(found.map((each: Record<string, string>) => [each.completionStatus, each.completionMessage])).toEqual(
      entries.map(([, status, message]) => [status, message]),
    )
    expect((await team.call('GET', `${LEADS}/lead_id/A`)).data.data).toEqual({ lead_id: 'A' })
  })

  it('a job of one entry has no plural', async () => {
    const team = await newLeadTeam()
    const created = await bulk(team, 'POST', [{ lead_id: 'A' }])
    expect((await waitForJob(team, created.data.id)).data.statusMessage).toBe('1 entry succeeded')
    const undone = await team.call('POST', `${JOBS}/${created.data.id}/undo`)
    expect((await waitForJob(team, undone.data.id)).data.statusMessage).toBe('1 entry is taken back')
  })

  it('a job that is scheduled does not run before its time', async () => {
    const team = await newLeadTeam()
    const harness = new Harness()
    const startAt = Date.now() + 3_000
    const entries = [
      { apiType: 'PROCESS_CREATE', apiData: { procedureId: 'lead', processCreate: { data: { lead_id: 'A' } } } },
    ]
    const accepted = await harness.request(team, 'POST', JOBS, { entries, startAt })
    expect(accepted.body._data).toMatchObject({
      completionStatus: 'NOT_STARTED',
      startAt,
      startedAt: 0,
      statusMessage: 'Waiting to start with 1 entry',
    })
    expect(harness.messages).toEqual([])
    const cron = { cron: '* * * * *' }
    await runCron(createScheduledController({ ...cron, scheduledTime: new Date(startAt - 1) }), harness.env)
    expect(harness.messages).toEqual([])
    await runCron(createScheduledController({ ...cron, scheduledTime: new Date(startAt) }), harness.env)
    expect(harness.messages).toHaveLength(1)
    advanceTo(startAt)
    await harness.deliver()
    const job = await team.call('GET', `${JOBS}/${accepted.body._data.id}`)
    expect(job.data.completionStatus).toBe('SUCCESS')
    expect(job.data.startedAt).toBeGreaterThanOrEqual(startAt)
    expect((await team.call('POST', JOBS, { entries, startAt: 1_700_000_000 })).errors).toEqual([
      '"startAt": must be epoch milliseconds, or ISO 8601 with an offset (1700000000000)',
    ])
  })
})

describe('the list of jobs', () => {
  it('jobs are listed newest first, by status, in pages', async () => {
    const team = await newLeadTeam()
    const ids: string[] = []
    for (const lead_id of ['A', 'A', 'B', 'B']) ids.unshift((await bulk(team, 'POST', [{ lead_id }])).data.id)
    const listIds = async (path: string) => {
      const reply = await team.call('GET', path)
      return { ids: reply.data.map((job: { id: string }) => job.id), next: reply.meta.next }
    }
    expect(await listIds(JOBS)).toEqual({ ids, next: null })
    expect((await listIds(`${JOBS}?skip=1&limit=2`)).ids).toEqual(ids.slice(1, 3))
    expect((await listIds(`${JOBS}?completionStatus=ERROR`)).ids).toEqual([ids[0], ids[2]])
    const first = await listIds(`${JOBS}?limit=1&completionStatus=SUCCESS`)
    expect(first.ids).toEqual([ids[1]])
    expect(await listIds(first.next)).toEqual({ ids: [ids[3]], next: null })
    expect((await team.call('GET', `${JOBS}?cursor=!`)).status).toBe(400)
  })
})

describe('the list of jobs by creator, procedure, time, and what they retry', () => {
  it('jobs that fit all filters are listed, also on the next page', async () => {
    const team = await newLeadTeam()
    const { data: config } = await team.call('GET', '/v1/ext/config')
    const ids: string[] = []
    for (const lead_id of ['A', 'A', 'B']) ids.unshift((await bulk(team, 'POST', [{ lead_id }])).data.id)
    const [last = '', failed = '', first = ''] = ids
    await waitForJob(team, failed)
    const retry: string = (await team.call('POST', `${JOBS}/${failed}/retry`)).data.id
    const { data: one } = await team.call('GET', `${JOBS}/${last}`)
    const listIds = async (path: string) => {
      const reply = await team.call('GET', path)
      expect(reply.errors).toEqual([])
      return { ids: reply.data.map((job: { id: string }) => job.id), next: reply.meta.next }
    }
    const listed = async (query: string) => (await listIds(`${JOBS}?${query}`)).ids
    const procedure = config.procedures.find((each: { shortId: string }) => each.shortId === 'lead').id
    expect(await listed(`retryOf=${failed}`)).toEqual([retry])
    expect(await listed(`retryOf=${failed.toUpperCase()}`)).toEqual([retry])
    expect(await listed(`retryOf=${first}`)).toEqual([])
    expect(await listed(`procedure=${procedure}`)).toEqual([retry, last, failed, first])
    expect(await listed(`createdBy=${one.createdBy}&procedure=${procedure}&completionStatus=SUCCESS`)).toEqual([
      last,
      first,
    ])
    expect(await listed(`createdBy=${one.createdBy}&completionStatus=CANCELLED`)).toEqual([])
    expect(await listed(`procedure=${procedure}&completionStatus=CANCELLED`)).toEqual([])
    expect(await listed(`from=${one.createdAt}`)).toEqual([retry, last])
    expect(await listed(`to=${one.createdAt}`)).toEqual([failed, first])
    expect(await listed(`from=${one.createdAt}&to=${one.createdAt + 1}`)).toEqual([last])
    expect(await listed('from=8640000000000000')).toEqual([])
    expect(await listed('to=2023-01-01T00:00:00Z')).toEqual([])
    const page = await listIds(`${JOBS}?createdBy=${one.createdBy}&limit=3`)
    expect(page.ids).toEqual([retry, last, failed])
    expect(await listIds(page.next)).toEqual({ ids: [first], next: null })
    const bounded = await listIds(`${JOBS}?from=${one.createdAt}&limit=1`)
    expect(await listIds(bounded.next)).toEqual({ ids: [last], next: null })
    const other = await newTeam()
    expect((await other.call('GET', `${JOBS}?retryOf=${failed}`)).data).toEqual([])
  })

  it('looks through a bounded number of jobs, and says where to continue', async () => {
    const team = await newTeam()
    const created = await team.call('GET', '/v1/ext/me')
    const [mine, others] = [created.data.user.id, '01935c1e-5a00-7003-8a9b-7c8d9eafb0c1']
    await env.DB.prepare(
      `INSERT INTO background_job (no, id, team, type, completion_status, total, created_by, updated_at, wake_at, completed_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
        SELECT 9000000000000 + i * 5000 + t.no % 5000, printf('01935c1e-5a00-7003-8a9b-%012d', i), t.no, 'bulk_api_job', 'SUCCESS', 0,
          iif(i IN (7, 1501), ?1, ?2), 0, 0, 1 FROM n, team t WHERE t.id = ?3`,
    )
      .bind(mine, others, team.id)
      .run()
    const pages: number[] = []
    const path = `${JOBS}?createdBy=${mine}&limit=10`
    for (let next: string | null = path; next !== null; ) {
      const reply: Awaited<ReturnType<Team['call']>> = await team.call('GET', next)
      expect(reply.cost.trips).toBe(1)
      expect(reply.cost.read).toBeLessThan(5_100)
      pages.push(reply.data.length)
      ;({ next } = reply.meta)
    }
    expect(pages).toEqual([1, 0, 1])
  })

  it('is refused with a filter that is no id, by what the team never had, or with skip', async () => {
    const team = await newTeam()
    const id = '01935c1e-5a00-7003-8a9b-7c8d9eafb0c1'
    for (const [query, path] of [
      ['createdBy=admin', '/query/createdBy'],
      ['procedure=lead', '/query/procedure'],
      ['retryOf=1', '/query/retryOf'],
      ['from=yesterday', '/query/from'],
      ['to=7', '/query/to'],
      [`createdBy=${id}&skip=1`, '/query/skip'],
      [`createdBy=${id}`, '/query/createdBy'],
      [`procedure=${id}`, '/query/procedure'],
    ])
      expect(await team.call('GET', `${JOBS}?${query}`), query).toMatchObject({
        status: 400,
        meta: { errors: [{ path }] },
      })
  })
})

describe('results', () => {
  const readText = async (response: Response) => new TextDecoder().decode(await response.arrayBuffer())
  const take = (team: Team, path: string, accept?: string) =>
    exports.default.fetch(`${ORIGIN}${JOBS}/${path}`, {
      headers: { authorization: `Bearer ${team.token}`, ...(accept === undefined ? {} : { accept }) },
    })

  it('can be downloaded as NDJSON, in the order of the request', async () => {
    const { team, harness, id } = await halfDone()
    await harness.settle(team)
    const response = await take(team, `${id}/results`)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.map(line => line.index)).toEqual(Array.from({ length: 45 }, (_, index) => index))
    expect(lines).toEqual(await listEntries(team, id))
    const errors = await readText(await take(team, `${id}/results?completionStatus=ERROR`))
    expect(
      errors
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).index),
    ).toEqual(Array.from({ length: 15 }, (_, nth) => nth * 3 + 2))
    expect(await readText(await take(team, `${id}/results?completionStatus=CANCELLED`))).toBe('')
  })

  it('can start at an entry, so that a download that broke off can be completed', async () => {
    const { team, harness, id } = await halfDone()
    await harness.settle(team)
    const whole = (await readText(await take(team, `${id}/results`))).split('\n')
    const loadRest = async (fromIndex: number) =>
      (await readText(await take(team, `${id}/results?fromIndex=${fromIndex}`))).split('\n')
    for (const fromIndex of [0, 1, 17, 44])
      expect(await loadRest(fromIndex), String(fromIndex)).toEqual(whole.slice(fromIndex))
    expect(await loadRest(45)).toEqual([''])
    const errors = await readText(await take(team, `${id}/results?completionStatus=ERROR&fromIndex=21`, 'text/csv'))
    expect(errors.trimEnd().split('\r\n')).toHaveLength(1 + 8)
    expect(await team.call('GET', `${JOBS}/${id}/results?fromIndex=-1`)).toMatchObject({
      status: 400,
      meta: { errors: [{ path: '/query/fromIndex' }] },
    })
  })

  it('can be downloaded as CSV', async () => {
    const { team, harness, id } = await halfDone()
    await harness.settle(team)
    const response = await take(team, `${id}/results?completionStatus=ERROR`, 'text/csv')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const lines = (await response.text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(16)
    expect(lines[0]).toMatch(/_status,_error,_hint,_id,_line$/)
    expect(lines[1]).toContain('ERROR,"a process with lead_id ""A"" exists already",')
  })

  it('are what the accept header prefers, and refused where it takes neither', async () => {
    const { team, harness, id } = await halfDone()
    await harness.settle(team)
    const typeOf = async (accept: string) => (await take(team, `${id}/results`, accept)).headers.get('content-type')
    for (const accept of ['application/json', '*/*', 'text/csv;q=0, */*', 'text/csv;q=0.1, application/x-ndjson'])
      expect(await typeOf(accept), accept).toBe('application/x-ndjson')
    expect(await typeOf('text/*')).toBe('text/csv; charset=utf-8')
    const refused = await take(team, `${id}/results`, 'application/xml')
    expect([refused.status, await refused.json()]).toMatchObject([
      406,
      {
        _errors: [
          'the accept header "application/xml" takes nothing that there is: application/x-ndjson, text/csv (or send no accept header)',
        ],
      },
    ])
  })
})

describe('watching a job', () => {
  interface Event {
    event: string
    data: {
      _data: { id: string; completionStatus: string }
      _meta: { bjEntryCompletionStatusVsCount: Record<string, number> }
    }
  }
  const readEvents = (text: string): Event[] =>
    text
      .split('\n\n')
      .filter(block => block.startsWith('event:'))
      .map(block => {
        const fields = Object.fromEntries(
          block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        )
        return { event: fields.event as string, data: JSON.parse(fields.data as string) as Event['data'] }
      })
  const watch = (team: Team, id: string) =>
    exports.default.fetch(`${ORIGIN}${JOBS}/${id}/events`, { headers: { authorization: `Bearer ${team.token}` } })

  it('the event stream sends the counts of a job as they change, and ends when the job ends', async () => {
    const { team, harness, id } = await halfDone()
    const response = await watch(team, id)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const [text] = await Promise.all([response.text(), harness.settle(team)])
    const events = readEvents(text)
    expect(events.at(-1)?.event).toBe('end')
    expect(events.at(-1)?.data._data.completionStatus).toBe('ERROR')
    expect(events.slice(0, -1).map(each => each.event)).toEqual(Array(events.length - 1).fill('progress'))
    expect(events.length).toBeGreaterThanOrEqual(3)
    const done = events.map(({ data }) => {
      const counts = data._meta.bjEntryCompletionStatusVsCount
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(45)
      return (counts.SUCCESS ?? 0) + (counts.ERROR ?? 0)
    })
    expect(done).toEqual([...done].sort((a, b) => a - b))
    expect(done[0]).toBe(20)
    expect(done.at(-1)).toBe(45)
  })

  it('sends the end of a job that has ended or is cancelled, and ends', async () => {
    const { team, id } = await halfDone()
    const response = await watch(team, id)
    const [text] = await Promise.all([response.text(), team.call('POST', `${JOBS}/${id}/cancel`)])
    expect(readEvents(text).at(-1)).toMatchObject({ event: 'end', data: { _data: { completionStatus: 'CANCELLED' } } })
    const after = readEvents(await (await watch(team, id)).text())
    expect(after.map(each => each.event)).toEqual(['end'])
  })
})

describe('maintenance of jobs', () => {
  it('removes jobs past their time with all their entries, in bounded steps, and no others', async () => {
    const { team, harness, id } = await halfDone()
    await harness.settle(team)
    const young = await bulk(team, 'POST', [{ lead_id: 'young' }])
    const DAY = 24 * 60 * 60 * 1000
    const old = 29 * DAY
    const no = await env.DB.prepare('SELECT no FROM background_job WHERE id = ?').bind(id).first<{ no: number }>()
    // The job was made and had ended at that time.
    await env.DB.batch([
      ...['job_chunk', 'job_outcome'].map(table =>
        env.DB.prepare(`UPDATE ${table} SET job = job - ?2 WHERE job = ?1`).bind(no?.no ?? 0, old * 4096),
      ),
      env.DB.prepare('UPDATE background_job SET no = no - ?2, completed_at = completed_at - ?3 WHERE no = ?1').bind(
        no?.no ?? 0,
        old * 4096,
        old,
      ),
    ])
    const count = async () =>
      (
        await env.DB.prepare(
          'SELECT (SELECT count(*) FROM job_chunk WHERE job = ?1) + (SELECT count(*) FROM job_outcome WHERE job = ?1) AS n',
        )
          .bind((no?.no ?? 0) - old * 4096)
          .first<{ n: number }>()
      )?.n
    const at = async (time: number) => {
      await runCron(createScheduledController({ scheduledTime: new Date(time), cron: '* * * * *' }), harness.env)
      return env.DB.prepare('SELECT count(*) AS n FROM background_job WHERE id = ?').bind(id).first<{ n: number }>()
    }
    expect(await count()).toBeGreaterThan(0)
    expect(await at(Date.now() + DAY / 2)).toEqual({ n: 1 })
    expect(await at(Date.now() + 2 * DAY)).toEqual({ n: 0 })
    expect(await count()).toBe(0)
    expect((await env.DB.prepare('SELECT count(*) AS n FROM chunk_removal').first<{ n: number }>())?.n).toBe(0)
    expect((await team.call('GET', `${JOBS}/${young.data.id}`)).status).toBe(200)
  })

  it('removes the remains of an acceptance that broke off', async () => {
    await env.DB.batch([
      env.DB.prepare(`INSERT INTO chunk_removal (job, team, due) VALUES (77, 1, ?)`).bind(Date.now() + 1_000),
      env.DB.prepare(`INSERT INTO job_chunk (team, job, first, count, invalid, entries) VALUES (1, 77, 0, 1, 0, '[]')`),
    ])
    const chunks = async (time: number) => {
      await runCron(createScheduledController({ scheduledTime: new Date(time), cron: '* * * * *' }), new Harness().env)
      return (await env.DB.prepare('SELECT count(*) AS n FROM job_chunk WHERE job = 77').first<{ n: number }>())?.n
    }
    expect(await chunks(Date.now())).toBe(1)
    expect(await chunks(Date.now() + 2_000)).toBe(0)
  })

  it('removes idempotency records once the day after theirs is over', async () => {
    const team = await newLeadTeam()
    for (const key of ['a', 'b', 'c']) await team.call('POST', LEADS, {}, { 'idempotency-key': `${key}-${team.id}` })
    const count = async () => (await env.DB.prepare('SELECT count(*) AS n FROM idempotency').first<{ n: number }>())?.n
    expect(await count()).toBeGreaterThanOrEqual(3)
    const runCronIn = (hours: number) => {
      const scheduledTime = new Date(Date.now() + hours * 60 * 60 * 1000)
      return runCron(createScheduledController({ scheduledTime, cron: '* * * * *' }), new Harness().env)
    }
    await runCronIn(23)
    expect(await count()).toBeGreaterThanOrEqual(3)
    await runCronIn(49)
    expect(await count()).toBe(0)
  })
})

describe('fairness', () => {
  it('a small job completes while a large one still runs', async () => {
    const team = await newTeam()
    const other = await newTeam()
    for (const each of [team, other]) await leadProcedure(each)
    const harness = new Harness({ JOB_TUNING: SMALL })
    const large = await harness.request(
      team,
      'POST',
      `${LEADS}/bulk-create`,
      Array.from({ length: 500 }, () => ({})),
    )
    const small = await harness.request(
      other,
      'POST',
      `${LEADS}/bulk-create`,
      Array.from({ length: 15 }, () => ({})),
    )
    await harness.deliver()
    expect((await other.call('GET', `${JOBS}/${small.body._data.id}`)).data.completionStatus).toBe('SUCCESS')
    const counts = (await team.call('GET', `${JOBS}/${large.body._data.id}`)).meta.bjEntryCompletionStatusVsCount
    expect([counts.SUCCESS, counts.NOT_STARTED]).toEqual([20, 480])
    await harness.settle(team)
  })
})
