import { findDoubledMember } from '../../../doubled-members.ts'
import { type ParsedArguments, UsageError } from './command.ts'

type JsonObject = Record<string, unknown>

export const hasFlag = ({ options }: ParsedArguments, name: string): boolean => options[name] === true

export const getOption = ({ options }: ParsedArguments, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export const getOptionList = ({ options }: ParsedArguments, name: string): string[] =>
  [options[name] ?? []].flat().filter(each => typeof each === 'string')

/** The choices are checked when the command line is parsed. */
export const getChoice = <One extends string>(
  args: ParsedArguments,
  name: string,
  known: readonly One[],
): One | undefined => known.find(each => each === args.options[name])

export function getWholeNumber(args: ParsedArguments, name: string): number | undefined {
  const value = getOption(args, name)
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new UsageError(`--${name} takes a whole number above 0, not ${value}`)
  return Number(value)
}

/** Returns the value of `--limit`. It is refused beside `--all`, where it has no meaning. */
export function getLimit(args: ParsedArguments): number | undefined {
  const limit = getWholeNumber(args, 'limit')
  if (limit !== undefined && hasFlag(args, 'all')) throw new UsageError('--limit and --all exclude each other')
  return limit
}

/** The parser would keep the last of two values, which the API would never see: a member that is there twice is refused here. */
export function refuseDoubled(text: string, value: unknown, name: string): void {
  const doubled = findDoubledMember(text, value)?.at(-1)
  if (doubled !== undefined) throw new UsageError(`${name} has ${JSON.stringify(doubled)} twice`)
}

/** Parses a JSON object; undefined if the text is no JSON, or no object. */
function parseJsonObject(text: string, name: string): JsonObject | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  refuseDoubled(text, value, name)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

export function getJson(args: ParsedArguments, name: string): JsonObject | undefined {
  const text = getOption(args, name)
  if (text === undefined) return undefined
  const object = parseJsonObject(text, `--${name}`)
  if (object === undefined) throw new UsageError(`--${name} takes a JSON object, not ${text}`)
  return object
}

/** A file is too long to be quoted, so the message says where it stops being JSON. */
export function parseJsonFile(text: string, name: string): JsonObject {
  const object = parseJsonObject(text, name)
  if (object === undefined) throw new UsageError(`${name} is not a JSON object: ${findJsonError(text)}`)
  return object
}

/** `<name>=<value>` as a pair. */
export function parsePair(word: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(word) ?? []
  if (name === undefined || value === undefined) throw new UsageError(`${word} is not <name>=<value>`)
  return [name, value]
}

const SPACE = /\s*/y
const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

class JsonError extends Error {}

/**
 * Finds where a text stops being JSON, and what is expected there: `JSON.parse` names the place only of some faults.
 */
function findJsonError(text: string): string {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const isThere = pattern.test(text)
    if (isThere) at = pattern.lastIndex
    return isThere
  }
  const takes = (character: string): boolean => {
    take(SPACE)
    if (text[at] !== character) return false
    at += 1
    return true
  }
  const need = (isThere: boolean, what: string): void => {
    if (!isThere) throw new JsonError(what)
  }
  const value = (): void => {
    if (takes('{')) rest('}', member)
    else if (takes('[')) rest(']', value)
    else need(take(STRING) || take(SCALAR), 'a value is expected')
  }
  const member = (): void => {
    take(SPACE)
    need(take(STRING), 'a name in double quotes is expected')
    need(takes(':'), 'a colon is expected')
    value()
  }
  const rest = (end: string, each: () => void): void => {
    if (takes(end)) return
    each()
    while (takes(',')) each()
    need(takes(end), `a comma or ${end} is expected`)
  }
  try {
    value()
    take(SPACE)
    need(at === text.length, 'the end is expected')
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const before = text.slice(0, at).split('\n')
    return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${error.message}`
  }
  return 'it is not an object'
}
