import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Unstable_MiniflareWorkerOptions as MiniflareWorkerOptions } from 'wrangler'

type WorkerOptions = MiniflareWorkerOptions['workerOptions']

const CONFIG = 'wrangler.toml'
const CACHE = '.wrangler/worker-options.json'
const OWNER_ONLY = 0o600
/** Wrangler takes variables from these, too, and they may be secrets. */
const VARIABLES_FILE = /^\.(dev\.vars|env)(\.|$)/

/**
 * The bindings of `wrangler.toml` as Miniflare takes them. Wrangler makes them, and loading wrangler takes longer than everything else
 * of a start: so they are cached, by the content of `wrangler.toml` and wrangler's version.
 */
export async function loadWorkerOptions(): Promise<WorkerOptions> {
  const key = createCacheKey()
  return readCache(key) ?? (await makeWorkerOptions(key))
}

function createCacheKey(): string {
  const { version } = createRequire(import.meta.url)('wrangler/package.json') as { version: string }
  return createHash('sha256').update(`${process.cwd()}\0${version}\0`).update(readFileSync(CONFIG)).digest('hex')
}

function readCache(key: string): WorkerOptions | undefined {
  if (hasVariablesFile()) return undefined
  try {
    // Written by an earlier version, others could read it.
    chmodSync(CACHE, OWNER_ONLY)
    const cached = JSON.parse(readFileSync(CACHE, 'utf8')) as { key: string; options: WorkerOptions }
    return cached.key === key ? cached.options : undefined
  } catch {
    return undefined
  }
}

async function makeWorkerOptions(key: string): Promise<WorkerOptions> {
  const { unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const { workerOptions: options } = unstable_getMiniflareWorkerOptions(CONFIG)
  if (!hasVariablesFile()) {
    mkdirSync(path.dirname(CACHE), { recursive: true })
    // Renamed, so that another start never reads half of it.
    const written = `${CACHE}.${process.pid}`
    writeFileSync(written, JSON.stringify({ key, options }), { mode: OWNER_ONLY })
    renameSync(written, CACHE)
  }
  return options
}

const hasVariablesFile = (): boolean => readdirSync('.').some(name => VARIABLES_FILE.test(name))
