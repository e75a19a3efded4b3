import { type ParseArgsConfig, parseArgs } from 'node:util'
import { suggest } from '../../../suggest.ts'
import type { Argument, Command, Given, Option, Options } from './command.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { UsageError } from './usage-error.ts'

/** The options as Node's parser of arguments describes them. */
const described = (options: Options): NonNullable<ParseArgsConfig['options']> =>
  Object.fromEntries(
    Object.entries(options).map(([name, { value, multiple = false, short }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple, ...(short === undefined ? {} : { short }) },
    ]),
  )

/** The place of the command: the first word that is neither a global option nor the value of one. */
export function commandIndexIn(words: readonly string[]): number {
  const config = {
    args: [...words],
    options: described(GLOBAL_OPTIONS),
    strict: false,
    allowPositionals: true,
  } as const
  const { tokens } = parseArgs({ ...config, tokens: true })
  return tokens.find(({ kind }) => kind === 'positional')?.index ?? -1
}

const NEAREST_MAX = 4

/** `did you mean …?` behind a sentence, if known words are near or begin with the word. */
const orNearest = (sentence: string, word: string, known: readonly string[], prefix = ''): string => {
  const nearest = suggest(word, known)
  const longer = known.filter(each => word !== '' && each.toLowerCase().startsWith(word.toLowerCase()))
  const meant = (nearest === undefined ? longer.slice(0, NEAREST_MAX) : [nearest]).map(each => prefix + each)
  return meant.length === 0 ? sentence : `${sentence}; did you mean ${meant.join(' or ')}?`
}

export function commandNamed(name: string, commands: readonly Command[]): Command {
  const found = commands.find(each => each.name === name)
  if (found !== undefined) return found
  const names = commands.map(each => each.name)
  throw new UsageError(orNearest(`there is no command ${JSON.stringify(name)}`, name, names))
}

/** The words after the command. */
export function parseWords(command: Command, words: readonly string[]): Given {
  const options: Options = { ...command.options, ...GLOBAL_OPTIONS }
  const config = { args: [...words], options: described(options), allowPositionals: true } as const
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true })
  for (const token of tokens)
    if (token.kind === 'option' && !Object.hasOwn(options, token.name))
      throw new UsageError(
        orNearest(`${command.name} has no option ${token.rawName}`, token.name, Object.keys(options), '--'),
      )
  const given = strictlyParsed(config)
  // Help is shown whatever else is missing.
  if (given.options.help || given.options.version) return given
  for (const [name, option] of Object.entries(options)) checkChoice(`--${name}`, option, given.options[name])
  checkArguments(command, given.words)
  return given
}

function strictlyParsed(config: ParseArgsConfig): Given {
  try {
    const { values, positionals } = parseArgs({ ...config, strict: true })
    return { words: positionals, options: values as Given['options'] }
  } catch (error) {
    const [sentence = ''] = String(error instanceof Error ? error.message : error).split('\n')
    throw new UsageError(sentence)
  }
}

function checkChoice(name: string, { choices }: Pick<Option, 'choices'>, value: Given['options'][string]): void {
  for (const each of [value].flat())
    if (choices !== undefined && typeof each === 'string' && !choices.includes(each)) {
      const listed = choices.length > 12 ? '' : `: it takes ${choices.join(', ')}`
      throw new UsageError(orNearest(`${name} cannot be ${JSON.stringify(each)}${listed}`, each, choices))
    }
}

/** `<name>`, `[<name>]` or `<name>…`. */
export const placeholderOf = ({ name, optional, many }: Argument): string => {
  const shown = `<${name}>${many ? '…' : ''}`
  return optional ? `[${shown}]` : shown
}

function checkArguments({ name, arguments: known }: Command, words: readonly string[]): void {
  const missing = known.find((each, at) => !each.optional && words[at] === undefined)
  if (missing !== undefined)
    throw new UsageError(
      `${name} needs ${placeholderOf(missing)}: caseworker ${[name, ...known.map(placeholderOf)].join(' ')}`,
    )
  const superfluous = words[known.length]
  if (superfluous !== undefined && !known.at(-1)?.many)
    throw new UsageError(`${name} takes no further argument: ${JSON.stringify(superfluous)}`)
  for (const [at, argument] of known.entries()) checkChoice(`<${argument.name}>`, argument, words[at])
}
