import { runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isNewer, type JobRow } from '../../src/background-job/rules.ts'
import { DAY_MS, MINUTE_MS } from '../../src/time-units.ts'
import { ORIGIN, type Team } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { Harness } from '../support/harness.ts'
import { bulk, JOBS, LEADS, listEntries, newLeadTeam } from '../support/jobs.ts'
import { type Connected, connectPlugin, newNumber } from '../support/provider.ts'

const creates = (count: number) => Array.from({ length: count }, (_, index) => ({ lead_id: `T${index}` }))

/** A job of messages to as many numbers, accepted. */
async function messageJob(harness: Harness, team: Team, whatsapp: Connected, phones: string[], more: object = {}) {
  const entries = phones.map(whatsapp.entry)
  const { status, body } = await harness.request(team, 'POST', JOBS, { entries, ...more })
  expect(status).toBe(202)
  return body._data.id as string
}

afterEach(() => void vi.useRealTimers())

describe('cancelling', () => {
  it('changes nothing with a key that was used for another request', async () => {
    const team = await newLeadTeam()
    const harness = new Harness()
    const key = { 'idempotency-key': 'used' }
    const other = await team.call('POST', `${LEADS}`, { data: { lead_id: 'other' } }, key)
    expect(other.status).toBe(201)
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, creates(5))
    const reply = await team.call('POST', `${JOBS}/${body._data.id}/cancel`, undefined, key)
    expect([reply.status, reply.meta.errors[0].code]).toEqual([422, 'idempotency_key_reused'])
    expect((await team.call('GET', `${JOBS}/${body._data.id}`)).data.completionStatus).toBe('IN_PROGRESS')
    const again = await team.call('POST', `${JOBS}/${body._data.id}/cancel`, undefined, { 'idempotency-key': 'new' })
    const replayed = await team.call('POST', `${JOBS}/${body._data.id}/cancel`, undefined, { 'idempotency-key': 'new' })
    expect([again.status, again.data.completionStatus]).toEqual([200, 'CANCELLED'])
    expect(replayed.headers.get('idempotency-replayed')).toBe('true')
    expect(replayed.data).toEqual(again.data)
  })

  it('is refused for a job that has ended, with and without a key', async () => {
    const team = await newLeadTeam()
    const { data } = await bulk(team, 'POST', creates(2))
    for (const headers of [{}, { 'idempotency-key': 'late' }] as Record<string, string>[]) {
      const reply = await team.call('POST', `${JOBS}/${data.id}/cancel`, undefined, headers)
      expect([reply.status, reply.errors[0]]).toEqual([409, `background job ${data.id} has ended already: SUCCESS`])
    }
  })

  it('never turns back the times that its runner wrote', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 5, sliceChunks: 1 } })
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, creates(10))
    await harness.deliver()
    // The runner's clock is ahead.
    const ahead = Date.now() + 30_000
    await env.DB.prepare('UPDATE background_job SET updated_at = ?2 WHERE id = ?1').bind(body._data.id, ahead).run()
    const reply = await team.call('POST', `${JOBS}/${body._data.id}/cancel`)
    expect(reply.data.updatedAt).toBe(ahead)
    expect(reply.data.completedAt).toBe(ahead)
  })

  it('wakes at once a job that waits for its start time and has messages in flight', async () => {
    const team = await newLeadTeam()
    const whatsapp = await connectPlugin(team)
    const harness = new Harness()
    vi.useFakeTimers({ toFake: ['Date'] })
    const to = newNumber()
    await whatsapp.faults({ to, times: 9, fault: { kind: 'error', code: 131056 } })
    const id = await messageJob(harness, team, whatsapp, [to], { startAt: Date.now() + MINUTE_MS })
    vi.setSystemTime(Date.now() + 2 * MINUTE_MS)
    await harness.runCron()
    await harness.deliver()
    harness.messages = []
    const { body } = await harness.request(team, 'POST', `${JOBS}/${id}/cancel`)
    expect(body._data).toMatchObject({ completionStatus: 'CANCELLED', completedAt: 0 })
    expect(harness.messages).toHaveLength(1)
    await harness.deliver()
    expect((await team.call('GET', `${JOBS}/${id}`)).data.completedAt).toBeGreaterThan(0)
  })
})

describe('an entry', () => {
  it('has its own time of completion, whatever becomes of its neighbours', async () => {
    const team = await newLeadTeam()
    const whatsapp = await connectPlugin(team)
    const harness = new Harness()
    vi.useFakeTimers({ toFake: ['Date'] })
    const phones = [newNumber(), newNumber()]
    await whatsapp.faults({ to: phones[1], times: 1, fault: { kind: 'error', code: 131056 } })
    const id = await messageJob(harness, team, whatsapp, phones)
    await harness.deliver()
    const [first] = await listEntries(team, id)
    expect(first.completionStatus).toBe('SUCCESS')
    vi.setSystemTime(Date.now() + MINUTE_MS)
    await harness.settle(team)
    const [after, other] = await listEntries(team, id)
    expect(after).toEqual(first)
    expect(other.completionStatus).toBe('SUCCESS')
    expect(other.updatedAt - after.updatedAt).toBeGreaterThanOrEqual(MINUTE_MS)
  })
})

describe('a job whose plugin stays stopped', () => {
  it('ends after the days for which it may be paused, with the reason', async () => {
    const team = await newLeadTeam()
    const whatsapp = await connectPlugin(team)
    const harness = new Harness({ JOB_PAUSE_DAYS: '2' })
    vi.useFakeTimers({ toFake: ['Date'] })
    const phones = Array.from({ length: 14 }, newNumber)
    const id = await messageJob(harness, team, whatsapp, phones)
    await env.DB.prepare("UPDATE plugin SET stopped_at = 1, stopped_by = 190, status_message = 'expired' WHERE id = ?")
      .bind(whatsapp.id)
      .run()
    await harness.deliver()
    const paused = await team.call('GET', `${JOBS}/${id}`)
    expect(paused.data.statusMessage).toContain(`Paused: ${paused.data.pausedBecause}.`)
    expect(paused.data.pausedBecause).toContain('the plugin')
    vi.setSystemTime(Date.now() + DAY_MS)
    await harness.runCron()
    await harness.deliver()
    expect((await team.call('GET', `${JOBS}/${id}`)).data.completedAt).toBe(0)
    vi.setSystemTime(Date.now() + 1.1 * DAY_MS)
    await harness.runCron()
    await harness.settle(team)
    const ended = await team.call('GET', `${JOBS}/${id}`)
    expect(ended.data.completionStatus).toBe('ERROR')
    expect(ended.data).not.toHaveProperty('pausedBecause')
    expect(ended.meta.bjEntryCompletionStatusVsCount.ERROR).toBe(14)
    const [entry] = await listEntries(team, id)
    expect(entry.completionMessage).toContain('the job was paused for too long: the plugin')
  })
})

describe('the cron', () => {
  it('wakes all silent jobs of a minute, however many', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { teamJobs: 1_000 } })
    const ids: string[] = []
    for (let nth = 0; nth < 130; nth++) {
      const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, [{ lead_id: `W${nth}` }])
      ids.push(body._data.id)
    }
    harness.messages = []
    await harness.runCron(Date.now() + 10 * MINUTE_MS)
    expect(harness.messages).toHaveLength(130)
    await harness.settle(team)
  })

  it('wakes the jobs of each queue, however many stand before them in one that takes no message', async () => {
    const team = await newLeadTeam()
    const isRefused = { now: false }
    const harness = new Harness(
      { JOB_TUNING: { teamJobs: 1_000 } },
      {
        fault: (kind, _, about) =>
          isRefused.now && kind === 'queue' && about.includes(team.id) ? 'fails before' : undefined,
      },
    )
    for (let nth = 0; nth < 101; nth++) {
      const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, [{ lead_id: `W${nth}` }])
      expect(body._data.completionStatus).toBe('IN_PROGRESS')
    }
    const other = await newLeadTeam()
    const later = await harness.request(other, 'POST', `${LEADS}/bulk-create`, creates(101))
    harness.messages = []
    isRefused.now = true
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const time = Date.now() + 10 * MINUTE_MS
    await harness.runCron(time)
    expect(harness.messages).toMatchObject([{ queue: 'jobs', body: { jobId: later.body._data.id } }])
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)))
    const cause = expect.stringContaining('no message was taken by jobs-small')
    expect(lines).toContainEqual(expect.objectContaining({ task: 'wake jobs', cause }))
    isRefused.now = false
    harness.messages = []
    await harness.runCron(time + MINUTE_MS)
    expect(harness.messages.filter(({ queue }) => queue === 'jobs-small')).toHaveLength(101)
    await harness.settle(team)
    await harness.settle(other)
  })

  it('removes all jobs past their time, with all that belongs to them', async () => {
    const team = await newLeadTeam()
    const harness = new Harness()
    const old = 29 * DAY_MS
    for (let nth = 0; nth < 30; nth++) await bulk(team, 'POST', [{ lead_id: `E${nth}` }])
    const jobs = await env.DB.prepare('SELECT no FROM background_job WHERE team = (SELECT no FROM team WHERE id = ?)')
      .bind(team.id)
      .all<{ no: number }>()
    const tables = ['job_chunk', 'job_outcome'].map(name => `UPDATE ${name} SET job = job - ?2 WHERE job = ?1`)
    const job = 'UPDATE background_job SET no = no - ?2, completed_at = completed_at - ?3 WHERE no = ?1'
    for (const { no } of jobs.results)
      await env.DB.batch([
        ...tables.map(sql => env.DB.prepare(sql).bind(no, old * 4096)),
        env.DB.prepare(job).bind(no, old * 4096, old),
      ])
    await harness.runCron(Date.now() + 2 * DAY_MS)
    for (const table of ['job_chunk', 'job_outcome', 'chunk_removal']) {
      const left = await env.DB.prepare(
        `SELECT count(*) AS n FROM ${table} WHERE team = (SELECT no FROM team WHERE id = ?)`,
      )
        .bind(team.id)
        .first<{ n: number }>()
      expect([table, left?.n]).toEqual([table, 0])
    }
    expect((await team.call('GET', JOBS)).data).toEqual([])
  })
})

describe('progress reports of a job', () => {
  const state = (revision: number, completionStatus: JobRow['completionStatus'], completedAt = 0) =>
    ({ revision, completionStatus, completedAt }) as JobRow

  it('are sent in their order', () => {
    const order = [
      state(0, 'NOT_STARTED'),
      state(1, 'IN_PROGRESS'),
      state(2, 'IN_PROGRESS'),
      state(2, 'CANCELLED'),
      state(3, 'CANCELLED'),
      state(3, 'CANCELLED', 5),
    ]
    for (const [one, a] of order.entries())
      for (const [other, b] of order.entries()) expect([one, other, isNewer(a, b)]).toEqual([one, other, one > other])
  })

  it('are sent as the database has them, although the object was restarted and received an old one', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 5, sliceChunks: 1 } })
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, creates(10))
    const id = body._data.id
    const getRow = () =>
      env.DB.prepare('SELECT * FROM background_job WHERE id = ?').bind(id).first<{ no: number; team: number }>()
    const row = await getRow()
    const getStub = () => env.JOB_PROGRESS.get(env.JOB_PROGRESS.idFromName(`${row?.team}/${row?.no}`))
    await harness.deliver()
    await runInDurableObject(getStub(), (_, ctx) => ctx.abort('thrown away')).catch(() => {})
    const stub = getStub()
    await stub.publish(state(0, 'IN_PROGRESS'))
    const response = await stub.fetch(`https://progress/${row?.team}/${row?.no}`, { headers: { upgrade: 'websocket' } })
    const socket = response.webSocket
    const told = new Promise<JobRow>(resolve =>
      socket?.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data)))),
    )
    socket?.accept()
    expect((await told).revision).toBe(1)
    socket?.close()
    await harness.settle(team)
  })
})

describe('the stream of a job', () => {
  it('is refused where a hundred are open, and opens again when one has ended', async () => {
    const team = await newLeadTeam()
    const entries = [{ apiType: 'PROCESS_CREATE', apiData: { procedureId: 'lead', processCreate: { data: {} } } }]
    const { data } = await team.call('POST', JOBS, { entries, startAt: Date.now() + DAY_MS })
    const watch = () =>
      exports.default.fetch(`${ORIGIN}${JOBS}/${data.id}/events`, {
        headers: { authorization: `Bearer ${team.token}` },
      })
    const row = await env.DB.prepare('SELECT no FROM background_job WHERE id = ?').bind(data.id).first<{ no: number }>()
    const object = env.JOB_PROGRESS.get(env.JOB_PROGRESS.idFromName(`${team.no}/${row?.no}`))
    const address = `https://progress/${team.no}/${row?.no}`
    const open = async () => (await object.fetch(address, { headers: { upgrade: 'websocket' } })).webSocket
    const first = await watch()
    expect(first.status).toBe(200)
    const sockets = []
    for (let nth = 1; nth < 100; nth++) {
      const socket = await open()
      socket?.accept()
      sockets.push(socket)
    }
    const refused = await watch()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
    expect(await refused.text()).toContain('100 event streams of this job are open already')
    await first.body?.cancel()
    await eventually(async () => {
      const response = await watch()
      await response.body?.cancel()
      expect(response.status).toBe(200)
    })
    for (const socket of sockets) socket?.close()
    await team.call('POST', `${JOBS}/${data.id}/cancel`)
  })

  it('ends when the key of its caller is revoked', async () => {
    const team = await newLeadTeam()
    const harness = new Harness()
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, creates(2))
    const key = await team.call('POST', '/v1/ext/api-key', { name: 'watcher', role: 'viewer' })
    const response = await exports.default.fetch(`${ORIGIN}${JOBS}/${body._data.id}/events`, {
      headers: { authorization: `Bearer ${key.data.token}` },
    })
    expect(response.status).toBe(200)
    expect((await team.call('DELETE', `/v1/ext/api-key/${key.data.id}`)).status).toBe(200)
    const startedAt = Date.now()
    const text = await response.text()
    expect(Date.now() - startedAt).toBeLessThan(30_000)
    expect(text).toContain('event: progress')
    expect(text).not.toContain('event: end')
    await team.call('POST', `${JOBS}/${body._data.id}/cancel`)
  })
})
