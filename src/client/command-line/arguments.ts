import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The caller's mistake at the prompt: told with how it is done right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const USAGE = `caseworker <command> [options]

  list <procedure>             processes, one JSON object in a line
      --where <json>           only those that match: '{"status":"OPEN"}'
      --sort <field>[:desc]    several are allowed
      --limit <n>              how many at most (100)
  get <procedure> <id|key>     one process
  update <procedure> <id|key> [<field>=<value> …]
      --data <json>            attributes as JSON, where text is not enough
      --if-match <tag>         only if it is still the one with this tag
  bulk <procedure> <file>      a background job from a .csv or .ndjson file ("-": standard input)
      --create | --update      what the rows are: new processes, or changes (--update)
      --format csv|ndjson      where the name of the file does not tell
      --detach                 print the job's id and don't wait
      --idempotency-key <key>  a second run with it does nothing twice, for 24 hours
  watch <job>                  progress until the job has ended
  results <job>                what became of each entry
      --failed                 only of those that failed
      --format ndjson|csv      (ndjson)
      -o, --output <file>      into a file

  --url, --token               of the API; else CASEWORKER_URL and CASEWORKER_TOKEN
  --help, --version

Ends with 0; with 1 where something was refused or failed; with 2 where the command was not understood.
`

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const
const EVERYWHERE = { url: TEXT, token: TEXT, help: FLAG, version: FLAG } as const
const COMMANDS = {
  list: { where: TEXT, sort: { type: 'string', multiple: true }, limit: TEXT },
  get: {},
  update: { data: TEXT, 'if-match': TEXT },
  bulk: { create: FLAG, update: FLAG, format: TEXT, detach: FLAG, 'idempotency-key': TEXT },
  watch: {},
  results: { failed: FLAG, format: TEXT, output: { type: 'string', short: 'o' } },
} as const
/** How many names a command takes at least and at most. */
const NAMES = { list: [1, 1], get: [2, 2], update: [2, 1000], bulk: [2, 2], watch: [1, 1], results: [1, 1] } as const

export type Command = keyof typeof COMMANDS
const isCommand = (name: string | undefined): name is Command => name !== undefined && Object.hasOwn(COMMANDS, name)

export interface Asked {
  command: Command | 'help' | 'version'
  names: string[]
  options: Record<string, string | boolean | string[] | undefined>
}

export function read(words: string[]): Asked {
  const [command, ...rest] = words
  if (command === undefined || command === '--help' || command === 'help')
    return { command: 'help', names: [], options: {} }
  if (command === '--version') return { command: 'version', names: [], options: {} }
  if (!isCommand(command)) throw new UsageError(`there is no command ${JSON.stringify(command)}`)
  const { values, positionals } = parsed(command, rest)
  if (values.help) return { command: 'help', names: [], options: {} }
  const [least, most] = NAMES[command]
  if (positionals.length < least || positionals.length > most)
    throw new UsageError(
      `${command} takes ${least === most ? least : `at least ${least}`} names, not ${positionals.length}`,
    )
  return { command, names: positionals, options: values }
}

function parsed(command: Command, words: string[]): { values: Asked['options']; positionals: string[] } {
  try {
    const options: NonNullable<ParseArgsConfig['options']> = { ...EVERYWHERE, ...COMMANDS[command] }
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true })
    return { values: values as Asked['options'], positionals }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

export const text = ({ options }: Asked, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export function json({ options }: Asked, name: string): Record<string, unknown> | undefined {
  const value = options[name]
  if (typeof value !== 'string') return undefined
  try {
    const found: unknown = JSON.parse(value)
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Record<string, unknown>
  } catch {
    // Said below, in the same words.
  }
  throw new UsageError(`--${name} takes a JSON object, not ${value}`)
}

export function oneOf<One extends string>(asked: Asked, name: string, known: readonly One[]): One | undefined {
  const value = text(asked, name)
  const found = known.find(each => each === value)
  if (value !== undefined && found === undefined)
    throw new UsageError(`--${name} takes ${known.join(' or ')}, not ${value}`)
  return found
}
