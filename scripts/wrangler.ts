import { runner } from './installation/command.ts'
import { findHint } from './wrangler-hints.ts'

/** The `npm start` that runs writes to the same local database now and then: what it locked out did nothing, and is tried again. */
const LOCKED = /SQLITE_BUSY|database is locked/
const ATTEMPTS_MAX = 10
const PAUSE_MS = 500

const run = runner({})

/** Runs wrangler and returns its output. Its error output is printed only if it fails. */
export function wrangler(...args: string[]): string {
  for (let attempt = 1; ; attempt += 1) {
    const { isDone, stdout, output } = run(args)
    if (isDone) return stdout
    if (attempt < ATTEMPTS_MAX && LOCKED.test(output)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
      continue
    }
    const hint = findHint(output)
    process.stderr.write(`${output}${hint === undefined ? '' : `\n${hint}\n`}`)
    process.exit(1)
  }
}
