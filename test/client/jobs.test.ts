import { describe, expect, it } from 'vitest'
import { splitBatches } from '../../src/client/bulk.ts'
import { readLines, readServerEvents } from '../../src/client/call/streams.ts'
import { CaseworkerError, type Fetch, type Job } from '../../src/client/client.ts'
import type { BatchLimits } from '../../src/client/pack-lines.ts'
import { collected, createClient, toWorker, withShortPauses } from '../support/client.ts'
import { newLeadTeam } from '../support/jobs.ts'

async function start(fetch: Fetch = toWorker) {
  const team = await newLeadTeam()
  const client = createClient(team, { fetch })
  return { client, leads: client.processes('lead') }
}

const someLeads = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ lead_id: `L${at}`, data: { score: at } }))

const toStream = (...parts: string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })

describe('waiting for a job', () => {
  it('reports its progress from start to end, and each state once', async () => {
    const { client, leads } = await start()
    const job = await leads.bulkCreate(someLeads(600))
    const told: Job[] = []
    const done = await client.jobs.wait(job.id, { onProgress: each => told.push(each) })
    expect(done).toMatchObject({ completionStatus: 'SUCCESS', counts: { SUCCESS: 600 }, total: 600 })
    expect(told.at(-1)).toEqual(done)
    const states = told.map(({ counts, completionStatus }) => JSON.stringify([counts, completionStatus]))
    expect(new Set(states).size).toBe(states.length)
    expect(told.map(({ counts }) => counts.SUCCESS)).toEqual(
      told.map(({ counts }) => counts.SUCCESS).sort((a, b) => a - b),
    )
  })

  it('returns at once if it has ended', async () => {
    const { client, leads } = await start()
    const { id } = await client.jobs.wait((await leads.bulkCreate(someLeads(1))).id)
    const told: Job[] = []
    expect((await client.jobs.wait(id, { onProgress: each => told.push(each) })).completionStatus).toBe('SUCCESS')
    expect(told).toHaveLength(1)
  })

  it('reads a job whose stream of events is refused on its way, for as long as that takes', async () => {
    let reads = 0
    const proxied: Fetch = async (address, init) => {
      if (address.endsWith('/events')) return new Response('<h1>Forbidden</h1>', { status: 403 })
      const response = await toWorker(address, init)
      if (!/background-job\/[^/]+$/.test(address)) return response
      reads += 1
      if (reads > 10) return response
      const body = (await response.json()) as { _data: Job }
      return Response.json({ ...body, _data: { ...body._data, completedAt: 0, completionStatus: 'PENDING' } })
    }
    const { client, leads } = await start(proxied)
    const { id } = await leads.bulkCreate(someLeads(1))
    expect(await withShortPauses(() => client.jobs.wait(id))).toMatchObject({ counts: { SUCCESS: 1 } })
    expect(reads).toBeGreaterThan(10)
  })

  it('continues where the stream of events breaks off or is blocked', async () => {
    let streams = 0
    const breaking: Fetch = async (address, init) => {
      if (!address.endsWith('/events')) return toWorker(address, init)
      streams += 1
      if (streams === 1) throw new TypeError('the connection was reset')
      if (streams === 2) return new Response(toStream('event: progress\ndata: {"_da'), { status: 200 })
      return new Response(toStream(''), { status: 200 })
    }
    const { client, leads } = await start(breaking)
    const job = await leads.bulkCreate(someLeads(300))
    expect(await client.jobs.wait(job.id)).toMatchObject({ counts: { SUCCESS: 300 } })
    expect(streams).toBeGreaterThanOrEqual(2)
  })

  it('ends when the caller aborts it, or when it takes too long', async () => {
    const { client, leads } = await start()
    const entry = {
      apiType: 'PROCESS_UPDATE' as const,
      apiData: { procedureId: 'lead', processId: 'L0', processUpdate: {} },
    }
    const { id } = await client.jobs.schedule({ entries: [entry], startAt: Date.now() + 3_600_000 })
    const stop = new AbortController()
    const waiting = client.jobs.wait(id, { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('enough')), 50)
    await expect(waiting).rejects.toThrow('enough')
    await expect(client.jobs.wait(id, { timeoutMs: 50 })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(leads).toBeDefined()
  })

  it('fails for a job that is not there', async () => {
    const { client } = await start()
    await expect(client.jobs.wait(crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('the results of a job', () => {
  it('come in the order of the request, page by page, as a stream and as a file', async () => {
    const { client, leads } = await start()
    const items = [...someLeads(130), { lead_id: 'L0', data: {} }]
    const { id } = await client.jobs.wait((await leads.bulkCreate(items)).id)
    const order = Array.from({ length: 131 }, (_, index) => index)
    expect((await client.jobs.entries(id).all()).map(({ index }) => index)).toEqual(order)
    expect((await client.jobs.entries(id, { skip: 3, limit: 105 }).all()).map(({ index }) => index)).toEqual(
      order.slice(3, 108),
    )
    expect((await collected(client.jobs.results(id))).map(({ index }) => index)).toEqual(order)
    const failed = await collected(client.jobs.results(id, { completionStatus: 'ERROR' }))
    expect(failed).toMatchObject([{ index: 130, completionResult: { code: 'duplicate_primary_key' } }])
    const csv = await collected(readLines(await client.jobs.download(id, { format: 'csv' })))
    expect(csv).toHaveLength(132)
    expect(csv[0]).toMatch(/_status,_error,_hint,_id,_line/)
  })

  it('continue after the last entry that came where the stream breaks off, each once', async () => {
    const downloads: string[] = []
    const breaking: Fetch = async (address, init) => {
      const response = await toWorker(address, init)
      if (!address.includes('/results')) return response
      downloads.push(new URL(address).search)
      return downloads.length > 2 ? response : breakOff(response, downloads.length * 20_000)
    }
    const { client, leads } = await start(breaking)
    const { id } = await client.jobs.wait((await leads.bulkCreate(someLeads(130))).id)
    const entries = await withShortPauses(() => collected(client.jobs.results(id, { completionStatus: 'SUCCESS' })))
    expect(entries.map(({ index }) => index)).toEqual(Array.from({ length: 130 }, (_, index) => index))
    expect(downloads).toHaveLength(3)
    expect(downloads[2]).toMatch(/^\?completionStatus=SUCCESS&fromIndex=[1-9]/)
  })

  it('fail like a call without a response if they break off again and again without progress', async () => {
    let downloads = 0
    const { client } = await start(async () => {
      downloads += 1
      return breakOff(new Response('{"index":0}\n', { headers: { 'content-type': 'application/x-ndjson' } }), 8)
    })
    const read = withShortPauses(() => collected(client.jobs.results(crypto.randomUUID())))
    await expect(read).rejects.toSatisfy(error => error instanceof CaseworkerError && error.is('no_response'))
    expect(downloads).toBe(6)
    const file = await client.jobs.download(crypto.randomUUID())
    await expect(new Response(file).text()).rejects.toMatchObject({ code: 'no_response', operation: 'getJobResults' })
  })
})

/** The first bytes of a response, whose connection then is reset. */
async function breakOff(response: Response, bytes: number): Promise<Response> {
  const whole = new Uint8Array(await response.arrayBuffer())
  const body = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(whole.subarray(0, bytes)),
    pull: controller => controller.error(new TypeError('the connection was reset')),
  })
  return new Response(body, { headers: { 'content-type': response.headers.get('content-type') ?? '' } })
}

describe('a request of more than one job may have', () => {
  it('is spread over several, each accepted before the next is read', async () => {
    const { client, leads } = await start()
    let read = 0
    async function* reading() {
      for (const lead of someLeads(25)) {
        read += 1
        yield lead
      }
    }
    const readBefore: number[] = []
    const jobs: Job[] = []
    for await (const job of leads.bulkCreateInJobs(reading(), { entriesMax: 10, idempotencyKey: 'import' })) {
      readBefore.push(read)
      jobs.push(await client.jobs.wait(job.id))
    }
    expect(jobs.map(({ total, completionStatus }) => [total, completionStatus])).toEqual([
      [10, 'SUCCESS'],
      [10, 'SUCCESS'],
      [5, 'SUCCESS'],
    ])
    expect(readBefore).toEqual([11, 21, 25])
    const again = await collected(leads.bulkCreateInJobs(someLeads(25), { entriesMax: 10, idempotencyKey: 'import' }))
    expect(again.map(({ id }) => id)).toEqual(jobs.map(({ id }) => id))
  })

  it('creates or updates rightly, whichever job a key is in', async () => {
    const { client, leads } = await start()
    const items = someLeads(5).flatMap(lead => [lead, { ...lead, data: { score: 7 } }])
    const created: unknown[] = []
    for await (const { id } of leads.bulkUpsertInJobs(items, { entriesMax: 5 })) {
      expect((await client.jobs.wait(id)).completionStatus).toBe('SUCCESS')
      for (const { completionResult } of await collected(client.jobs.results(id)))
        created.push((completionResult as { created: boolean }).created)
    }
    expect(created).toEqual(items.map((_, nth) => nth % 2 === 0))
    expect(await leads.list({ where: { score: 7 } }).all()).toHaveLength(5)
  })

  it('never exceeds the bytes of a request, to the byte', async () => {
    const items = [{ a: 'é' }, { a: 'bb' }, { a: 'c' }]
    const lines = items.map(item => `${JSON.stringify(item)}\n`)
    const bytes = new TextEncoder().encode(lines.slice(0, 2).join('')).byteLength
    const split = async (limits: BatchLimits) =>
      Promise.all((await collected(splitBatches(items, limits))).map(each => each.text()))
    const [first, second, third] = lines
    const inTwo = [`${first}${second}`, third]
    expect(await split({ bytesMax: bytes })).toEqual(inTwo)
    expect(await split({ bytesMax: bytes - 1 })).toEqual([first, `${second}${third}`])
    expect(await split({ entriesMax: 2 })).toEqual(inTwo)
    await expect(split({ bytesMax: 10 })).rejects.toMatchObject({ code: 'invalid_call' })
  })

  it('is refused before anything is sent where it must be one job', async () => {
    const { client, leads } = await start()
    await expect(leads.bulkCreate(Array(1_000_001).fill({}))).rejects.toThrow('bulkCreateInJobs')
    await expect(leads.bulkCreate([])).rejects.toThrow('no items')
    expect(await client.jobs.list().all()).toEqual([])
  })
})

describe('a stream of lines', () => {
  it('may be cut anywhere, in the middle of a letter, too', async () => {
    const bytes = new TextEncoder().encode('añ\r\nb\n\nc')
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
    expect(await collected(readLines(stream))).toEqual(['añ', 'b', '', 'c'])
  })

  it('has events with data, and keep-alive lines without any', async () => {
    expect(
      await collected(readServerEvents(toStream('event: progress\nid: 1\nda', 'ta: {"a":1}\n\n: still here\n\n'))),
    ).toEqual(['{"a":1}', ''])
  })
})

describe('an undo that includes the retries', () => {
  const score = (client: Awaited<ReturnType<typeof start>>['client'], leads: string[]) =>
    Promise.all(leads.map(async each => (await client.processes('lead').get({ lead_id: each })).data.score))

  it('undoes those first, the newest before the others, each by a job of its own', async () => {
    const { client, leads } = await start()
    await client.jobs.wait((await leads.bulkCreate(['A', 'B'].map(lead_id => ({ lead_id, data: {} })))).id)
    const scores = { A: 1, B: 'bad', C: 3 }
    const items = Object.entries(scores).map(([lead_id, score]) => ({ lead_id, update: { data: { score } } }))
    const job = await client.jobs.wait((await leads.bulkUpdate(items as never)).id)
    const one = await client.jobs.wait(
      (await client.jobs.retry(job.id, { statuses: ['INVALID'], update: { data: { score: 2 } } })).id,
    )
    await leads.create({ data: { lead_id: 'C' } } as never)
    const two = await client.jobs.wait((await client.jobs.retry(job.id, { statuses: ['ERROR'] })).id)
    expect(await score(client, ['A', 'B', 'C'])).toEqual([1, 2, 3])
    const undos = await collected(client.jobs.undoWithRetries(job.id))
    expect(undos.map(({ undoOf }) => undoOf)).toEqual([two.id, one.id, job.id])
    const ended = await client.jobs.wait(undos.at(-1)?.id ?? '')
    expect(ended.completionStatus).toBe('SUCCESS')
    expect(await score(client, ['A', 'B', 'C'])).toEqual([undefined, undefined, undefined])
  })

  it('skips a job that has changed nothing, and fails only where nothing else was left', async () => {
    const { client, leads } = await start()
    const items = [{ lead_id: 'A', update: { data: { score: 'bad' } } }]
    const job = await client.jobs.wait((await leads.bulkUpdate(items as never)).id)
    await leads.create({ data: { lead_id: 'A' } } as never)
    const retry = await client.jobs.retry(job.id, { statuses: ['INVALID'], update: { data: { score: 2 } } })
    await client.jobs.wait(retry.id)
    const undos = await collected(client.jobs.undoWithRetries(job.id))
    expect(undos.map(({ undoOf }) => undoOf)).toEqual([retry.id])
    const none = await client.jobs.wait((await leads.bulkUpdate(items as never)).id)
    await expect(collected(client.jobs.undoWithRetries(none.id))).rejects.toMatchObject({
      status: 409,
      errors: [{ hasChangedNothing: true }],
    })
  })
})
