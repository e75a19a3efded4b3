import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { JobRow } from '../../src/background-job/rules.ts'
import { DAY_MS, MINUTE_MS } from '../../src/time-units.ts'
import type { Reply } from '../support/api.ts'
import { advanceTo } from '../support/clock.ts'
import { type Call, Harness } from '../support/harness.ts'
import { JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'

it('a silent job gets one message, and another only when it has been silent again', async () => {
  const team = await newLeadTeam()
  const harness = new Harness()
  await harness.request(team, 'POST', `${LEADS}/bulk-create`, [{ lead_id: 'A' }])
  const sentAfter = async (minutes: number) => {
    harness.messages = []
    await harness.runCron(Date.now() + minutes * MINUTE_MS)
    return harness.messages.filter(({ body }) => (body as { team: number }).team === team.no).length
  }
  const sent: number[] = []
  for (const minutes of [0, 10, 10, 11, 12, 13]) sent.push(await sentAfter(minutes))
  expect(sent).toEqual([0, 1, 0, 0, 1, 0])
})

it('a job that has not ended is kept, however old it is', async () => {
  const team = await newLeadTeam()
  const harness = new Harness()
  const data = { procedureId: 'lead', processCreate: { data: { lead_id: 'A' } } }
  const entries = [{ apiType: 'PROCESS_CREATE', apiData: data }]
  const { body } = await harness.request(team, 'POST', JOBS, { entries, startAt: Date.now() + 50 * DAY_MS })
  await harness.runCron(Date.now() + 40 * DAY_MS)
  expect((await team.call('GET', `${JOBS}/${body._data.id}`)).data).toMatchObject({ completionStatus: 'NOT_STARTED' })
  expect((await team.call('GET', `${JOBS}/${body._data.id}/entries`)).data).toHaveLength(1)
})

it('progress reports of a job that come in any order are shown in the order of the job', async () => {
  const team = await newLeadTeam()
  const { body } = await new Harness().request(team, 'POST', `${LEADS}/bulk-create`, [{ lead_id: 'A' }])
  const row = await env.DB.prepare('SELECT no FROM background_job WHERE id = ?')
    .bind(body._data.id)
    .first<{ no: number }>()
  const stub = env.JOB_PROGRESS.get(env.JOB_PROGRESS.idFromName(`${team.no}/${row?.no}`))
  const watch = async () => {
    const address = `https://progress/${team.no}/${row?.no}`
    const { webSocket } = await stub.fetch(address, { headers: { upgrade: 'websocket' } })
    const told: number[] = []
    const ended = new Promise(resolve => webSocket?.addEventListener('close', resolve))
    webSocket?.addEventListener('message', ({ data }) => told.push((JSON.parse(String(data)) as JobRow).revision))
    webSocket?.accept()
    return { told, ended }
  }
  const { told, ended } = await watch()
  const report = (revision: number, completedAt = 0) =>
    stub.publish({ no: row?.no, revision, completionStatus: 'IN_PROGRESS', completedAt } as JobRow)
  for (const revision of [2, 1, 4, 3]) await report(revision)
  await report(5, Date.now())
  await report(6)
  await ended
  expect(told.filter((revision, nth) => revision !== told[nth - 1])).toEqual([0, 2, 4, 5])
  // A later subscriber receives the end, not the report that came after it.
  const late = await watch()
  await late.ended
  expect(late.told).toEqual([5])
})

it('a step that is under way when its job is cancelled takes no effect', async () => {
  const team = await newLeadTeam()
  let id = ''
  let cancelled: Promise<unknown> | undefined
  const before = async ({ kind, trigger, sql }: Call) => {
    if (kind !== 'database' || trigger !== 'message' || !/INSERT INTO "?process"? /.test(sql)) return
    cancelled ??= team.call('POST', `${JOBS}/${id}/cancel`)
    await cancelled
  }
  const harness = new Harness({ JOB_TUNING: { chunkEntries: 2 } }, { before })
  const items = ['A', 'B', 'C', 'D'].map(lead_id => ({ lead_id }))
  const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
  id = body._data.id
  await harness.settle(team)
  expect(cancelled).toBeDefined()
  const job = await team.call('GET', `${JOBS}/${id}`)
  expect(job.data.completionStatus).toBe('CANCELLED')
  expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ CANCELLED: 4, SUCCESS: 0 })
  for (const { lead_id } of items) expect((await team.call('GET', `${LEADS}/lead_id/${lead_id}`)).status).toBe(404)
})

it('a job ends once, however often it is asked to', async () => {
  const team = await newLeadTeam()
  const harness = new Harness()
  const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, [{ lead_id: 'A' }])
  await harness.settle(team)
  const ended = (await team.call('GET', `${JOBS}/${body._data.id}`)).data
  expect(ended.completedAt).toBeGreaterThan(0)
  advanceTo(Date.now() + MINUTE_MS)
  // A cancellation runs the statement that completes a job, too.
  expect((await team.call('POST', `${JOBS}/${ended.id}/cancel`)).status).toBe(409)
  expect((await team.call('GET', `${JOBS}/${ended.id}`)).data).toEqual(ended)
})

it('a job whose entries have all run refuses a cancellation with a key, before its runner has ended it', async () => {
  const team = await newLeadTeam()
  const replies: Reply[] = []
  let id = ''
  const after = async ({ kind, trigger, sql }: Call) => {
    if (kind !== 'database' || trigger !== 'message' || !/INSERT INTO "?process"? /.test(sql)) return
    replies.push(await team.call('POST', `${JOBS}/${id}/cancel`, undefined, { 'idempotency-key': 'late' }))
  }
  const harness = new Harness({}, { after })
  const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, [{ lead_id: 'A' }])
  id = body._data.id
  await harness.settle(team)
  expect(replies.map(({ status, errors }) => [status, errors[0]])).toEqual([
    [409, `background job ${id} has ended already: SUCCESS`],
  ])
  expect((await team.call('GET', `${JOBS}/${id}`)).data.completionStatus).toBe('SUCCESS')
})

it('a message that is delivered twice starts one runner', async () => {
  const team = await newLeadTeam()
  const harness = new Harness({ JOB_TUNING: { chunkEntries: 2, sliceChunks: 1 } })
  const items = Array.from({ length: 12 }, (_, index) => ({ lead_id: `D${index}` }))
  const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
  const [first] = harness.messages
  await harness.deliver()
  const [second] = harness.messages
  harness.messages = [first, second].flatMap(message => message ?? [])
  await harness.deliver()
  // The old message finds a job that has gone on, and another message under way for it.
  expect(harness.messages).toHaveLength(1)
  await harness.settle(team)
  const job = await team.call('GET', `${JOBS}/${body._data.id}`)
  expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 12 })
})

it('a job with a start time does nothing before it, whatever message comes', async () => {
  const team = await newLeadTeam()
  const harness = new Harness()
  const data = { procedureId: 'lead', processCreate: { data: { lead_id: 'A' } } }
  const entries = [{ apiType: 'PROCESS_CREATE', apiData: data }]
  const { body } = await harness.request(team, 'POST', JOBS, { entries, startAt: Date.now() + DAY_MS })
  const row = await env.DB.prepare('SELECT no, revision FROM background_job WHERE id = ?')
    .bind(body._data.id)
    .first<{ no: number; revision: number }>()
  const message = { team: team.no, job: row?.no, revision: row?.revision }
  const sent = { sentBy: undefined, id: 'early', body: message, attempts: 1, dueAt: Date.now() }
  harness.messages = [{ queue: 'jobs', ...sent }]
  await harness.deliver()
  expect((await team.call('GET', `${JOBS}/${body._data.id}`)).data.completionStatus).toBe('NOT_STARTED')
  expect((await team.call('GET', `${LEADS}/lead_id/A`)).status).toBe(404)
})
