import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { wrangler } from '../scripts/wrangler.ts'
import { buildTeam } from '../src/team/new-team.ts'

export type Host = 'api' | 'bare'
/** The Worker itself, or the one of `overhead-worker.ts` around it. */
type Entry = 'index' | 'overhead-worker'

export interface Reply {
  status: number
  text: string
}

export interface Server {
  /** A request over one of the kept-alive connections. */
  send: (host: Host, method: string, path: string, body?: unknown, more?: Record<string, string>) => Promise<Reply>
  /** A request that must succeed, its response parsed. */
  call: (host: Host, method: string, path: string, body?: unknown) => Promise<unknown>
  /** Runs one batch of statements directly on the database. */
  batch: (
    ...statements: { text: string; params: readonly unknown[] }[]
  ) => Promise<{ rows: Record<string, unknown>[] }[]>
  port: number
  token: string
  inspectorPort: number
  stop: () => Promise<void>
}

const DATABASE = { d1Databases: { DB: 'bench' } }
const COMPATIBILITY = { compatibilityDate: '2026-04-20', compatibilityFlags: ['nodejs_compat'] }

/** The Worker as `wrangler deploy` builds it, with the settings and bindings of `wrangler.toml`. */
async function builtWorker(entry: Entry, vars: Record<string, string>) {
  const built = path.join(tmpdir(), `caseworker-bench-${process.pid}`)
  wrangler('deploy', '--dry-run', '--outdir', built)
  const wrapped = entry === 'index' ? [] : [{ type: 'ESModule', path: path.join(built, `${entry}.js`) }]
  if (wrapped.length > 0)
    await build({
      entryPoints: [`bench/${entry}.ts`],
      outdir: built,
      bundle: true,
      format: 'esm',
      target: 'es2024',
      external: ['./index.js'],
    })
  const { workerOptions } = unstable_getMiniflareWorkerOptions('wrangler.toml')
  const modules = [...wrapped, { type: 'ESModule', path: path.join(built, 'index.js') }]
  // One team may use the whole database.
  const limits = { TEAM_DATABASE_MS_PER_SECOND: '1000000', TEAM_DATABASE_BURST_MS: '1000000' }
  const bindings = { ...workerOptions.bindings, ...limits, ...vars }
  return { ...workerOptions, bindings, ...DATABASE, name: 'api', routes: ['api.test/*'], modules, modulesRoot: built }
}

async function bareWorker() {
  const { outputFiles } = await build({
    entryPoints: ['bench/bare-worker.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    minify: true,
  })
  const script = outputFiles[0]?.text ?? ''
  return { name: 'bare', modules: true, script, routes: ['bare.test/*'], ...DATABASE, ...COMPATIBILITY }
}

/** Both Workers on one database in one workerd, without the development server of wrangler, which would be measured, too. */
export async function startServer({
  connections = 16,
  inspect = false,
  entry = 'index' as Entry,
  vars = {} as Record<string, string>,
} = {}): Promise<Server> {
  const miniflare = new Miniflare({
    log: new Log(LogLevel.NONE),
    // Log lines are written as in production, and read here so that the pipe does not fill up.
    handleRuntimeStdio: (...streams: NodeJS.ReadableStream[]) => streams.forEach(stream => void stream.resume()),
    cf: false,
    logRequests: false,
    port: 0,
    ...(inspect ? { inspectorPort: 0 } : {}),
    workers: [await builtWorker(entry, vars), await bareWorker()],
  } as unknown as ConstructorParameters<typeof Miniflare>[0])
  const { port } = await miniflare.ready
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const team = await buildTeam('Bench', { no: 1, now: Date.now() })

  const send: Server['send'] = (host, method, address, body, more = {}) =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        host: `${host}.test`,
        authorization: `Bearer ${team.token}`,
        ...more,
        ...(sent && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      }
      const outgoing = request({ port, host: '127.0.0.1', method, path: address, headers, agent }, response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        )
        response.on('error', reject)
      })
      // workerd closes a connection that was idle for 5 seconds, perhaps just now.
      const again = () => send(host, method, address, body, more).then(resolve, reject)
      outgoing.on('error', error => (outgoing.reusedSocket ? again() : reject(error)))
      outgoing.end(sent)
    })
  const call: Server['call'] = async (...args) => {
    const { status, text } = await send(...args)
    if (status >= 300) throw new Error(`${args[1]} ${args[2]}: ${status} ${text}`)
    return JSON.parse(text)
  }
  const batch: Server['batch'] = async (...statements) =>
    (await call('bare', 'POST', '/batch', statements)) as Awaited<ReturnType<Server['batch']>>

  for (const file of readdirSync('drizzle')
    .filter(name => name.endsWith('.sql'))
    .sort()) {
    const text = readFileSync(path.join('drizzle', file), 'utf8')
    for (const sql of text.split('--> statement-breakpoint')) await batch({ text: sql.trim(), params: [] })
  }
  await batch(...team.statements.map(each => each.compile()))
  const inspectorPort = inspect ? Number((await miniflare.getInspectorURL()).port) : 0
  const stop = () => {
    agent.destroy()
    return miniflare.dispose()
  }
  return { send, call, batch, inspectorPort, port: Number(port), token: team.token, stop }
}
