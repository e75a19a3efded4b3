import { parseArgs } from 'node:util'
import { newId, ridOf } from '../src/ids.ts'
import { COLLECTION, leadData, makeLeads, runJob } from './leads.ts'
import { median, workerdCpuMs } from './load.ts'
import { startServer } from './server.ts'

// npm run bench -- jobs: bulk jobs beside the same rows written by bare set-based statements, and jobs of ever more
// attributes an entry.
const { values } = parseArgs({
  allowPositionals: true,
  options: { entries: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '5' } },
})
const [ENTRIES, ROUNDS] = [Number(values.entries), Number(values.rounds)]
const CHUNK = 250
const WIDE_ENTRIES = 250
const WIDTHS = [25, 50, 100, 200]

const server = await startServer()

interface Taken {
  ms: number
  cpuMs: number
}

async function timed(act: () => Promise<unknown>): Promise<Taken> {
  const [startedAt, cpuBefore] = [performance.now(), workerdCpuMs()]
  await act()
  return { ms: performance.now() - startedAt, cpuMs: workerdCpuMs() - cpuBefore }
}

async function inChunks<T>(all: T[], statement: (some: T[]) => { text: string; params: unknown[] }): Promise<void> {
  for (let from = 0; from < all.length; from += CHUNK) await server.batch(statement(all.slice(from, from + CHUNK)))
}

const report = (name: string, jobs: Taken[], bare: Taken[]) => {
  const perSecond = (rounds: Taken[]) => ((ENTRIES * 1000) / median(rounds.map(({ ms }) => ms))).toFixed(0)
  const ratio = median(jobs.map(({ ms }, nth) => (bare[nth]?.ms ?? 0) / ms)).toFixed(2)
  const cpu = (rounds: Taken[]) => (median(rounds.map(({ cpuMs }) => cpuMs)) * 1000) / ENTRIES
  console.log(
    `| ${name} | ${perSecond(jobs)} | ${perSecond(bare)} | **${ratio}** | ${cpu(jobs).toFixed(0)} | ${cpu(bare).toFixed(0)} | ${(cpu(bare) / cpu(jobs)).toFixed(2)} |`,
  )
}

try {
  const { proc } = await makeLeads(server, CHUNK)
  const numbers = Array.from({ length: ENTRIES }, (_, index) => index)
  console.log(`${ENTRIES} entries of 12 attributes, ${ROUNDS} rounds by turns; aim: 0.5 of bare statements\n`)
  console.log('| job | entries/s | bare rows/s | ratio | job, CPU µs an entry | bare, CPU µs a row | CPU ratio |')
  console.log('|---|---:|---:|---:|---:|---:|---:|')
  const [creates, bareCreates, updates, bareUpdates]: Taken[][] = [[], [], [], []]
  for (let round = 1; round <= ROUNDS; round++) {
    const leads = numbers.map(index => leadData(round * 1_000_000 + index))
    const entries = leads.map(data => ({ lead_id: data.lead_id, data }))
    creates?.push(await timed(() => runJob(server, 'POST', `${COLLECTION}/bulk-create`, entries)))
    const now = Date.now()
    const rows = leads.map((data, nth) => {
      const id = newId(now + Math.floor(nth / CHUNK), nth % CHUNK)
      return { rid: ridOf(id), id, data: { ...data, lead_id: `bare ${data.lead_id}` } }
    })
    const insert = `INSERT INTO process (rid, id, proc, team, status, state, updated_at, primary_key, s1, s2, data)
      SELECT value ->> '$.rid', value ->> '$.id', ?2, 1, 3, 'NEW', ?3, value ->> '$.data.lead_id', value ->> '$.data.city',
        value ->> '$.data.score', jsonb(value -> '$.data') FROM json_each(?1)`
    bareCreates?.push(
      await timed(() => inChunks(rows, some => ({ text: insert, params: [JSON.stringify(some), proc, now] }))),
    )
    const ids = rows.map(({ rid, id }) => ({ rid, id }))
    const changes = ids.map(({ id }, nth) => ({ id, update: { data: { city: `Pune ${round}`, score: nth } } }))
    updates?.push(await timed(() => runJob(server, 'PATCH', COLLECTION, { processes: changes })))
    const update = `UPDATE process SET data = jsonb_set(data, '$."city"', item.value -> '$.city', '$."score"', item.value -> '$.score'),
        s1 = item.value ->> '$.city', s2 = item.value ->> '$.score', version = version + 1, updated_at = ?2
      FROM json_each(?1) item WHERE process.rid = item.value ->> '$.rid' AND +process.proc = ?3`
    bareUpdates?.push(
      await timed(() =>
        inChunks(
          ids.map(({ rid }, score) => ({ rid, city: `Surat ${round}`, score })),
          some => ({ text: update, params: [JSON.stringify(some), now, proc] }),
        ),
      ),
    )
  }
  report('create', creates ?? [], bareCreates ?? [])
  report('update', updates ?? [], bareUpdates ?? [])

  console.log(
    `\n| attributes an entry | update of ${WIDE_ENTRIES} entries, ms | CPU ms | CPU µs an attribute |\n|---:|---:|---:|---:|`,
  )
  const [some] = await server.batch({
    text: 'SELECT id FROM process WHERE proc = ?1 LIMIT ?2',
    params: [proc, WIDE_ENTRIES],
  })
  for (const width of WIDTHS) {
    const data = Object.fromEntries(Array.from({ length: width }, (_, nth) => [`extra_${nth}`, `value ${nth}`]))
    const processes = (some?.rows ?? []).map(({ id }) => ({ id, update: { data } }))
    const rounds: Taken[] = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push(await timed(() => runJob(server, 'PATCH', COLLECTION, { processes })))
    const [ms, cpuMs] = [median(rounds.map(each => each.ms)), median(rounds.map(each => each.cpuMs))]
    console.log(
      `| ${width} | ${ms.toFixed(0)} | ${cpuMs.toFixed(0)} | ${((cpuMs * 1000) / WIDE_ENTRIES / width).toFixed(1)} |`,
    )
  }
} finally {
  await server.stop()
}
