import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildSync } from 'esbuild'
import { unstable_readConfig as readConfig } from 'wrangler'

/** A copy of the project, whose installations are set up in an account that is only emulated. */
export const home = mkdtempSync(path.join(tmpdir(), 'caseworker-setup-'))
export const REAL_WRANGLER = path.resolve('node_modules/wrangler/bin/wrangler.js')
const FAKE_WRANGLER = path.resolve('test/support/fake-wrangler.sh')
for (const name of ['src', 'dist', 'drizzle', 'scripts', 'node_modules', 'package.json', 'tsconfig.json'])
  symlinkSync(path.resolve(name), path.join(home, name))
copyFileSync('wrangler.toml', path.join(home, 'wrangler.toml'))
// The commands are run many times: as bundles they start in a tenth of the time.
buildSync({
  entryPoints: ['setup', 'admin', 'team'].map(name => `scripts/${name}.ts`),
  outdir: path.join(home, 'bundled'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  // What a command imports only when it needs it stays so.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: ['wrangler', 'esbuild', 'miniflare'],
  define: {
    'import.meta.dirname': JSON.stringify(path.resolve('scripts')),
    // By it they run wrangler.
    'process.execPath': 'process.env.RUNS_WRANGLER',
  },
})

/** Starts the emulated wrangler, which ends with this process: its port. */
async function startWrangler(): Promise<string> {
  const child = spawn(process.execPath, [path.resolve('test/support/fake-wrangler.js')], {
    cwd: home,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  for (const each of [child, child.stdin as Socket, child.stdout as Socket]) each.unref()
  return String(port).trim()
}
const port = await startWrangler()

/** The number of checks that succeeded. */
export const counted = { checks: 0 }
export function expect(is: unknown, should: unknown, about: string): void {
  const [found, wanted] = [JSON.stringify(is), JSON.stringify(should)]
  if (found !== wanted) throw new Error(`${about}: ${found} instead of ${wanted}`)
  counted.checks += 1
}
export function expectMatch(text: string, pattern: RegExp, about: string): void {
  if (!pattern.test(text)) throw new Error(`${about}: ${pattern} is not in:\n${text}`)
  counted.checks += 1
}

export const ACCOUNT = path.join(home, 'account.json')
const CALLS = `${ACCOUNT}.calls`
interface Account {
  databases: { name: string; uuid: string; location?: string }[]
  queues: string[]
  buckets: { name: string; location?: string }[]
  /** The secrets of the deployed version. */
  secrets: Record<string, Record<string, string>>
  workers: Record<
    string,
    {
      versions: { id: string; tag?: string; secrets: Record<string, string> }[]
      deployments: { id: string; versions: { version_id: string; percentage: number }[] }[]
    }
  >
  /** The queues that do not deliver. */
  paused: string[]
}
export const account = (): Account => JSON.parse(readFileSync(ACCOUNT, 'utf8')) as Account
export const toHomePath = (...parts: string[]) => path.join(home, ...parts)
export const read = (file: string) => readFileSync(toHomePath('installations', file), 'utf8')

export const inAccount = (env: Record<string, string>) => ({
  cwd: home,
  env: { ...process.env, RUNS_WRANGLER: FAKE_WRANGLER, FAKE_WRANGLER: port, FAKE_ACCOUNT: ACCOUNT, ...env },
  encoding: 'utf8' as const,
})

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

/** Runs a script with the words that npm runs it by, but for `node --import tsx`, by its bundle. */
export function npmRun(script: string, args: string[], env: Record<string, string> = {}) {
  rmSync(CALLS, { force: true })
  const [, , , ...words] = (scripts[script] ?? '').replace(`scripts/${script}.ts`, `bundled/${script}.mjs`).split(' ')
  const { status, stdout, stderr } = spawnSync(process.execPath, [...words, ...args], inAccount(env))
  const calls = existsSync(CALLS) ? readFileSync(CALLS, 'utf8').trim().split('\n') : []
  return { status, calls, output: stdout + stderr }
}
/** Returns the output of the emulated wrangler. */
export function emulated(args: string[], env: Record<string, string>): string {
  const { status, stdout, stderr } = spawnSync(FAKE_WRANGLER, [REAL_WRANGLER, ...args], inAccount(env))
  if (status !== 0) throw new Error(`wrangler ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

/** The database of the account, until it is stopped: its address. */
export async function startDatabase(): Promise<{ address: string; stop: () => Promise<void> }> {
  const program = path.resolve('test/support/installation-database.ts')
  const args = ['--import', 'tsx', program, toHomePath('database'), home]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const [address] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer | number]
  if (!Buffer.isBuffer(address)) throw new Error('the database did not get ready')
  return {
    address: String(address).trim(),
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}

export const setUp = (args: string[], env?: Record<string, string>) => npmRun('setup', args, env)

export function setUpWell(args: string[], env?: Record<string, string>) {
  const done = setUp(args, env)
  if (done.status !== 0)
    throw new Error(`npm run setup -- ${args.join(' ')} ended with ${done.status}:\n${done.output}`)
  return done
}

/** Runs the real wrangler, which needs no account for these commands. */
export function real(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [REAL_WRANGLER, ...args], {
    cwd: home,
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
    encoding: 'utf8',
  })
  if (status !== 0 || /\[(WARNING|ERROR)\]/.test(stdout + stderr))
    throw new Error(`wrangler ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

export interface Config {
  name: string
  account_id?: string
  routes?: unknown
  workers_dev?: boolean
  preview_urls?: boolean
  placement?: { region?: string }
  vars: Record<string, unknown>
  d1_databases: { database_name: string; database_id: string }[]
  queues: {
    producers?: { binding: string; queue: string }[]
    consumers?: { queue: string; dead_letter_queue?: string }[]
  }
  r2_buckets: { bucket_name: string }[]
  ratelimits: { name: string; namespace_id: string; simple: { limit: number } }[]
}
export const readInstallationConfig = (file: string) => readConfig({ config: toHomePath(file) }) as unknown as Config

/** Lists the names and ids of a configuration that an account has once. */
export function getOwn(file: string): string[] {
  const { name, d1_databases, queues, r2_buckets, ratelimits } = readInstallationConfig(file)
  return [
    `worker ${name}`,
    ...d1_databases.flatMap(each => [`database ${each.database_name}`, `database ${each.database_id}`]),
    ...[...new Set(queues.consumers?.flatMap(each => [each.queue, each.dead_letter_queue ?? each.queue]))],
    ...(queues.producers ?? []).map(each => `${each.queue} of ${each.binding}`),
    ...r2_buckets.map(each => `bucket ${each.bucket_name}`),
    ...ratelimits.map(each => `rate limit ${each.namespace_id}`),
  ]
}
