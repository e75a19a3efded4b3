import { newId, ridOf } from '../src/ids.ts'
import { startServer } from './server.ts'

// Entries a second of a bulk job, beside the same rows changed by bare set-based statements in the same run.
const ENTRIES = 10_000
const CHUNK = 250
const ROUNDS = 5

const LEADS = '/v1/ext/procedure/lead/process'
const server = await startServer()
await server.call('PUT', '/v1/ext/procedure/lead', {
  name: 'Lead',
  states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
  startState: 'NEW',
  completedState: 'WON',
  attributes: [
    { shortId: 'lead_id', type: 'string' },
    { shortId: 'city', type: 'string', indexed: true },
    { shortId: 'score', type: 'integer' },
  ],
  primaryKey: 'lead_id',
})
const [found] = await server.bare({ sql: 'SELECT no FROM procedure', params: [] })
const proc = Number(found?.rows[0]?.no)

const numbers = Array.from({ length: ENTRIES }, (_, index) => index)
const chunksOf = <T>(list: T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / CHUNK) }, (_, nth) => list.slice(nth * CHUNK, (nth + 1) * CHUNK))

async function perSecond(act: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return ENTRIES / ((performance.now() - startedAt) / 1000)
}

async function job(method: string, path: string, body: unknown): Promise<void> {
  const { data } = await server.call(method, path, body)
  for (;;) {
    const { data: now, meta } = await server.call('GET', `/v1/ext/background-job/${data.id}`)
    if (now.completedAt !== 0) {
      if (now.completionStatus !== 'SUCCESS') throw new Error(JSON.stringify(meta))
      return
    }
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const said = (what: string, jobs: number[], bare: number[]) =>
  console.log(
    `${what}: ${Math.round(median(jobs))} entries/s by a job, ${Math.round(median(bare))} rows/s by bare statements: ${(
      median(jobs) / median(bare)
    ).toFixed(2)}`,
  )

const creates: number[] = []
const bareCreates: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const items = numbers.map(index => ({ lead_id: `${round}-${index}`, data: { city: 'Goa', score: index } }))
  creates.push(await perSecond(() => job('POST', `${LEADS}/bulk-create`, items)))
  bareCreates.push(
    await perSecond(async () => {
      for (const some of chunksOf(numbers)) {
        const now = Date.now()
        const rows = some.map((index, nth) => {
          const id = newId(now, nth)
          return { rid: ridOf(id), id, key: `bare-${round}-${index}`, city: 'Goa', score: index }
        })
        await server.bare({
          sql: `INSERT INTO process (rid, id, proc, team, status, state, updated_at, primary_key, s1, data)
            SELECT value ->> '$.rid', value ->> '$.id', ?2, 1, 3, 'NEW', ?3, value ->> '$.key', value ->> '$.city',
              jsonb_object('lead_id', value ->> '$.key', 'city', value ->> '$.city', 'score', value ->> '$.score') FROM json_each(?1)`,
          params: [JSON.stringify(rows), proc, now],
        })
      }
    }),
  )
}
said('create', creates, bareCreates)

const [all] = await server.bare({
  sql: 'SELECT rid, id FROM process WHERE proc = ?1 LIMIT ?2',
  params: [proc, ENTRIES],
})
const processes = (all?.rows ?? []) as { rid: number; id: string }[]
const updates: number[] = []
const bareUpdates: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const items = processes.map(({ id }, index) => ({ id, update: { data: { city: `Pune ${round}`, score: index } } }))
  updates.push(await perSecond(() => job('PATCH', LEADS, { processes: items })))
  bareUpdates.push(
    await perSecond(async () => {
      for (const some of chunksOf(processes)) {
        const rows = some.map(({ rid }, index) => ({ rid, city: `Surat ${round}`, score: index }))
        await server.bare({
          sql: `UPDATE process SET data = jsonb_set(data, '$."city"', item.value -> '$.city', '$."score"', item.value -> '$.score'),
              s1 = item.value ->> '$.city', version = version + 1, updated_at = ?2
            FROM json_each(?1) item WHERE process.rid = item.value ->> '$.rid' AND +process.proc = ?3`,
          params: [JSON.stringify(rows), Date.now(), proc],
        })
      }
    }),
  )
}
said('update', updates, bareUpdates)
await server.stop()
