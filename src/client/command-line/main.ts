import { createRequire } from 'node:module'
import { CaseworkerError, caseworker } from '../client.ts'
import { type ParsedArguments, parseArguments, textOption, USAGE, UsageError } from './arguments.ts'
import { bulk } from './bulk-command.ts'
import { results, watch } from './job-commands.ts'
import { get, list, update } from './process-commands.ts'
import { formatError, print, printError, type Session } from './terminal.ts'

const [SUCCEEDED, REFUSED, INVALID_USAGE, INTERRUPTED] = [0, 1, 2, 130]
const COMMANDS = { list, get, update, bulk, watch, results }

const packageVersion = (): string =>
  (createRequire(import.meta.url)('caseworker/package.json') as { version: string }).version

const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort(new Error('interrupted')))
// The reader may close the pipe: `caseworker list lead | head`.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit(SUCCEEDED)
  throw error
})

process.exitCode = await run(process.argv.slice(2))

async function run(words: string[]): Promise<number> {
  try {
    const parsed = parseArguments(words)
    if (parsed.command === 'help') await print(USAGE)
    else if (parsed.command === 'version') await print(`${packageVersion()}\n`)
    else return (await COMMANDS[parsed.command](sessionFor(parsed), parsed)) === false ? REFUSED : SUCCEEDED
    return SUCCEEDED
  } catch (error) {
    if (stopped.signal.aborted) return INTERRUPTED
    if (error instanceof UsageError) printError(`${error.message}\nTry caseworker --help\n`)
    else if (error instanceof CaseworkerError) printError(formatError(error))
    else printError(`${error instanceof Error ? error.message : error}\n`)
    return error instanceof UsageError || error instanceof TypeError ? INVALID_USAGE : REFUSED
  }
}

function sessionFor(parsed: ParsedArguments): Session {
  const baseUrl = given(parsed, 'url', 'CASEWORKER_URL', 'the address of the API is missing')
  const token = given(parsed, 'token', 'CASEWORKER_TOKEN', 'the token is missing')
  if (!/^https?:\/\/[^/]/i.test(baseUrl.value) || !URL.canParse(baseUrl.value))
    throw new UsageError(`${baseUrl.from} must be an address such as http://localhost:8787, not ${baseUrl.value}`)
  return { client: caseworker({ baseUrl: baseUrl.value, token: token.value }), signal: stopped.signal }
}

/** The value of an option or an environment variable, and the name of its source for error messages. */
function given(
  parsed: ParsedArguments,
  option: string,
  variable: string,
  missing: string,
): { value: string; from: string } {
  const said = textOption(parsed, option)
  const value = said ?? process.env[variable]
  const from = said === undefined ? variable : `--${option}`
  if (value === undefined) throw new UsageError(`${missing}: use --${option} or set ${variable}`)
  if (value.trim() === '') throw new UsageError(`${missing}: ${from} is empty`)
  return { value, from }
}
