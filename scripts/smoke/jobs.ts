import { PROCESSES } from './procedure.ts'
import { type Check, expectStatus, must, type Reply, until, type Visit } from './visit.ts'

const JOBS = '/v1/ext/background-job'
const ENTRIES = 1_000
const JOB_MS_MAX = 120_000

async function waitForJob({ call }: Visit, accepted: Reply, status = 'SUCCESS'): Promise<string> {
  const path = `${JOBS}/${accepted.data.id}`
  let found = ''
  const hasEnded = async () => {
    found = (await expectStatus(call('GET', path), 200)).data.completionStatus
    return found !== 'NOT_STARTED' && found !== 'IN_PROGRESS'
  }
  await until(hasEnded, JOB_MS_MAX, `job ${accepted.data.id} has not ended`)
  must(found === status, `job ${accepted.data.id} ended as ${found}`)
  return path
}

/** Makes `size` processes of one batch by a job; another job deletes them. */
async function newBatch(visit: Visit, size: number): Promise<Reply> {
  const { call, name, cleanUp } = visit
  const processes = Array.from({ length: size }, (_, n) => ({
    data: { smoke_id: `${name}-${n}`, batch: name, score: n },
  }))
  cleanUp(async () => {
    const body = { where: { batch: name }, update: { isDeleted: true } }
    await waitForJob(visit, await expectStatus(call('PATCH', PROCESSES, { body }), 202))
  })
  return expectStatus(call('POST', `${PROCESSES}/bulk-create`, { body: { processes } }), 202)
}

const lines = (text: string) => text.split('\n').filter(line => line.trim() !== '')

export const jobChecks: Check[] = [
  {
    name: 'lists: by index, by scan, sorted, to the end by cursor',
    async run(visit) {
      const { call, name } = visit
      await waitForJob(visit, await newBatch(visit, 25))
      const list = (body: object) => expectStatus(call('POST', `${PROCESSES}/list`, { body }), 200)
      must((await list({ where: { batch: name }, limit: 100 })).data.length === 25, 'the index finds others')
      const scanned = await list({ where: { smoke_id: `${name}-7`, note: null }, limit: 100 })
      must(scanned.data.length === 1, 'the scan finds others')
      const scores: number[] = []
      let cursor: string | null | undefined
      do {
        const sort = [{ field: 'score', order: 'desc' }]
        const page = await list({ where: { batch: name }, sort, limit: 10, ...(cursor ? { cursor } : {}) })
        for (const { data } of page.data) scores.push(data.score)
        cursor = page.meta.next
      } while (cursor && scores.length < 100)
      must(scores.join() === Array.from({ length: 25 }, (_, n) => 24 - n).join(), `sorted pages have ${scores}`)
    },
  },
  {
    name: 'bulk: 1,000 created, changed by where, results as NDJSON and CSV, entries, retry and cancel refused',
    async run(visit) {
      const { call, name } = visit
      const path = await waitForJob(visit, await newBatch(visit, ENTRIES))
      const ndjson = await expectStatus(call('GET', `${path}/results`), 200)
      must(lines(ndjson.text).length === ENTRIES, `${lines(ndjson.text).length} lines of results`)
      const csv = await expectStatus(call('GET', `${path}/results`, { headers: { accept: 'text/csv' } }), 200)
      const [header = '', ...rows] = lines(csv.text)
      must(
        header.trimEnd().endsWith(',_status,_error,_hint,_id,_line') && rows.length === ENTRIES,
        'the CSV is not whole',
      )
      const entries = await expectStatus(call('GET', `${path}/entries?completionStatus=SUCCESS&limit=5`), 200)
      must(entries.data.length === 5 && entries.meta.total === ENTRIES, `${entries.meta.total} entries with SUCCESS`)
      await expectStatus(call('POST', `${path}/retry`), 409)
      await expectStatus(call('POST', `${path}/cancel`), 409)
      const body = { where: { batch: name }, update: { state: 'DONE' } }
      const changed = await expectStatus(call('PATCH', PROCESSES, { body }), 202)
      must(changed.data.total === ENTRIES, `where selects ${changed.data.total}`)
      await waitForJob(visit, changed)
    },
  },
  {
    name: 'events of a job to its end',
    async run(visit) {
      const job = await newBatch(visit, 200)
      const { text } = await expectStatus(visit.call('GET', `${JOBS}/${job.data.id}/events`), 200)
      must(/^event: end$/m.test(text), `no end: ${text.slice(-200)}`)
      await waitForJob(visit, job)
    },
  },
  {
    name: 'a scheduled job, cancelled',
    async run(visit) {
      const apiData = { procedureId: 'smoke', processCreate: { data: { smoke_id: visit.name } } }
      const body = { entries: [{ apiType: 'PROCESS_CREATE', apiData }], startAt: Date.now() + 3_600_000 }
      const job = await expectStatus(visit.call('POST', JOBS, { body }), 202)
      await expectStatus(visit.call('POST', `${JOBS}/${job.data.id}/cancel`), 200, 202)
      await waitForJob(visit, job, 'CANCELLED')
    },
  },
]
