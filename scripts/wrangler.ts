import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

const BIN = path.join(path.dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')
const QUIET = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }

export const PORT = Number(process.env.PORT ?? 8787)
/** Where local data lives: the database, its queues' truth, the demo team's token. */
export const STATE = path.resolve(process.env.STATE ?? '.wrangler/state')
/** Where the emulated WhatsApp listens: it is run beside the API. */
export const PROVIDER_PORT = PORT + 1
/** Through this the two find each other. Of one's own, or two starts on one machine would find the other's. */
const REGISTRY = path.join(STATE, 'registry')
export const LOCAL = ['--local', '--persist-to', STATE]

/** Runs wrangler to its end and returns what it printed; what it complained about is shown only if it failed. */
export function wrangler(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    env: { ...process.env, ...QUIET },
    encoding: 'utf8',
  })
  if (status === 0) return stdout
  process.stderr.write(stdout + stderr)
  process.exit(status ?? 1)
}

export const spawnWrangler = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [BIN, ...args], {
    env: { ...process.env, ...QUIET, WRANGLER_REGISTRY_PATH: REGISTRY },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
