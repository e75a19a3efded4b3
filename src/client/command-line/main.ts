import { createRequire } from 'node:module'
import { CaseworkerError, caseworker } from '../client.ts'
import { type Asked, read, text, USAGE, UsageError } from './arguments.ts'
import { bulk } from './bulk-command.ts'
import { results, watch } from './job-commands.ts'
import { get, list, update } from './process-commands.ts'
import { explained, print, type Session, say } from './terminal.ts'

const [SUCCEEDED, REFUSED, NOT_UNDERSTOOD, INTERRUPTED] = [0, 1, 2, 130]
const COMMANDS = { list, get, update, bulk, watch, results }

const versionOfPackage = (): string =>
  (createRequire(import.meta.url)('caseworker/package.json') as { version: string }).version

const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort(new Error('interrupted')))
// Whoever reads may have seen enough: `caseworker list lead | head`.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit(SUCCEEDED)
  throw error
})

process.exitCode = await run(process.argv.slice(2))

async function run(words: string[]): Promise<number> {
  try {
    const asked = read(words)
    if (asked.command === 'help') await print(USAGE)
    else if (asked.command === 'version') await print(`${versionOfPackage()}\n`)
    else return (await COMMANDS[asked.command](sessionFor(asked), asked)) === false ? REFUSED : SUCCEEDED
    return SUCCEEDED
  } catch (error) {
    if (stopped.signal.aborted) return INTERRUPTED
    if (error instanceof UsageError) say(`${error.message}\nTry caseworker --help\n`)
    else if (error instanceof CaseworkerError) say(explained(error))
    else say(`${error instanceof Error ? error.message : error}\n`)
    return error instanceof UsageError || error instanceof TypeError ? NOT_UNDERSTOOD : REFUSED
  }
}

function sessionFor(asked: Asked): Session {
  const baseUrl = given(asked, 'url', 'CASEWORKER_URL', 'where is the API?')
  const token = given(asked, 'token', 'CASEWORKER_TOKEN', 'who are you?')
  if (!/^https?:\/\/[^/]/i.test(baseUrl.value) || !URL.canParse(baseUrl.value))
    throw new UsageError(`${baseUrl.from} must be an address such as http://localhost:8787, not ${baseUrl.value}`)
  return { client: caseworker({ baseUrl: baseUrl.value, token: token.value }), signal: stopped.signal }
}

/** What an option says, else a variable of the environment: and which of them, for who has to correct it. */
function given(asked: Asked, option: string, variable: string, question: string): { value: string; from: string } {
  const said = text(asked, option)
  const value = said ?? process.env[variable]
  const from = said === undefined ? variable : `--${option}`
  if (value === undefined) throw new UsageError(`${question} Say --${option}, or set ${variable}`)
  if (value.trim() === '') throw new UsageError(`${question} ${from} is empty`)
  return { value, from }
}
