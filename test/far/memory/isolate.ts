import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { scheduler } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { sleep } from '../../support/sleep.ts'
import { bulkBody, type Scenario } from './scenarios.ts'

// One isolate in a process of its own, whose heap is as small as Cloudflare's: the Worker's bundle under Node, which
// has a limit, where workerd has none. The database is real, and reached as the client of D1 does it: as one JSON text.

interface Worker {
  fetch: (request: Request, env: unknown, context: unknown) => Promise<Response>
}

const [bundle = '', databaseUrl = '', token = '', text = ''] = process.argv.slice(2)
const scenario = JSON.parse(text) as Scenario
// In workerd it is a global.
Object.assign(globalThis, { scheduler })
const collect = (globalThis as { gc?: () => void }).gc ?? (() => {})

let peakBytes = 0
/** Measures what cannot be collected: objects, texts and buffers. */
function measure(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  peakBytes = Math.max(peakBytes, heapUsed + arrayBuffers)
  return heapUsed + arrayBuffers
}

/** A collection of what ten streams hold takes longer than the time between two of them. */
const MEASURE_EVERY_MS = scenario.kind === 'stream' ? 500 : 25
/** The time that a client takes for a chunk of a stream. */
const SLOW_CLIENT_MS = 50
const nodeBytes = measure()
const { startIsolate } = (await import(pathToFileURL(bundle).href)) as { startIsolate: () => { default: Worker } }
const worker = startIsolate().default

interface Sent {
  sql: string
  params: readonly unknown[]
}

const query = (batch: Sent[]) =>
  new Promise<unknown[]>((resolve, reject) => {
    const body = JSON.stringify(batch)
    // A client that is slow comes back to a connection that the server has closed meanwhile: each call has its own.
    const sent = request(databaseUrl, { method: 'POST', agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { results, error } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
        measure()
        if (error === undefined) resolve(results)
        else reject(new Error(error))
      })
    })
    sent.on('error', reject)
    sent.end(body)
    measure()
  })

const prepare = (sql: string, params: readonly unknown[] = []) => ({
  sql,
  params,
  bind: (...values: unknown[]) => prepare(sql, values),
  all: async () => (await query([{ sql, params }]))[0],
})
const database = { prepare, batch: (batch: Sent[]) => query(batch.map(({ sql, params }) => ({ sql, params }))) }
const done = async () => ({ success: true })
const reserved = async () => ({ startInMs: 0, isReserved: true })
const spent = async () => ({ overMs: 0, strictMs: 0 })
const objects = {
  idFromName: (name: string) => name,
  get: () => ({ publish: done, fetch: done, reserve: reserved, spend: spent }),
}

/** R2 takes what is put as it comes, and keeps nothing here. */
async function put(_: string, value: ReadableStream<Uint8Array> | ArrayBuffer | Uint8Array) {
  let size = 0
  if (value instanceof ReadableStream) for await (const chunk of value) size += chunk.byteLength
  else size = value.byteLength
  measure()
  return { size, etag: 'x', httpEtag: '"x"', key: 'x' }
}

/** A larger object comes in parts. */
const createMultipartUpload = async () => ({
  uploadPart: async (partNumber: number, value: Uint8Array) => ({ ...(await put('', value)), partNumber }),
  complete: done,
  abort: done,
})

const env = new Proxy(JSON.parse(process.env.VARS ?? '{}') as Record<string, unknown>, {
  get: (vars, name: string) => {
    if (name === 'DB') return { ...database, withSession: () => ({ ...database, getBookmark: () => null }) }
    if (name === 'ARCHIVE') return { put }
    if (name === 'MEDIA') return { put, createMultipartUpload, get: async () => null }
    if (name in vars) return vars[name]
    if (name.startsWith('RATE_')) return { limit: done }
    if (/PROGRESS|LIMITER|BUDGET/.test(name)) return objects
    return /JOBS|QUEUE|PROVIDER_REPORTS|SEND/.test(name) ? { send: done, sendBatch: done } : undefined
  },
})

function toStream(pieces: Iterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const { done: isDone, value } = pieces.next()
      if (isDone) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function send(nth: number): Promise<number> {
  const context = { waitUntil: () => {}, passThroughOnException: () => {} }
  const body = bulkBody(scenario, nth)
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (body) {
    headers['content-type'] = body.contentType
    headers['idempotency-key'] = crypto.randomUUID()
    if (scenario.knownLength) headers['content-length'] = String(body.bytes)
  }
  const init = body ? { method: 'POST', body: toStream(body.pieces()), duplex: 'half' } : {}
  const request = new Request(`https://caseworker.test${scenario.path}`, { ...init, headers })
  const response = await worker.fetch(request, env, context)
  if (scenario.kind === 'stream' && response.status === 200) return readSlowly(response)
  const said = await response.text()
  measure()
  if (response.status >= 300) throw new Error(`${response.status} ${said.slice(0, 500)}`)
  return body?.bytes ?? said.length
}

/** All streams are open before one is read on: the isolate holds what is not read yet. */
async function readSlowly({ body }: Response): Promise<number> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  let bytes = 0
  for (let chunk = await reader.read(); !chunk.done && bytes < scenario.bytes; chunk = await reader.read()) {
    bytes += chunk.value.byteLength
    await sleep(SLOW_CLIENT_MS)
  }
  await reader.cancel()
  if (bytes === 0) throw new Error('nothing was read')
  return bytes
}

/** The class of workerd, for idempotency keys of streamed bodies. */
class DigestStream extends WritableStream<Uint8Array> {
  digest: Promise<ArrayBuffer>
  constructor() {
    const hash = createHash('sha256')
    let resolve: (digest: ArrayBuffer) => void = () => {}
    super({
      write: piece => void hash.update(piece),
      close: () => resolve(new Uint8Array(hash.digest()).buffer),
    })
    this.digest = new Promise(done => {
      resolve = done
    })
  }
}
Object.assign(crypto, { DigestStream })

const workerBytes = measure()
const timer = setInterval(measure, MEASURE_EVERY_MS)
const sizes = await Promise.all(Array.from({ length: scenario.atOnce }, (_, nth) => send(nth)))
clearInterval(timer)
process.stdout.write(JSON.stringify({ nodeBytes, workerBytes, peakBytes, bodyBytes: sizes[0] }))
process.exit(0)
