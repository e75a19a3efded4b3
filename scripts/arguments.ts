import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

/** What a command was called with. `--help` prints how it is used and ends it; so does an option that it does not have. */
export function readArguments<const Own extends Options>(usage: string, options: Own, args = process.argv.slice(2)) {
  if (args.some(argument => argument === '--help' || argument === '-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: true })
  } catch (error) {
    return refuseArguments(error instanceof Error ? error.message : String(error), usage)
  }
}

export function refuseArguments(reason: string, usage: string): never {
  console.error(`${reason}\n\n${usage}`)
  process.exit(2)
}
