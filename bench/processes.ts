import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { newTeam } from '../src/auth/new-team.ts'
import { builtWorker } from './server.ts'

// npm run bench: the built Worker beside a bare one on the same database, in turns, and the ratio of what they manage.
const { values } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string', default: '100000' }, seconds: { type: 'string', default: '4' } },
})
const ROWS = Number(values.rows)
const ROUND_MS = Number(values.seconds) * 1000
const ROUNDS = 3
const CONNECTIONS = 16
const CITIES = 100
const AIM = 0.75

const bundle = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    ...{
      bundle: true,
      write: false,
      format: 'esm',
      target: 'es2024',
      minify: true,
      external: ['cloudflare:*', 'node:*'],
    },
    conditions: ['workerd', 'worker', 'browser'],
  })
  return outputFiles[0]?.text ?? ''
}
const worker = (name: string, script: string) => ({
  ...{ name, modules: true, script, routes: [`${name}.test/*`], d1Databases: { DB: 'bench' } },
  ...{ compatibilityDate: '2026-04-20', compatibilityFlags: ['nodejs_compat'] },
})

// Log lines are written as in production, and read here so that the pipe does not fill up.
const drain = (...streams: NodeJS.ReadableStream[]) => {
  for (const stream of streams) stream.resume()
}

const folder = mkdtempSync(path.join(tmpdir(), 'caseworker-bench-'))
const miniflare = new Miniflare({
  ...{
    d1Persist: folder,
    log: new Log(LogLevel.ERROR),
    logRequests: false,
    cf: false,
    port: 0,
    handleRuntimeStdio: drain,
  },
  workers: [
    { ...builtWorker(), name: 'api', routes: ['api.test/*'] },
    worker('bare', await bundle('bench/bare-worker.ts')),
  ],
} as unknown as ConstructorParameters<typeof Miniflare>[0])

try {
  const { port } = await miniflare.ready
  const db = await miniflare.getD1Database('DB', 'api')
  for (const file of readdirSync('drizzle')
    .filter(name => name.endsWith('.sql'))
    .sort())
    for (const sql of readFileSync(path.join('drizzle', file), 'utf8').split('--> statement-breakpoint'))
      await db.prepare(sql).run()
  const team = await newTeam('Bench', Date.now())
  await db.batch(team.statements.map(({ sql, params }) => db.prepare(sql).bind(...params)))
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

  const call = (
    host: string,
    method: string,
    address: string,
    body?: unknown,
  ): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        host: `${host}.test`,
        authorization: `Bearer ${team.token}`,
        ...(sent === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      }
      const outgoing = request({ port, host: '127.0.0.1', method, path: address, headers, agent }, response => {
        let text = ''
        response.on('data', chunk => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      outgoing.on('error', reject)
      outgoing.end(sent)
    })

  const string = (shortId: string, indexed = false) => ({ shortId, type: 'string', indexed })
  await call('api', 'PUT', '/v1/ext/procedure/lead', {
    ...{
      name: 'Lead',
      states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
      startState: 'NEW',
      completedState: 'WON',
      primaryKey: 'lead_id',
    },
    attributes: [string('lead_id'), string('city', true), { shortId: 'score', type: 'integer' }, string('notes')],
  })
  const { no: proc } = (await db.prepare('SELECT no FROM procedure').first<{ no: number }>()) ?? { no: 0 }
  const first = (Date.now() - 1_704_067_200_000 - ROWS * 1000) * 4096
  const id = (rid: number) => {
    const time = (Math.floor(rid / 4096) + 1_704_067_200_000).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${(rid % 4096).toString(16).padStart(3, '0')}-8000-000000000000`
  }
  const ridAt = (index: number) => first + index * 1000 * 4096
  for (let from = 0; from < ROWS; from += 1000) {
    const rows = Array.from({ length: Math.min(1000, ROWS - from) }, (_, index) => {
      const [rid, n] = [ridAt(from + index), from + index]
      const data = { lead_id: `L${n}`, city: `city ${n % CITIES}`, score: n % 101, notes: 'x'.repeat(600) }
      return { rid, id: id(rid), data }
    })
    const insert = `INSERT INTO process (rid, id, proc, status, state, updated_at, primary_key, s1, data)
      SELECT value ->> 'rid', value ->> 'id', ?2, 3, 'NEW', 0, value ->> '$.data.lead_id', value ->> '$.data.city', jsonb(value -> 'data') FROM json_each(?1)`
    await db.prepare(insert).bind(JSON.stringify(rows), proc).run()
  }

  let made = ROWS
  const any = () => Math.floor(Math.random() * ROWS)
  const collection = '/v1/ext/procedure/lead/process'
  const fresh = () => ({
    data: { lead_id: `L${made++}`, city: `city ${made % CITIES}`, score: 7, notes: 'x'.repeat(600) },
  })
  const operations = {
    fetch: {
      api: () => call('api', 'GET', `${collection}/${id(ridAt(any()))}`),
      bare: () => call('bare', 'GET', `/fetch?proc=${proc}&rid=${ridAt(any())}`),
    },
    create: {
      api: () => call('api', 'POST', collection, fresh()),
      bare: () => call('bare', 'POST', `/create?proc=${proc}&rid=${ridAt(++made) + 1}`, fresh()),
    },
    update: {
      api: () => call('api', 'PUT', `${collection}/${id(ridAt(any()))}`, { data: { score: 8 } }),
      bare: () => call('bare', 'PUT', `/update?proc=${proc}&rid=${ridAt(any())}`, { data: { score: 8 } }),
    },
    'list by city': {
      api: () => call('api', 'POST', `${collection}/list`, { where: { city: `city ${any() % CITIES}` } }),
      bare: () => call('bare', 'GET', `/list?proc=${proc}&city=city%20${any() % CITIES}`),
    },
  }

  const round = async (act: () => Promise<{ status: number; text: string }>, lengthMs: number) => {
    const latencies: number[] = []
    const end = performance.now() + lengthMs
    const one = async () => {
      while (performance.now() < end) {
        const startedAt = performance.now()
        const { status, text } = await act()
        if (status >= 300) throw new Error(`answered ${status}: ${text}`)
        latencies.push(performance.now() - startedAt)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, one))
    return latencies.sort((a, b) => a - b)
  }
  const at = (sorted: number[], share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

  console.log(
    `${ROWS} processes, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${values.seconds} s each, in turns; aim ${AIM} of the bare Worker\n`,
  )
  console.log(
    '| operation | ours, req/s | bare, req/s | ratio | ours p50 / p95 / p99, ms | bare p50 / p95 / p99, ms |\n|---|---:|---:|---:|---:|---:|',
  )
  for (const [name, { api, bare }] of Object.entries(operations)) {
    await round(api, 1000)
    await round(bare, 1000)
    const ours: number[][] = []
    const theirs: number[][] = []
    for (let turn = 0; turn < ROUNDS; turn++) {
      ours.push(await round(api, ROUND_MS))
      theirs.push(await round(bare, ROUND_MS))
    }
    const ratio = median(ours.map((each, turn) => each.length / (theirs[turn]?.length ?? 1)))
    const rate = (rounds: number[][]) => ((median(rounds.map(each => each.length)) * 1000) / ROUND_MS).toFixed(0)
    const [all, allBare] = [ours.flat().sort((a, b) => a - b), theirs.flat().sort((a, b) => a - b)]
    const spread = (sorted: number[]) => `${at(sorted, 0.5)} / ${at(sorted, 0.95)} / ${at(sorted, 0.99)}`
    console.log(
      `| ${name} | ${rate(ours)} | ${rate(theirs)} | ${ratio.toFixed(2)} | ${spread(all)} | ${spread(allBare)} |`,
    )
  }
  agent.destroy()
} finally {
  await miniflare.dispose()
  rmSync(folder, { recursive: true, force: true })
}
