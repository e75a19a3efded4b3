import { runner } from './installation/command.ts'
import { findHint } from './wrangler-hints.ts'

const run = runner({})

/** Runs wrangler and returns its output. Its error output is printed only if it fails. */
export function wrangler(...args: string[]): string {
  const { isDone, stdout, output } = run(args)
  if (isDone) return stdout
  const hint = findHint(output)
  process.stderr.write(`${output}${hint === undefined ? '' : `\n${hint}\n`}`)
  process.exit(1)
}
