import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

interface ArgumentRules<Own extends Options> {
  options?: Own
  /** The maximum of arguments without a name; a further one is a mistake, and ends the command. */
  positionalsMax?: number
}

/** Parses the arguments of a command. `--help` prints its usage and ends it; an unknown argument is refused. */
export function readArguments<const Own extends Options = Record<never, never>>(
  usage: string,
  { options, positionalsMax = 0 }: ArgumentRules<Own> = {},
) {
  const args = process.argv.slice(2)
  if (args.some(argument => argument === '--help' || argument === '-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    const parsed = parseArgs({ args, options: options ?? ({} as Own), strict: true, allowPositionals: true })
    const excess = parsed.positionals[positionalsMax]
    if (excess !== undefined) throw new Error(`unexpected argument "${excess}"; text with spaces needs quotes`)
    return parsed
  } catch (error) {
    return refuseArguments(error instanceof Error ? error.message : String(error), usage)
  }
}

/** Ends a command that was called wrongly. Behind its usage, the reason would scroll away: one line names that. */
export function refuseArguments(reason: string, usage: string): never {
  const [command] = /npm (run [\w-]+|start)/.exec(usage) ?? []
  console.error(`${reason}\n\nHow it is used:  ${command} -- --help`)
  process.exit(2)
}
