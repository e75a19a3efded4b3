import type { ProcedureAttribute } from '../../api/procedure.ts'
import { linesOf, valuesIn } from './lines.ts'

/** What of an attribute its input depends on. */
export type Typed = Pick<ProcedureAttribute, 'type' | 'values'>

/** What an undeclared value is edited as. */
export const UNDECLARED: Typed = { type: 'json' }

const two = (number: number): string => String(number).padStart(2, '0')

/** A point in time as a `datetime-local` input has it: in the reader's zone. */
export function localTime(ms: number): string {
  const at = new Date(ms)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const milliseconds = at.getMilliseconds() === 0 ? '' : `.${String(at.getMilliseconds()).padStart(3, '0')}`
  const seconds = at.getSeconds() === 0 && milliseconds === '' ? '' : `:${two(at.getSeconds())}${milliseconds}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`
}

export const isList = ({ type }: Typed): boolean => type.startsWith('multi')
const isNumber = ({ type }: Typed): boolean => /^(integer|float)/.test(type)
const isDocument = ({ type }: Typed): boolean => type === 'json' || type === 'geolocation'

const COORDINATE = String.raw`\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*`
const PLACE = new RegExp(`^${COORDINATE},${COORDINATE}$`, 'i')

/** A value as the text that is edited. Lists have a line for each of their values. */
export function textOfValue(attribute: Typed, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (attribute.type === 'datetime' && typeof value === 'number') return localTime(value)
  if (attribute.type === 'geolocation' && Array.isArray(value)) return value.join(', ')
  if (isList(attribute) && Array.isArray(value)) return linesOf(value)
  if (attribute.type === 'json')
    return typeof value === 'string' && jsonIn(value) === value && value.trim() !== ''
      ? value
      : JSON.stringify(value, null, 2)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The value that a text stands for; null for none. A text that does not fit is sent as it is: the API says why it does not. */
export function valueOfText(attribute: Typed, text: string): unknown {
  if (text.trim() === '') return null
  const { type } = attribute
  if (type === 'datetime') return Number.isNaN(Date.parse(text)) ? text : Date.parse(text)
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (isNumber(attribute)) return numberIn(text)
  if (isList(attribute)) {
    const items = valuesIn(text)
    return /Integer|Float/.test(type) ? items.map(numberIn) : items
  }
  // Stored as a number, either is a whole one.
  if ((type === 'date' || type === 'time') && /^-?\d+$/.test(text.trim())) return numberIn(text)
  if (type === 'geolocation' && PLACE.test(text)) return text.split(',').map(Number)
  return isDocument(attribute) ? jsonIn(text) : text
}

/** Only where nothing is lost: `007` stays text. */
const numberIn = (text: string): unknown => (String(Number(text)) === text.trim() ? Number(text) : text.trim())

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
