import { createRequire } from 'node:module'
import { CaseworkerError, caseworker } from '../client.ts'
import {
  type Command,
  type CompletionKind,
  EXIT,
  type ExitCode,
  type ParsedArguments,
  toExitCode,
  UsageError,
} from './command/command.ts'
import { findCandidates } from './command/completion.ts'
import { formatCommandHelp, formatHelp } from './command/help.ts'
import { getOption, hasFlag } from './command/options.ts'
import { findCommand, findCommandIndex, parseArguments } from './command/parse.ts'
import { COMMANDS } from './commands.ts'
import { loadConnection, readProfiles } from './connection.ts'
import { createWarningPrinter, formatError, formatUndecided, print, printError } from './output/terminal.ts'

/** The time for which completion waits for the API. */
const COMPLETION_TIMEOUT_MS = 1500

/** Runs a command line, and returns its exit code. */
export async function run(words: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  try {
    return (await dispatch(words, signal)) ?? EXIT.success
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted
    if (error instanceof CaseworkerError) printError(formatError(error))
    else printError(`${error instanceof Error ? error.message : error}\n`)
    if (error instanceof UsageError)
      printError(`Try caseworker ${commandIn(words)?.name ?? ''} --help\n`.replace('  ', ' '))
    return toExitCode(error)
  }
}

const commandIn = (words: readonly string[]): Command | undefined =>
  COMMANDS.find(({ name }) => name === words[findCommandIndex(words)])

async function dispatch(words: readonly string[], signal: AbortSignal): Promise<ExitCode | undefined> {
  const at = findCommandIndex(words)
  const name = words[at]
  if (name === 'complete') return complete(words.slice(words.indexOf('--', at) + 1))
  if (words.length === 0) {
    printError(formatHelp(COMMANDS))
    return EXIT.invalidUsage
  }
  if (name === undefined && words.includes('--version')) return print(`${packageVersion()}\n`).then(() => undefined)
  if (name === undefined) return helpOrFault(words)
  if (name === 'help') return printHelp(words[at + 1])
  const command = findCommand(name, COMMANDS)
  const args = parseArguments(
    command,
    words.filter((_, index) => index !== at),
  )
  if (hasFlag(args, 'help')) return printHelp(command.name)
  if (hasFlag(args, 'version')) return print(`${packageVersion()}\n`).then(() => undefined)
  return runCommand(command, args, signal)
}

/** Its key is chosen before the command runs: also one that breaks off can be repeated with it. */
const KEY = 'idempotency-key'

async function runCommand(
  { run: how, options }: Command,
  args: ParsedArguments,
  signal: AbortSignal,
): Promise<ExitCode | undefined> {
  if ('local' in how) return how.local(args)
  const connection = await loadConnection(args)
  const client = caseworker({ baseUrl: connection.url, token: connection.token, onWarning: createWarningPrinter() })
  const key = KEY in options ? (getOption(args, KEY) ?? crypto.randomUUID()) : undefined
  const keyed = key === undefined ? args : { ...args, options: { ...args.options, [KEY]: key } }
  try {
    return await how.remote({ client, connection, signal }, keyed)
  } catch (error) {
    if (signal.aborted || !(error instanceof CaseworkerError)) throw error
    printError(formatError(error) + formatUndecided(error, key))
    return toExitCode(error)
  }
}

async function helpOrFault(words: readonly string[]): Promise<undefined> {
  const unknown = words.find(word => word !== '--help' && word !== '-h')
  if (unknown !== undefined) throw new UsageError(`${unknown.split('=')[0]} stands before no command`)
  await print(formatHelp(COMMANDS))
}

async function printHelp(name: string | undefined): Promise<undefined> {
  await print(name === undefined ? formatHelp(COMMANDS) : formatCommandHelp(findCommand(name, COMMANDS)))
}

const packageVersion = (): string =>
  (createRequire(import.meta.url)('caseworker/package.json') as { version: string }).version

/** Answers the completion scripts with one candidate a line. It fails silently, because nobody reads its errors. */
async function complete(words: readonly string[]): Promise<undefined> {
  const found = await findCandidates(words, COMMANDS, completed => lookUp(completed).catch(() => []))
  await print(found.map(({ value, summary }) => `${value}\t${summary}\n`).join(''))
}

async function lookUp(completed: CompletionKind): Promise<string[]> {
  if (completed === 'file') return []
  if (completed === 'profile') return Object.keys((await readProfiles()).profiles)
  const { url, token } = await loadConnection({ words: [], options: {} })
  const client = caseworker({ baseUrl: url, token, retries: 0, timeoutMs: COMPLETION_TIMEOUT_MS })
  return (await client.procedures.list()).map(({ shortId }) => shortId)
}

const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort(new Error('interrupted')))
// The reader may close the pipe: `caseworker list lead | head`.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.success)
  throw error
})

process.exitCode = await run(process.argv.slice(2), stopped.signal)
