import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { routes } from '../src/app.ts'
import { MINUTE_MS } from '../src/time-units.ts'
import type { Team } from './support/api.ts'
import { setDatabaseSize } from './support/database-size.ts'
import { expectNothingLeft, RECORD, untilErased, word } from './support/erasing.ts'
import { Harness } from './support/harness.ts'
import { bulk, JOBS, LEADS, listEntries, newLeadTeam, waitForJob } from './support/jobs.ts'
import { loadLoggedEvents } from './support/logged-events.ts'
import { newNumber } from './support/provider.ts'

afterEach(() => void vi.restoreAllMocks())

/** A database that is so large, by what D1 tells with each result. */
async function sizedHarness(team: Team, bytes: number): Promise<Harness> {
  const harness = new Harness({ DATABASE_BYTES_MAX: '10000000000' })
  setDatabaseSize(harness, () => bytes)
  // The isolate has to have read something to know.
  expect((await harness.request(team, 'GET', LEADS)).status).toBe(200)
  return harness
}

describe('a database that is 85 % full', () => {
  it('takes single requests, and refuses bulk requests by name', async () => {
    const team = await newLeadTeam()
    const failed = await bulk(team, 'POST', [{ data: { lead_id: 'A' } }, { data: { lead_id: 'A' } }])
    const harness = await sizedHarness(team, 8_600_000_000)
    const item = { data: { lead_id: 'B' } }
    for (const [method, path, body] of [
      ['POST', `${LEADS}/bulk-create`, [item]],
      ['PATCH', LEADS, { processes: [{ lead_id: 'A', update: { data: { score: 1 } } }] }],
      [
        'POST',
        JOBS,
        { entries: [{ apiType: 'PROCESS_CREATE', apiData: { procedureId: 'lead', processCreate: item } }] },
      ],
      ['POST', `${JOBS}/${failed.data.id}/retry`, undefined],
    ] as const) {
      const { status, body: reply } = await harness.request(team, method, path, body)
      expect([path, status, reply._meta.errors[0].code]).toEqual([path, 507, 'storage_full'])
      expect(reply._errors[0]).toContain('the database is nearly full: bulk requests are refused from 85 % on')
      expect(reply._meta.errors[0].hint).toContain('single requests still work')
    }
    expect((await harness.request(team, 'POST', LEADS, item)).status).toBe(201)
    expect((await team.call('GET', JOBS)).data).toHaveLength(1)
  })

  it('is shown to no team: every route answers the same, whatever other teams store', async () => {
    const team = await newLeadTeam()
    await team.call('POST', LEADS, { data: { lead_id: 'A' } })
    const addresses = routes
      .filter(({ method, permission }) => method === 'get' && permission !== null)
      .map(({ path }) => path.replace(':procedureShortId', 'lead').replaceAll(/:\w+/g, 'A'))
    const answers = async (bytes: number) => {
      const harness = await sizedHarness(team, bytes)
      const all = []
      for (const address of addresses) {
        const { status, body } = await harness.request(team, 'GET', address)
        const { requestId: _, ...meta } = body._meta ?? {}
        all.push({ address, status, data: body._data, meta, errors: body._errors })
      }
      const { status, body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, [{}])
      return { all, bulk: { status, errors: body._errors } }
    }
    const [small, large, larger] = [
      await answers(8_510_000_000),
      await answers(9_000_000_000),
      await answers(9_900_000_000),
    ]
    expect(small.all.filter(({ status }) => status === 200).length).toBeGreaterThan(15)
    expect(small.bulk.status).toBe(507)
    expect([large, larger]).toEqual([small, small])
    expect((await answers(1_000_000)).all).toEqual(small.all)
  })

  it('is reported by the cron, once a minute', async () => {
    const team = await newLeadTeam()
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const informed = vi.spyOn(console, 'info').mockImplementation(() => {})
    const getLines = ({ mock }: typeof warned) =>
      mock.calls
        .map(([line]) => JSON.parse(String(line)).metrics)
        .filter(Boolean)
        .map(({ databaseBytes, databaseShare }) => [databaseBytes, databaseShare])
    await (await sizedHarness(team, 8_600_000_000)).runCron()
    expect(getLines(warned)).toEqual([[8_600_000_000, 0.86]])
    await (await sizedHarness(team, 8_400_000_000)).runCron()
    expect(getLines(informed)).toEqual([[8_400_000_000, 0.84]])
  })

  it('refuses a bulk request that fills it while its rows are written, and keeps nothing of it', async () => {
    const team = await newLeadTeam()
    let bytes = 8_400_000_000
    const harness = new Harness(
      { DATABASE_BYTES_MAX: '10000000000' },
      {
        after: ({ sql }) => {
          if (sql.includes('INSERT INTO "chunk_removal"')) bytes = 8_600_000_000
        },
      },
    )
    setDatabaseSize(harness, () => bytes)
    const items = Array.from({ length: 8 }, (_, nth) => ({ data: { lead_id: `A${nth}`, note: 'x'.repeat(990_000) } }))
    const { status, body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
    expect([status, body._meta.errors[0].code]).toEqual([507, 'storage_full'])
    expect((await team.call('GET', JOBS)).data).toEqual([])
    await harness.runCron(Date.now() + 20 * MINUTE_MS)
    const left = 'SELECT count(*) AS n FROM job_chunk WHERE team = ?'
    expect(await env.DB.prepare(left).bind(team.no).first()).toEqual({ n: 0 })
  })

  it('accepts bulk requests again when space was freed', async () => {
    const team = await newLeadTeam()
    const harness = await sizedHarness(team, 8_499_999_999)
    expect((await harness.request(team, 'POST', `${LEADS}/bulk-create`, [{}])).status).toBe(202)
  })
})

describe('a database that is full', () => {
  /** Emulates D1's refusal of whatever grows. */
  const full = () =>
    new Harness(
      {},
      {
        before({ kind, sql }) {
          if (kind === 'database' && /\binsert\b/i.test(sql)) throw new Error('D1_ERROR: Exceeded maximum DB size')
        },
      },
    )

  it('refuses what does not fit, an update with its event, too, and still reads and deletes', async () => {
    const team = await newLeadTeam()
    const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A', city: 'Ulm' } })
    await team.call('POST', LEADS, { data: { lead_id: 'B' } })
    const harness = full()
    const created = await harness.request(team, 'POST', LEADS, { data: { lead_id: 'C' } })
    expect([created.status, created.body._meta.errors[0].code]).toEqual([507, 'storage_full'])
    const update = await harness.request(team, 'PUT', `${LEADS}/lead_id/B`, { data: { score: 1 } })
    expect([update.status, update.body._meta.errors[0].code]).toEqual([507, 'storage_full'])
    expect((await harness.request(team, 'GET', `${LEADS}/lead_id/B`)).body._data.data).toEqual({ lead_id: 'B' })
    const stale = await harness.request(team, 'DELETE', `${LEADS}/${data.id}`, undefined, { 'if-match': '"7-0"' })
    expect(stale.status).toBe(412)
    const deleted = await harness.request(team, 'DELETE', `${LEADS}/${data.id}`)
    expect([deleted.status, deleted.body._data.isDeleted, deleted.body._data.data.city]).toEqual([200, true, 'Ulm'])
    expect((await harness.request(team, 'GET', `${LEADS}/${data.id}`)).status).toBe(404)
    // The process was not kept: the trash had no room for it.
    expect((await team.call('POST', `${LEADS}/${data.id}/restore`)).status).toBe(404)
    expect((await harness.request(team, 'DELETE', `${LEADS}/lead_id/B`)).status).toBe(200)
  })

  it('writes no event of deletions meanwhile, and has no gap in the numbers after that', async () => {
    const team = await newLeadTeam()
    await team.call('POST', LEADS, { data: { lead_id: 'A' } })
    await team.call('POST', LEADS, { data: { lead_id: 'B', city: 'Ulm' } })
    expect((await full().request(team, 'DELETE', `${LEADS}/lead_id/B`)).status).toBe(200)
    await team.call('PUT', `${LEADS}/lead_id/A`, { data: { score: 1 } })
    expect((await loadLoggedEvents(team)).map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'process.created'],
      [2, 'process.created'],
      [3, 'process.updated'],
    ])
  })

  it('tells an undo what may have become of a process that was deleted meanwhile', async () => {
    const team = await newLeadTeam()
    const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
    const { data: job } = await bulk(team, 'PATCH', [{ id: data.id, update: { data: { city: 'Ulm' } } }])
    expect((await full().request(team, 'DELETE', `${LEADS}/${data.id}`)).status).toBe(200)
    const undo = await team.call('POST', `${JOBS}/${job.id}/undo`)
    await waitForJob(team, undo.data.id)
    const [entry] = await listEntries(team, undo.data.id)
    expect([entry.completionResult.code, entry.completionMessage]).toEqual([
      'changed_since',
      expect.stringContaining('or it was deleted while the database was full'),
    ])
  })

  it('erases of a customer what takes no room, says that it is not all, and the rest when it is asked again', async () => {
    const team = await newLeadTeam()
    const [phone, name, city] = [newNumber(), word('Asha'), word('Ulm')]
    const data = { lead_id: 'A' }
    const { data: job } = await bulk(team, 'POST', [{ data, record: { data: { phone, name, city } } }])
    expect(job.completionStatus).toBe('SUCCESS')
    const { id } = (await team.call('GET', `${LEADS}/lead_id/A`)).data.record
    await team.call('PUT', `${RECORD}/${id}`, { data: { city: word('Bonn') } })
    const before = await loadLoggedEvents(team)
    const harness = full()
    for (const nth of [1, 2]) {
      const erased = await harness.request(team, 'DELETE', `${RECORD}/${id}`)
      expect([nth, erased.status, erased.body._data.isComplete]).toEqual([nth, 202, false])
      expect(erased.body._data.remains[0]).toMatchObject({ what: 'record', until: null })
      expect((await team.call('GET', `${RECORD}/${id}`)).data.data).toEqual({ phone })
      expect((await team.call('GET', `${RECORD}?search=${name}`)).data).toEqual([])
      expect((await team.call('GET', `${LEADS}/lead_id/A`)).data.record).toBeNull()
      for (const address of [`${RECORD}/${id}/history`, `${LEADS}/lead_id/A/history`, `${LEADS}/lead_id/A?asOf=1`]) {
        const read = await team.call('GET', address)
        expect([address, read.status]).toEqual([address, 200])
        expect(JSON.stringify(read.data)).not.toContain(name)
      }
    }
    expect(await loadLoggedEvents(team)).toHaveLength(before.length)
    // Whoever has the number is still this customer.
    const { data: late } = await team.call('POST', LEADS, { data: { lead_id: 'B' }, record: { data: { phone } } })
    expect(late.record.id).toBe(id)
    // What is erased in steps needs room for its first row.
    const refused = await harness.request(team, 'DELETE', `${RECORD}/${id}?everywhere=true`)
    expect([refused.status, refused.body._meta.errors[0].code]).toEqual([507, 'storage_full'])

    const again = await team.call('DELETE', `${RECORD}/${id}`)
    expect([again.status, again.data.isComplete, again.data.processes]).toEqual([202, false, 1])
    expect(JSON.stringify(again.data.remains)).not.toContain('"record"')
    expect((await team.call('GET', `${RECORD}/${id}`)).status).toBe(404)
    await untilErased(team, id)
    expect((await team.call('GET', `${LEADS}/lead_id/B`)).data.record).toBeNull()
    expect((await loadLoggedEvents(team)).at(-1)?.type).toBe('record.erased')
    await expectNothingLeft(phone, name, city)
  })

  it('frees space by itself: expired rows are removed', async () => {
    const team = await newLeadTeam()
    await team.call('POST', LEADS, {}, { 'idempotency-key': `full-${team.id}` })
    const left = async () =>
      (
        await env.DB.prepare('SELECT count(*) AS n FROM idempotency WHERE team = ?')
          .bind(team.no)
          .first<{ n: number }>()
      )?.n
    expect(await left()).toBe(1)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await full().runCron(Date.now() + 3 * 24 * 60 * 60_000)
    expect(await left()).toBe(0)
  })
})
