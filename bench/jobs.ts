import { readArguments } from '../scripts/arguments.ts'
import { newId, toRowNo } from '../src/ids.ts'
import { takeProfile } from './inspector.ts'
import { COLLECTION, leadData, makeLeads, runJob } from './leads.ts'
import { median, workerdCpuMs } from './load.ts'
import { startServer } from './server.ts'
import { CHUNK_ENTRIES, CREATE_MANY, UPDATE_MANY, UPSERT_MANY } from './set-based.ts'

const USAGE = `usage: npm run bench -- jobs [--entries=10000] [--rounds=5] [--profile]
Bulk jobs beside two bare ones: the rows of the processes alone, written by set-based statements, and the same with the
entries and outcomes that a job keeps. More than 50,000 entries are several requests, one after the other. Then jobs of ever more attributes an entry. --profile: where V8 spends the time.`
const { values } = readArguments(USAGE, {
  positionalsMax: 1,
  options: {
    entries: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    profile: { type: 'boolean', default: false },
  },
})
const [ENTRIES, ROUNDS] = [Number(values.entries), Number(values.rounds)]
const WIDE_ENTRIES = 250
const WIDTHS = [25, 50, 100, 200]

const server = await startServer({ inspect: values.profile })

interface JobTimes {
  ms: number
  cpuMs: number
}

/** Returns the times that a job reports of itself. */
async function timed(act: () => Promise<unknown>): Promise<JobTimes> {
  const [startedAt, cpuBefore] = [performance.now(), workerdCpuMs()]
  const told = await act()
  const ms = typeof told === 'number' ? told : performance.now() - startedAt
  return { ms, cpuMs: workerdCpuMs() - cpuBefore }
}

async function inChunks<T>(all: T[], text: string, more: unknown[]): Promise<void> {
  for (let from = 0; from < all.length; from += CHUNK_ENTRIES)
    await server.batch({ text, params: [JSON.stringify(all.slice(from, from + CHUNK_ENTRIES)), ...more] })
}

/** The leads of one request, which have less than 32 MiB. */
const REQUEST_ENTRIES_MAX = 50_000

/** Requests of bounded size, one after the other: what they took together. What is sent is made before the clock runs. */
async function inRequests<T>(
  make: (from: number, to: number) => T,
  act: (made: T) => Promise<unknown>,
): Promise<JobTimes> {
  const sum: JobTimes = { ms: 0, cpuMs: 0 }
  for (let from = 0; from < ENTRIES; from += REQUEST_ENTRIES_MAX) {
    const made = make(from, Math.min(ENTRIES, from + REQUEST_ENTRIES_MAX))
    const { ms, cpuMs } = await timed(() => act(made))
    sum.ms += ms
    sum.cpuMs += cpuMs
  }
  return sum
}

/** The rounds of one kind of job: ours, the rows of its processes alone, and the bare job. */
interface Rounds {
  job: JobTimes[]
  rows: JobTimes[]
  bareJob: JobTimes[]
}

function report(name: string, rounds: Rounds): void {
  const perSecond = (some: JobTimes[]) => ((ENTRIES * 1000) / median(some.map(({ ms }) => ms))).toFixed(0)
  const cpu = (some: JobTimes[]) => (Math.min(...some.map(({ cpuMs }) => cpuMs)) * 1000) / ENTRIES
  const beside = (bare: JobTimes[]) => {
    if (bare.length === 0) return ['', '', '', '']
    const ratio = median(rounds.job.map(({ ms }, nth) => (bare[nth]?.ms ?? 0) / ms)).toFixed(2)
    return [perSecond(bare), cpu(bare).toFixed(0), `**${ratio}**`, `**${(cpu(bare) / cpu(rounds.job)).toFixed(2)}**`]
  }
  const ours = [perSecond(rounds.job), cpu(rounds.job).toFixed(0)]
  console.log(`| ${[name, ...ours, ...beside(rounds.rows), ...beside(rounds.bareJob)].join(' | ')} |`)
}

async function profile(): Promise<void> {
  const lead = (nth: number) => leadData(10_000_000 + nth)
  const creates = Array.from({ length: ENTRIES }, (_, nth) => ({ lead_id: lead(nth).lead_id, data: lead(nth) }))
  const updates = creates.map(({ lead_id }, score) => ({ lead_id, update: { data: { city: 'Pune', score } } }))
  const upserts = creates.map(({ lead_id }, score) => ({
    lead_id: score % 2 === 0 ? lead_id : `new ${lead_id}`,
    data: { city: 'Bergen', score },
  }))
  const acts: [string, () => Promise<number>][] = [
    ['create', () => runJob(server, 'POST', `${COLLECTION}/bulk-create`, creates)],
    ['update', () => runJob(server, 'PATCH', COLLECTION, { processes: updates })],
    ['upsert', () => runJob(server, 'POST', `${COLLECTION}/bulk-upsert`, upserts)],
  ]
  for (const [name, act] of acts)
    console.log(`\n${name}, per entry: ${await takeProfile(server.inspectorPort, ENTRIES, act)}\n`)
}

async function compare(proc: number): Promise<void> {
  console.log(`${ENTRIES} entries of 12 attributes, ${ROUNDS} rounds by turns; aim: 0.5 of bare statements\n`)
  const columns = (name: string) => [`${name}/s`, 'CPU µs', 'ratio', 'CPU ratio']
  const head = ['job', 'entries/s', 'CPU µs', ...columns('bare rows'), ...columns('bare job, entries')]
  console.log(`| ${head.join(' | ')} |\n|---|${'---:|'.repeat(head.length - 1)}`)
  const [creates, updates, upserts]: [Rounds, Rounds, Rounds] = [newRounds(), newRounds(), newRounds()]
  for (let round = 1; round <= ROUNDS; round++) {
    const lead = (nth: number, prefix: string) => ({
      ...leadData(round * 2_000_000 + nth),
      lead_id: `${prefix} ${round} ${nth}`,
    })
    const now = Date.now()
    const leads = (prefix: string) => (from: number, to: number) =>
      count(from, to).map(nth => ({ lead_id: lead(nth, prefix).lead_id, data: lead(nth, prefix) }))
    // An id has bits by chance: who comes back to a row has to know it.
    const ids = count(0, ENTRIES).map(nth => newId(now + Math.floor(nth / CHUNK_ENTRIES), nth % CHUNK_ENTRIES))
    const getId = (nth: number): string => ids[nth] ?? ''
    const rows = (from: number, to: number) =>
      count(from, to).map(nth => ({ rid: toRowNo(getId(nth)), id: getId(nth), data: lead(nth, 'rows') }))
    creates.job.push(await inRequests(leads('ours'), made => runJob(server, 'POST', `${COLLECTION}/bulk-create`, made)))
    const user = newId(now)
    creates.rows.push(await inRequests(rows, made => inChunks(made, CREATE_MANY, [proc, now, user])))
    creates.bareJob.push(
      await inRequests(leads('bare'), made => server.call('bare', 'POST', `/job?proc=${proc}`, made)),
    )
    // The first change of rows meets their index entries spread: none of the three is the first, and each sets a
    // score of its own.
    const given = (city: string, score: number) => (from: number, to: number) =>
      rows(from, to).map(({ rid }, nth) => ({ rid, city: `${city} ${round}`, score: score + from + nth }))
    const changes = (city: string, score: number) => (from: number, to: number) => ({
      processes: rows(from, to).map(({ id }, nth) => ({
        id,
        update: { data: { city: `${city} ${round}`, score: score + from + nth } },
      })),
    })
    const updateRows = (made: ReturnType<ReturnType<typeof given>>) => inChunks(made, UPDATE_MANY, [proc, now])
    await inRequests(given('Agra', 3 * ENTRIES), updateRows)
    updates.job.push(await inRequests(changes('Pune', 0), made => runJob(server, 'PATCH', COLLECTION, made)))
    updates.rows.push(await inRequests(given('Surat', ENTRIES), updateRows))
    updates.bareJob.push(
      await inRequests(changes('Goa', 2 * ENTRIES), made => server.call('bare', 'PATCH', `/job?proc=${proc}`, made)),
    )
    // Every second one is there, and the others are made.
    const some = (prefix: string, score: number) => (from: number, to: number) =>
      count(from, to).map(nth => ({
        lead_id: `${nth % 2 === 0 ? prefix : `new ${prefix}`} ${round} ${nth}`,
        nth,
        data: { city: `Bergen ${round}`, score: score + nth },
      }))
    upserts.job.push(
      await inRequests(
        (from, to) => some('ours', 4 * ENTRIES)(from, to).map(({ nth: _, ...item }) => item),
        made => runJob(server, 'POST', `${COLLECTION}/bulk-upsert`, made),
      ),
    )
    upserts.rows.push(
      await inRequests(
        (from, to) =>
          some('rows', 5 * ENTRIES)(from, to).map(({ nth, lead_id, data }) => {
            const id = newId(now + LATER_MS + Math.floor(nth / CHUNK_ENTRIES), nth % CHUNK_ENTRIES)
            return { rid: toRowNo(id), id, data: { lead_id, ...data } }
          }),
        made => inChunks(made, UPSERT_MANY, [proc, now, user]),
      ),
    )
    upserts.bareJob.push(
      await inRequests(
        (from, to) => some('bare', 6 * ENTRIES)(from, to).map(({ nth: _, ...item }) => item),
        made => server.call('bare', 'PUT', `/job?proc=${proc}`, made),
      ),
    )
  }
  report('create', creates)
  report('update', updates)
  report('upsert, half of them new', upserts)
}

const newRounds = (): Rounds => ({ job: [], rows: [], bareJob: [] })
const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, nth) => from + nth)
/** Later processes have other numbers. */
const LATER_MS = 3_600_000

async function widen(proc: number): Promise<void> {
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
    const rounds: JobTimes[] = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push(await timed(() => runJob(server, 'PATCH', COLLECTION, { processes })))
    const [ms, cpuMs] = [median(rounds.map(each => each.ms)), Math.min(...rounds.map(each => each.cpuMs))]
    console.log(
      `| ${width} | ${ms.toFixed(0)} | ${cpuMs.toFixed(0)} | ${((cpuMs * 1000) / WIDE_ENTRIES / width).toFixed(1)} |`,
    )
  }
}

try {
  const { proc } = await makeLeads(server, CHUNK_ENTRIES)
  if (values.profile) await profile()
  else {
    await compare(proc)
    await widen(proc)
  }
} finally {
  await server.stop()
}
