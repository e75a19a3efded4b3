import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

/** `test/setup.check.ts` sets another, which answers without an account. */
export const WRANGLER_BIN =
  process.env.WRANGLER_BIN ??
  path.join(path.dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')
export const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

export const PORT = Number(process.env.PORT ?? 8787)
/** The folder of local data: the database and the demo team's token. */
export const STATE = path.resolve(process.env.STATE ?? '.wrangler/state')
/** In it, as wrangler calls it: the database, files and objects. */
export const DATA_FOLDER = 'v3'
/** The port of the emulated WhatsApp. */
export const PROVIDER_PORT = PORT + 1
export const LOCAL = ['--local', '--persist-to', STATE]

/** Runs wrangler and returns its output. Its error output is printed only if it fails. */
export function wrangler(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [WRANGLER_BIN, ...args], {
    env: { ...process.env, ...QUIET },
    encoding: 'utf8',
  })
  if (status === 0) return stdout
  process.stderr.write(stdout + stderr)
  process.exit(status ?? 1)
}
