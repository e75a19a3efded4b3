import type { Given } from './command.ts'
import { jsonFault } from './json-fault.ts'
import { UsageError } from './usage-error.ts'

type JsonObject = Record<string, unknown>

export const hasFlag = ({ options }: Given, name: string): boolean => options[name] === true

export const textOption = ({ options }: Given, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export const listOption = ({ options }: Given, name: string): string[] =>
  [options[name] ?? []].flat().filter(each => typeof each === 'string')

/** The choices are checked when the command line is parsed. */
export const choiceOption = <One extends string>(given: Given, name: string, known: readonly One[]): One | undefined =>
  known.find(each => each === given.options[name])

export function wholeNumberOption(given: Given, name: string): number | undefined {
  const value = textOption(given, name)
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new UsageError(`--${name} takes a whole number above 0, not ${value}`)
  return Number(value)
}

/** What `--limit` says. Beside `--all` it would mean nothing. */
export function limitOption(given: Given): number | undefined {
  const limit = wholeNumberOption(given, 'limit')
  if (limit !== undefined && hasFlag(given, 'all')) throw new UsageError('--limit and --all exclude each other')
  return limit
}

export function jsonObjectIn(text: string, name: string): JsonObject {
  try {
    const found: unknown = JSON.parse(text)
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as JsonObject
  } catch {
    // The error below covers this case.
  }
  throw new UsageError(`${name} takes a JSON object, not ${text}`)
}

/** Of a file, which is not printed. */
export function jsonObjectInFile(text: string, name: string): JsonObject {
  try {
    const found: unknown = JSON.parse(text)
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as JsonObject
  } catch {
    // The error below covers this case.
  }
  throw new UsageError(`${name} is not a JSON object: ${jsonFault(text)}`)
}

export function jsonOption(given: Given, name: string): JsonObject | undefined {
  const value = textOption(given, name)
  return value === undefined ? undefined : jsonObjectIn(value, `--${name}`)
}

/** `<name>=<value>` as a pair. */
export function pairIn(word: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(word) ?? []
  if (name === undefined || value === undefined) throw new UsageError(`${word} is not <name>=<value>`)
  return [name, value]
}
