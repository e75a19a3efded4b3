// biome-ignore-all lint/suspicious/noExplicitAny: a bench knows what it asked for
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { wrangler } from '../scripts/wrangler.ts'
import { newTeam } from '../src/auth/new-team.ts'
import type { PlainText } from '../src/db/text-statement.ts'

/** Next to the Worker, on the same database: statements as they come, and nothing else. It is the ceiling to measure by. */
const BARE = `export default { async fetch(request, env) {
  const statements = await request.json()
  const results = await env.DB.batch(statements.map(({ sql, params }) => env.DB.prepare(sql).bind(...params)))
  return Response.json(results.map(({ results, meta }) => ({ rows: results, changes: meta.changes })))
} }`

interface Fetcher {
  fetch: (url: string, init: RequestInit) => Promise<Response>
}

export interface Server {
  call: (method: string, path: string, body?: unknown) => Promise<{ status: number; data: any; meta: any }>
  /** One batch of statements, sent straight to the database. */
  bare: (...statements: PlainText[]) => Promise<{ rows: any[]; changes: number }[]>
  stop: () => Promise<void>
}

/** The Worker as it is deployed, with the settings and bindings of `wrangler.toml`, on a database to measure on. */
export function builtWorker() {
  const built = path.join(tmpdir(), `caseworker-bench-${process.pid}`)
  wrangler('deploy', '--dry-run', '--outdir', built)
  const { workerOptions } = unstable_getMiniflareWorkerOptions('wrangler.toml')
  const texts = readdirSync(built).filter(name => name.endsWith('.md'))
  const modules = [
    { type: 'ESModule', path: path.join(built, 'index.js') },
    ...texts.map(name => ({ type: 'Text', path: path.join(built, name) })),
  ]
  return { ...workerOptions, ...database, name: 'caseworker', modules, modulesRoot: built }
}

const database = { d1Databases: { DB: 'bench' } }

/** Under Miniflare, without the development server, which would be what is measured. */
export async function startServer(): Promise<Server> {
  const miniflare = new Miniflare({
    log: new Log(LogLevel.NONE),
    handleRuntimeStdio: (stdout: NodeJS.ReadableStream) => stdout.resume(),
    cf: false,
    logRequests: false,
    workers: [
      builtWorker(),
      { name: 'bare', modules: true, script: BARE, compatibilityDate: '2026-04-20', ...database },
    ],
  } as unknown as ConstructorParameters<typeof Miniflare>[0])
  const bareFetcher = (await miniflare.getWorker('bare')) as unknown as Fetcher
  const bare: Server['bare'] = async (...statements) => {
    const response = await bareFetcher.fetch('http://bare/', { method: 'POST', body: JSON.stringify(statements) })
    return (await response.json()) as Awaited<ReturnType<Server['bare']>>
  }
  for (const file of readdirSync('drizzle')
    .filter(name => name.endsWith('.sql'))
    .sort())
    for (const sql of readFileSync(path.join('drizzle', file), 'utf8').split('--> statement-breakpoint'))
      if (sql.trim() !== '') await bare({ sql: sql.trim(), params: [] })
  const team = await newTeam('bench', Date.now())
  await bare(...team.statements)
  const worker = (await miniflare.getWorker('caseworker')) as unknown as Fetcher
  const call: Server['call'] = async (method, route, body) => {
    const response = await worker.fetch(`http://bench${route}`, {
      method,
      headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { _data, _meta } = (await response.json()) as { _data: unknown; _meta: unknown }
    return { status: response.status, data: _data, meta: _meta }
  }
  return { call, bare, stop: () => miniflare.dispose() }
}
