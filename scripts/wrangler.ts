import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { findHint } from './wrangler-hints.ts'

/** `test/setup.check.ts` sets another, which answers without an account. */
export const WRANGLER_BIN =
  process.env.WRANGLER_BIN ??
  path.join(path.dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')
export const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/** The `npm start` that runs writes to the same local database now and then: what it locked out did nothing, and is tried again. */
const LOCKED = /SQLITE_BUSY|database is locked/
const ATTEMPTS_MAX = 10
const PAUSE_MS = 500

/** Runs wrangler and returns its output. Its error output is printed only if it fails. */
export function wrangler(...args: string[]): string {
  for (let attempt = 1; ; attempt += 1) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [WRANGLER_BIN, ...args], {
      env: { ...process.env, ...QUIET },
      encoding: 'utf8',
    })
    if (status === 0) return stdout
    if (attempt < ATTEMPTS_MAX && LOCKED.test(stdout + stderr)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
      continue
    }
    const hint = findHint(stdout + stderr)
    process.stderr.write(`${stdout}${stderr}${hint === undefined ? '' : `\n${hint}\n`}`)
    process.exit(status ?? 1)
  }
}
