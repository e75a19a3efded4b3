import { type ParseArgsConfig, parseArgs } from 'node:util'

/** An invalid command line or file. The message has the correction. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const USAGE = `caseworker <command> [options]

  list <procedure>             processes, one JSON object per line
      --where <json>           a query: '{"status":"OPEN"}'
      --sort <field>[:desc]    several are allowed
      --limit <n>              maximum number (default 100)
  get <procedure> <id|key>     one process
  update <procedure> <id|key> [<field>=<value> …]
      --data <json>            attributes as JSON, for values other than text
      --if-match <tag>         only if the process still has this entity tag
  bulk <procedure> <file>      a background job from a .csv or .ndjson file ("-": standard input)
      --create | --update      whether rows are new processes or updates (default)
      --format csv|ndjson      if the file name has no such ending
      --detach                 print the job's id and do not wait
      --idempotency-key <key>  makes a repeated run safe, for 24 hours
  watch <job>                  progress until the job has ended
  results <job>                print the result of each entry
      --failed                 only failed entries
      --format ndjson|csv      default ndjson
      -o, --output <file>      write to a file

  --url, --token               of the API; default CASEWORKER_URL and CASEWORKER_TOKEN
  --help, --version

Exit code 0: success; 1: a request was refused or an entry failed; 2: invalid command or file.
`

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const
const GLOBAL_OPTIONS = { url: TEXT, token: TEXT, help: FLAG, version: FLAG } as const
const COMMANDS = {
  list: { where: TEXT, sort: { type: 'string', multiple: true }, limit: TEXT },
  get: {},
  update: { data: TEXT, 'if-match': TEXT },
  bulk: { create: FLAG, update: FLAG, format: TEXT, detach: FLAG, 'idempotency-key': TEXT },
  watch: {},
  results: { failed: FLAG, format: TEXT, output: { type: 'string', short: 'o' } },
} as const
/** The minimum and maximum number of positional arguments of each command. */
const NAMES = { list: [1, 1], get: [2, 2], update: [2, 1000], bulk: [2, 2], watch: [1, 1], results: [1, 1] } as const

export type Command = keyof typeof COMMANDS
const isCommand = (name: string | undefined): name is Command => name !== undefined && Object.hasOwn(COMMANDS, name)

export interface ParsedArguments {
  command: Command | 'help' | 'version'
  names: string[]
  options: Record<string, string | boolean | string[] | undefined>
}

export function parseArguments(words: string[]): ParsedArguments {
  const [command, ...rest] = words
  if (command === undefined || command === '--help' || command === 'help')
    return { command: 'help', names: [], options: {} }
  if (command === '--version') return { command: 'version', names: [], options: {} }
  if (!isCommand(command)) throw new UsageError(`there is no command ${JSON.stringify(command)}`)
  const { values, positionals } = parseOptions(command, rest)
  if (values.help) return { command: 'help', names: [], options: {} }
  const [least, most] = NAMES[command]
  if (positionals.length < least || positionals.length > most)
    throw new UsageError(
      `${command} takes ${least === most ? least : `at least ${least}`} names, not ${positionals.length}`,
    )
  return { command, names: positionals, options: values }
}

function parseOptions(
  command: Command,
  words: string[],
): { values: ParsedArguments['options']; positionals: string[] } {
  try {
    const options: NonNullable<ParseArgsConfig['options']> = { ...GLOBAL_OPTIONS, ...COMMANDS[command] }
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true })
    return { values: values as ParsedArguments['options'], positionals }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

export const textOption = ({ options }: ParsedArguments, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export function jsonOption({ options }: ParsedArguments, name: string): Record<string, unknown> | undefined {
  const value = options[name]
  if (typeof value !== 'string') return undefined
  try {
    const found: unknown = JSON.parse(value)
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Record<string, unknown>
  } catch {
    // The error below covers this case.
  }
  throw new UsageError(`--${name} takes a JSON object, not ${value}`)
}

export function choiceOption<One extends string>(
  parsed: ParsedArguments,
  name: string,
  known: readonly One[],
): One | undefined {
  const value = textOption(parsed, name)
  const found = known.find(each => each === value)
  if (value !== undefined && found === undefined)
    throw new UsageError(`--${name} takes ${known.join(' or ')}, not ${value}`)
  return found
}
