import { execFile, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { findHint } from '../wrangler-hints.ts'

const WRANGLER_BIN = path.join(
  path.dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
  'bin/wrangler.js',
)
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

interface CommandResult {
  isDone: boolean
  stdout: string
  /** Both outputs: wrangler prints its errors on either. */
  output: string
}

/** Node ends a command that prints more than 1 MB, if nothing is said. The rows that a restore carries over may be more. */
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024

/** Runs a command of wrangler; what fails is for the caller to judge. */
export type Run = (args: readonly string[], more?: { note?: string; input?: string }) => CommandResult

/** `env` has the credentials, where they are in a file of the installation. */
export const runner =
  (env: Record<string, string>): Run =>
  (args, { input } = {}) => {
    const { status, stdout, stderr, error } = spawnSync(process.execPath, [WRANGLER_BIN, ...args], {
      env: { ...process.env, ...env, ...QUIET },
      // Without a terminal, wrangler asks nothing.
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES_MAX,
    })
    // What could not be started has no outputs.
    const output = [stdout, stderr, error?.message].filter(text => text != null).join('')
    return { isDone: status === 0, stdout: stdout ?? '', output }
  }

/** Starts a command of wrangler that asks for no input, beside others; what fails is for the caller to judge. */
export type Start = (args: readonly string[]) => Promise<CommandResult>

export const starter =
  (env: Record<string, string>): Start =>
  args =>
    new Promise(resolve => {
      const options = { env: { ...process.env, ...env, ...QUIET }, maxBuffer: OUTPUT_BYTES_MAX }
      const { stdin } = execFile(process.execPath, [WRANGLER_BIN, ...args], options, (error, stdout, stderr) =>
        resolve({ isDone: error === null, stdout, output: `${stdout}${stderr}` }),
      )
      stdin?.end()
    })

const quoted = (arg: string): string => (/^[\w./=@:-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`)

/** Prints what would be run, in its order, and runs nothing. */
export const printer: Run = (args, { note } = {}) => {
  console.log(`wrangler ${args.map(quoted).join(' ')}${note === undefined ? '' : `   # ${note}`}`)
  return { isDone: true, stdout: '', output: '' }
}

export class SetupError extends Error {}

/** The output of a command that has to work. */
export function must(run: Run, args: readonly string[], more?: Parameters<Run>[1]): string {
  const { isDone, stdout, output } = run(args, more)
  if (isDone) return stdout
  throw new SetupError(describeFailure(args, output))
}

/** A longer argument is SQL, behind which nobody would find what failed. */
const ARGUMENT_CHARACTERS_MAX = 100

export function describeFailure(args: readonly string[], output: string): string {
  const shown = args.map(arg =>
    arg.length > ARGUMENT_CHARACTERS_MAX ? `${arg.slice(0, ARGUMENT_CHARACTERS_MAX)}…` : arg,
  )
  const hint = findHint(output)
  return `wrangler ${shown.join(' ')} failed:\n${output.trim()}${hint === undefined ? '' : `\n\n${hint}`}`
}
