import { type ParseArgsConfig, parseArgs } from 'node:util'
import { suggest } from '../../../suggest.ts'
import { type Argument, type Command, type Option, type Options, type ParsedArguments, UsageError } from './command.ts'

/** The options of every command. */
export const GLOBAL_OPTIONS = {
  profile: { value: 'name', summary: 'the profile to use (CASEWORKER_PROFILE)', completed: 'profile' },
  url: { value: 'address', summary: 'the address of the API (CASEWORKER_URL)' },
  token: { value: 'token', summary: 'the token (better CASEWORKER_TOKEN, or login: others can see arguments)' },
  help: { summary: 'the help of the command', short: 'h' },
  version: { summary: 'the version' },
} as const satisfies Options

/** The options as Node's parser of arguments describes them. */
const toParseOptions = (options: Options): NonNullable<ParseArgsConfig['options']> =>
  Object.fromEntries(
    Object.entries(options).map(([name, { value, multiple = false, short }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple, ...(short === undefined ? {} : { short }) },
    ]),
  )

/** The place of the command: the first word that is neither a global option nor the value of one. */
export function findCommandIndex(words: readonly string[]): number {
  const config = {
    args: [...words],
    options: toParseOptions(GLOBAL_OPTIONS),
    strict: false,
    allowPositionals: true,
  } as const
  const { tokens } = parseArgs({ ...config, tokens: true })
  return tokens.find(({ kind }) => kind === 'positional')?.index ?? -1
}

const NEAREST_MAX = 4

/** `did you mean …?` behind a sentence, if known words are near or begin with the word. */
export const addSuggestion = (sentence: string, word: string, known: readonly string[], prefix = ''): string => {
  const nearest = suggest(word, known)
  const longer = known.filter(each => word !== '' && each.toLowerCase().startsWith(word.toLowerCase()))
  const meant = (nearest === undefined ? longer.slice(0, NEAREST_MAX) : [nearest]).map(each => prefix + each)
  return meant.length === 0 ? sentence : `${sentence}; did you mean ${meant.join(' or ')}?`
}

export function findCommand(name: string, commands: readonly Command[]): Command {
  const found = commands.find(each => each.name === name)
  if (found !== undefined) return found
  const names = commands.map(each => each.name)
  throw new UsageError(addSuggestion(`there is no command ${JSON.stringify(name)}`, name, names))
}

/** The words after the command. */
export function parseArguments(command: Command, words: readonly string[]): ParsedArguments {
  const options: Options = { ...command.options, ...GLOBAL_OPTIONS }
  const config = { args: [...words], options: toParseOptions(options), allowPositionals: true } as const
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true })
  for (const token of tokens)
    if (token.kind === 'option' && !Object.hasOwn(options, token.name))
      throw new UsageError(
        addSuggestion(`${command.name} has no option ${token.rawName}`, token.name, Object.keys(options), '--'),
      )
  const args = parseStrictly(config)
  // Help is shown even if arguments are missing.
  if (args.options.help || args.options.version) return args
  for (const [name, option] of Object.entries(options)) checkChoice(`--${name}`, option, args.options[name])
  checkArguments(command, args.words)
  checkActions(command, args)
  return args
}

function parseStrictly(config: ParseArgsConfig): ParsedArguments {
  try {
    const { values, positionals } = parseArgs({ ...config, strict: true })
    return { words: positionals, options: values as ParsedArguments['options'] }
  } catch (error) {
    const [sentence = ''] = String(error instanceof Error ? error.message : error).split('\n')
    throw new UsageError(sentence)
  }
}

function checkChoice(
  name: string,
  { choices }: Pick<Option, 'choices'>,
  value: ParsedArguments['options'][string],
): void {
  for (const each of [value].flat())
    if (choices !== undefined && typeof each === 'string' && !choices.includes(each)) {
      const listed = choices.length > 12 ? '' : `: it takes ${choices.join(', ')}`
      throw new UsageError(addSuggestion(`${name} cannot be ${JSON.stringify(each)}${listed}`, each, choices))
    }
}

/** An option of another action would be left out without a word. */
function checkActions({ name, options }: Command, args: ParsedArguments): void {
  const [given] = args.words
  for (const [option, { action }] of Object.entries(options))
    if (action !== undefined && action !== given && args.options[option] !== undefined)
      throw new UsageError(
        `--${option} is for ${name} ${action}${given === undefined ? '' : `, not for ${name} ${given}`}`,
      )
}

/** `<name>`, `[<name>]` or `<name>…`. */
export const formatPlaceholder = ({ name, optional, many }: Argument): string => {
  const shown = `<${name}>${many ? '…' : ''}`
  return optional ? `[${shown}]` : shown
}

function checkArguments({ name, arguments: known }: Command, words: readonly string[]): void {
  const missing = known.find((each, at) => !each.optional && words[at] === undefined)
  if (missing !== undefined)
    throw new UsageError(
      `${name} needs ${formatPlaceholder(missing)}: caseworker ${[name, ...known.map(formatPlaceholder)].join(' ')}`,
    )
  const superfluous = words[known.length]
  if (superfluous !== undefined && !known.at(-1)?.many)
    throw new UsageError(`${name} takes no further argument: ${JSON.stringify(superfluous)}`)
  for (const [at, argument] of known.entries()) checkChoice(`<${argument.name}>`, argument, words[at])
}
