import { setTimeout as sleep } from 'node:timers/promises'
import { newProcess, PROCESSES } from './procedure.ts'
import { type Check, expectStatus, must } from './visit.ts'

const DATA_BYTES_MAX = 900_000
const BODY_BYTES_MAX = 1024 * 1024

export const processChecks: Check[] = [
  {
    name: 'process created, fetched, updated, upserted, deleted, restored',
    async run(visit) {
      const { call, name } = visit
      const { path } = await newProcess(visit, { score: 1 })
      must((await expectStatus(call('GET', path), 200)).data.data.score === 1, 'what was created is not fetched')
      await expectStatus(call('PUT', path, { body: { data: { score: 2 } } }), 200)
      await expectStatus(call('PUT', PROCESSES, { body: { data: { smoke_id: name, score: 3 } } }), 200)
      const byKey = await expectStatus(call('GET', `${PROCESSES}/smoke_id/${name}`), 200)
      must(byKey.data.data.score === 3, 'the upsert is not to be seen by the primary key')
      await expectStatus(call('DELETE', path), 200)
      await expectStatus(call('GET', path), 404)
      await expectStatus(call('POST', `${path}/restore`), 200)
      await expectStatus(call('GET', path), 200)
    },
  },
  {
    name: 'etag: 304 for what is known, 412 for what has changed',
    async run(visit) {
      const { path, etag } = await newProcess(visit)
      must(etag !== '', 'there is no etag')
      await expectStatus(visit.call('GET', path, { headers: { 'if-none-match': etag } }), 304)
      const change = { body: { data: { score: 1 } }, headers: { 'if-match': etag } }
      await expectStatus(visit.call('PUT', path, change), 200)
      await expectStatus(visit.call('PUT', path, change), 412)
    },
  },
  {
    name: 'idempotency: the same request is replayed, another with its key is a 422',
    async run({ call, name, cleanUp }) {
      const headers = { 'idempotency-key': name }
      const create = (score: number) => call('POST', PROCESSES, { headers, body: { data: { smoke_id: name, score } } })
      const first = await expectStatus(create(1), 201)
      cleanUp(() => expectStatus(call('DELETE', `${PROCESSES}/${first.data.id}`), 200))
      const again = await expectStatus(create(1), 201)
      must(again.data.id === first.data.id, 'a second process was created')
      must(again.headers.get('idempotency-replayed') === 'true', 'idempotency-replayed is missing')
      await expectStatus(create(2), 422)
    },
  },
  {
    name: 'an unknown id is a 404, a taken primary key a 409, an invalid body a 400 that names the field',
    async run(visit) {
      const { call, name } = visit
      await newProcess(visit)
      await expectStatus(call('GET', `${PROCESSES}/${crypto.randomUUID()}`), 404)
      await expectStatus(call('POST', PROCESSES, { body: { data: { smoke_id: name } } }), 409)
      const { meta } = await expectStatus(
        call('POST', PROCESSES, { body: { data: { smoke_id: name, score: 'high' } } }),
        400,
      )
      must(meta.errors[0]?.path === '/body/data/score', `the path is ${meta.errors[0]?.path}`)
    },
  },
  {
    name: 'a customer, found by the phone number',
    async run(visit) {
      const phone_number = `999${Math.floor(Math.random() * 1e10)}`.padEnd(13, '0')
      const body = (suffix: string) => ({
        data: { smoke_id: visit.name + suffix },
        record: { data: { phone_number, name: visit.name } },
      })
      const records: string[] = []
      for (const suffix of ['-1', '-2']) {
        const made = await expectStatus(visit.call('POST', PROCESSES, { body: body(suffix) }), 201)
        visit.cleanUp(() => expectStatus(visit.call('DELETE', `${PROCESSES}/${made.data.id}`), 200))
        records.push(made.data.record.id)
      }
      must(records[0] === records[1], 'one phone number has two customers')
    },
  },
  {
    name: 'data near the limit is accepted, above it refused; a body above 1 MiB is a 413',
    async run(visit) {
      const { call, name } = visit
      const { path } = await newProcess(visit, { note: 'x'.repeat(DATA_BYTES_MAX - 1_000) })
      const note = (await expectStatus(call('GET', path), 200)).data.data.note
      must(note.length === DATA_BYTES_MAX - 1_000, 'it came back shorter')
      const data = { smoke_id: `${name}-2`, note: 'x'.repeat(DATA_BYTES_MAX) }
      await expectStatus(call('POST', PROCESSES, { body: { data } }), 400, 413)
      // The body is refused before it has been read: the connection may be gone while the rest is still being sent.
      const tooLarge = () => call('POST', PROCESSES, { raw: ' '.repeat(BODY_BYTES_MAX + 1) })
      await expectStatus(tooLarge().catch(tooLarge).catch(tooLarge), 413)
    },
  },
  {
    name: 'a slow upload',
    waits: true,
    async run({ call, name, slowMs, cleanUp }) {
      const text = JSON.stringify({ data: { smoke_id: name, note: 'x'.repeat(10_000) } })
      const made = await expectStatus(call('POST', PROCESSES, { raw: inPieces(text, slowMs) }), 201)
      cleanUp(() => expectStatus(call('DELETE', `${PROCESSES}/${made.data.id}`), 200))
    },
  },
]

const PIECES = 8

function inPieces(text: string, ms: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const size = Math.ceil(bytes.length / PIECES)
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      await sleep(ms / PIECES)
      controller.enqueue(bytes.slice(sent, sent + size))
      sent += size
      if (sent >= bytes.length) controller.close()
    },
  })
}
