import { toSentTime } from 'import-file/cells'
import type { ProcedureAttribute } from '../../api/procedure.ts'
import { getTypeRules, isListType, isNumberType } from './types.ts'

/** The members of an attribute on which its input depends. */
export type TypedAttribute = Pick<ProcedureAttribute, 'type' | 'values'>

/** An undeclared value is edited as JSON. */
export const UNDECLARED: TypedAttribute = { type: 'json' }

const two = (number: number): string => String(number).padStart(2, '0')

/** A point in time as a `datetime-local` input has it: in the reader's zone. */
export function localTime(ms: number): string {
  const at = new Date(ms)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const milliseconds = at.getMilliseconds() === 0 ? '' : `.${String(at.getMilliseconds()).padStart(3, '0')}`
  const seconds = at.getSeconds() === 0 && milliseconds === '' ? '' : `:${two(at.getSeconds())}${milliseconds}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`
}

const COORDINATE = String.raw`\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*`
const PLACE = new RegExp(`^${COORDINATE},${COORDINATE}$`, 'i')

/** A value as the text that is edited. Lists have a line for each of their values. */
export function formatValue(attribute: TypedAttribute, value: unknown): string {
  if (value === null || value === undefined) return ''
  const { input } = getTypeRules(attribute.type)
  if (input === 'datetime' && typeof value === 'number') return localTime(value)
  if (input === 'place' && Array.isArray(value)) return value.join(', ')
  if (input === 'list' && Array.isArray(value)) return formatLines(value)
  if (input === 'json')
    return typeof value === 'string' && jsonIn(value) === value && value.trim() !== ''
      ? value
      : JSON.stringify(value, null, 2)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Parses the text of an input; null for a blank one. A text that does not fit is sent as it is: the API says why. */
export function parseValue(attribute: TypedAttribute, text: string): unknown {
  if (text.trim() === '') return null
  const { type } = attribute
  const { input, isNumber } = getTypeRules(type)
  if (input === 'datetime') return Number.isNaN(Date.parse(text)) ? text : toSentTime(Date.parse(text))
  if (input === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (isNumberType(type)) return numberIn(text)
  if (isListType(type)) {
    const items = valuesIn(text)
    return isNumber ? items.map(numberIn) : items
  }
  // Stored as a number, either is a whole one.
  if ((input === 'date' || input === 'time') && /^-?\d+$/.test(text.trim())) return numberIn(text)
  if (input === 'place' && PLACE.test(text)) return text.split(',').map(Number)
  return input === 'json' || input === 'place' ? jsonIn(text) : text
}

/** Reads a number only where nothing is lost: `007` stays text. */
const numberIn = (text: string): unknown => (String(Number(text)) === text.trim() ? Number(text) : text.trim())

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** A text that its line would not say: it is written as JSON, between quotes. */
const isHidden = (text: string): boolean => text.trim() !== text || /^$|^"|[\r\n]/.test(text)

/** Values as lines of a text that is edited. `valuesIn` is its inverse. */
export const formatLines = (values: readonly unknown[]): string =>
  values
    .map(value => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')))
    .map(text => (isHidden(text) ? JSON.stringify(text) : text))
    .join('\n')

/** The texts of the lines that are not blank. */
export const valuesIn = (lines: string): string[] =>
  lines.split('\n').flatMap(line => (line.trim() === '' ? [] : [unquote(line.trim())]))

function unquote(line: string): string {
  if (!line.startsWith('"')) return line
  try {
    return String(JSON.parse(line))
  } catch {
    return line
  }
}
