import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '../scripts/arguments.ts'
import { toRowNo } from '../src/ids.ts'
import { COLLECTION, makeLeads } from './leads.ts'
import { workerdCpuMs } from './load.ts'
import { startServer } from './server.ts'

const USAGE = `usage: npm run bench -- large-job [--entries=1000000]
One request of a million lines: creates as NDJSON, then updates of the same processes as CSV, then what takes these back. What its acceptance and its run take,
by the clock and of the CPU of workerd, the database included; and what its results are.`
const { values } = readArguments(USAGE, {
  positionalsMax: 1,
  options: { entries: { type: 'string', default: '1000000' } },
})
const ENTRIES = Number(values.entries)
const LINES_AT_ONCE = 1_000
const POLL_MS = 2_000

const server = await startServer()

const json = (n: number) =>
  `{"data":{"lead_id":"L${n}","city":"city ${n % 100}","score":${n % 10_000},"product":"two-room flat"}}\n`
const csv = (n: number) => `L${n},city ${n % 90},${n % 8_000},three-room flat\r\n`
const HEADER = 'lead_id,city,score,product\r\n'

/** Sends lines as they are made: nothing holds the whole body. */
function stream(method: string, path: string, type: string, head: string, line: (n: number) => string) {
  return new Promise<{ text: string; status: number; bytes: number }>((resolve, reject) => {
    const headers = { host: 'api.test', authorization: `Bearer ${server.token}`, 'content-type': type }
    const sent = request({ port: server.port, host: '127.0.0.1', method, path, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, bytes, text: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    sent.on('error', reject)
    let [at, bytes] = [0, 0]
    const write = () => {
      while (at < ENTRIES) {
        let text = at === 0 ? head : ''
        for (const end = Math.min(ENTRIES, at + LINES_AT_ONCE); at < end; at++) text += line(at)
        bytes += text.length
        if (!sent.write(text)) return void sent.once('drain', write)
      }
      sent.end()
    }
    write()
  })
}

/** Reads what is too long to be one text. */
const countResults = (path: string) =>
  new Promise<{ bytes: number; lines: number }>((resolve, reject) => {
    const headers = { host: 'api.test', authorization: `Bearer ${server.token}` }
    const sent = request({ port: server.port, host: '127.0.0.1', path, headers }, response => {
      let [bytes, lines] = [0, 0]
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        for (const byte of chunk) if (byte === 0x0a) lines += 1
      })
      response.on('end', () => resolve({ bytes, lines }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })

interface JobRow {
  status: string
  total: number
  success: number
  error: number
  completedAt: number
}
const JOB = `SELECT completion_status AS status, total, success, error, completed_at AS completedAt FROM background_job WHERE no = ?1`

async function run(name: string, sending: () => ReturnType<typeof stream>): Promise<string> {
  const [startedAt, cpuBefore] = [Date.now(), workerdCpuMs()]
  const { status, text, bytes } = await sending()
  if (status !== 202) throw new Error(`${status} ${text}`)
  const [acceptedAt, cpuAccepted] = [Date.now(), workerdCpuMs()]
  const { _data } = JSON.parse(text) as { _data: { id: string } }
  for (;;) {
    await sleep(POLL_MS)
    const [found] = await server.batch({ text: JOB, params: [toRowNo(_data.id)] })
    const job = found?.rows[0] as unknown as JobRow
    if (job.completedAt === 0) continue
    const seconds = (ms: number) => (ms / 1_000).toFixed(1)
    const took = [
      acceptedAt - startedAt,
      cpuAccepted - cpuBefore,
      job.completedAt - acceptedAt,
      workerdCpuMs() - cpuAccepted,
    ]
    console.log(
      `| ${[name, (bytes / 1e6).toFixed(0), ...took.map(seconds), (ENTRIES / ((job.completedAt - acceptedAt) / 1_000)).toFixed(0), job.status, job.success, job.error].join(' | ')} |`,
    )
    return _data.id
  }
}

try {
  await makeLeads(server, 0)
  console.log('| job | body MB | accepted, s | CPU, s | run, s | CPU, s | entries/s | status | success | error |')
  const created = await run('create, NDJSON', () =>
    stream('POST', `${COLLECTION}/bulk-create`, 'application/x-ndjson', '', json),
  )
  const text = `SELECT (SELECT count(*) FROM job_chunk WHERE job = ?1) AS chunks, (SELECT sum(octet_length(entries)) FROM job_chunk WHERE job = ?1) AS entryBytes,
    (SELECT count(*) FROM job_outcome WHERE job = ?1) AS outcomes, (SELECT sum(octet_length(outcomes)) FROM job_outcome WHERE job = ?1) AS outcomeBytes`
  console.log(JSON.stringify((await server.batch({ text, params: [toRowNo(created)] }))[0]?.rows[0]))
  const startedAt = Date.now()
  const { bytes, lines } = await countResults(`/v1/ext/background-job/${created}/results`)
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1)
  console.log(`results: ${(bytes / 1e6).toFixed(0)} MB, ${lines} lines in ${seconds} s`)
  const updated = await run('update, CSV', () => stream('PATCH', COLLECTION, 'text/csv', HEADER, csv))
  await run('undo of the update', async () => {
    const { status, text: said } = await server.send('api', 'POST', `/v1/ext/background-job/${updated}/undo`)
    return { status, text: said, bytes: 0 }
  })
} finally {
  await server.stop()
}
