import { createRequire } from 'node:module'
import { CaseworkerError, caseworker } from '../client.ts'
import type { Command, Completed, Given } from './command/command.ts'
import { candidatesFor } from './command/completion.ts'
import { EXIT, type ExitCode, exitCodeOf } from './command/exit-code.ts'
import { helpOfAll, helpOfCommand } from './command/help.ts'
import { hasFlag } from './command/options.ts'
import { commandIndexIn, commandNamed, parseWords } from './command/parse.ts'
import { UsageError } from './command/usage-error.ts'
import { COMMANDS } from './commands.ts'
import { connectionFor } from './connection/connection.ts'
import { readProfiles } from './connection/profiles.ts'
import { formatError, printWarningOnce } from './output/format-error.ts'
import { print, printError } from './output/terminal.ts'

/** How long completion waits for the API. */
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
    return exitCodeOf(error)
  }
}

const commandIn = (words: readonly string[]): Command | undefined =>
  COMMANDS.find(({ name }) => name === words[commandIndexIn(words)])

async function dispatch(words: readonly string[], signal: AbortSignal): Promise<ExitCode | undefined> {
  const at = commandIndexIn(words)
  const name = words[at]
  if (name === 'complete') return complete(words.slice(words.indexOf('--', at) + 1))
  if (words.length === 0) {
    printError(helpOfAll(COMMANDS))
    return EXIT.invalidUsage
  }
  if (name === undefined && words.includes('--version')) return print(`${packageVersion()}\n`).then(() => undefined)
  if (name === undefined) return helpOrFault(words)
  if (name === 'help') return printHelp(words[at + 1])
  const command = commandNamed(name, COMMANDS)
  const given = parseWords(
    command,
    words.filter((_, index) => index !== at),
  )
  if (hasFlag(given, 'help')) return printHelp(command.name)
  if (hasFlag(given, 'version')) return print(`${packageVersion()}\n`).then(() => undefined)
  return runCommand(command, given, signal)
}

async function runCommand({ run: how }: Command, given: Given, signal: AbortSignal): Promise<ExitCode | undefined> {
  if ('local' in how) return how.local(given)
  const connection = await connectionFor(given)
  const client = caseworker({ baseUrl: connection.url, token: connection.token, onWarning: printWarningOnce() })
  return how.remote({ client, connection, signal }, given)
}

async function helpOrFault(words: readonly string[]): Promise<undefined> {
  const unknown = words.find(word => word !== '--help' && word !== '-h')
  if (unknown !== undefined) throw new UsageError(`${unknown.split('=')[0]} stands before no command`)
  await print(helpOfAll(COMMANDS))
}

async function printHelp(name: string | undefined): Promise<undefined> {
  await print(name === undefined ? helpOfAll(COMMANDS) : helpOfCommand(commandNamed(name, COMMANDS)))
}

const packageVersion = (): string =>
  (createRequire(import.meta.url)('caseworker/package.json') as { version: string }).version

/** What the completion scripts call: one candidate a line. It fails silently, because nobody reads its errors. */
async function complete(words: readonly string[]): Promise<undefined> {
  const found = await candidatesFor(words, COMMANDS, completed => lookUp(completed).catch(() => []))
  await print(found.map(({ value, summary }) => `${value}\t${summary}\n`).join(''))
}

async function lookUp(completed: Completed): Promise<string[]> {
  if (completed === 'file') return []
  if (completed === 'profile') return Object.keys((await readProfiles()).profiles)
  const { url, token } = await connectionFor({ words: [], options: {} })
  const client = caseworker({ baseUrl: url, token, retries: 0, timeoutMs: COMPLETION_TIMEOUT_MS })
  return (await client.procedures.list()).map(({ shortId }) => shortId)
}
