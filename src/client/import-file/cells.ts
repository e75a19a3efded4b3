import { ATTRIBUTE_TYPES } from '../../procedure/model.ts'
import type { Procedure } from '../client.ts'

/** How the cells of a column are written, where a spreadsheet writes them otherwise than the API. */
export type CellForm = 'asIs' | 'dayMonthYear' | 'monthDayYear' | 'decimalComma'

interface CellFormOption {
  value: CellForm
  label: string
}

const DATES = ['date', 'datetime', 'datetimeISO8601']
const NUMBERS = ['float', 'integer', 'floatEnum', 'integerEnum']

type Declared = Pick<Procedure, 'attributes'>

const getType = ({ attributes }: Declared, target: string): string =>
  target === 'nextActionAt' ? 'datetime' : (attributes.find(({ shortId }) => shortId === target)?.type ?? '')

/** The forms that a column can have by where it goes; none: its cells are taken as they are. */
export function getFormOptions(procedure: Declared, target: string): CellFormOption[] {
  const type = getType(procedure, target)
  if (DATES.includes(type))
    return [
      { value: 'asIs', label: '2026-12-31' },
      { value: 'dayMonthYear', label: 'Day, month, year: 31.12.2026' },
      { value: 'monthDayYear', label: 'Month, day, year: 12/31/2026' },
    ]
  if (NUMBERS.includes(type))
    return [
      { value: 'asIs', label: '1234.5' },
      { value: 'decimalComma', label: 'With a comma: 1.234,5' },
    ]
  return []
}

const DAY = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:,?[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/
const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?$/
const WITH_COMMA = /^-?(\d{1,3}(\.\d{3})+|\d+),\d+$/
const MONTH_MAX = 12

/** Whether the month comes first in the language of the reader. */
const isMonthFirst = (locale: string | undefined): boolean =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'short' }).formatToParts(0).find(({ type }) => type !== 'literal')
    ?.type === 'month'

function detectDateForm(cells: readonly string[], locale: string | undefined): CellForm {
  const found = cells.map(cell => DAY.exec(cell)).filter(day => day !== null)
  if (found.length === 0) return 'asIs'
  if (found.some(([, first]) => Number(first) > MONTH_MAX)) return 'dayMonthYear'
  if (found.some(([, , second]) => Number(second) > MONTH_MAX)) return 'monthDayYear'
  const isDotted = found.some(([text]) => text.includes('.'))
  return !isDotted && isMonthFirst(locale) ? 'monthDayYear' : 'dayMonthYear'
}

/** The form of a column by its first cells; where days and months can't be told apart, that of the reader's language. */
export function proposeForm(procedure: Declared, target: string, cells: readonly string[], locale?: string): CellForm {
  const type = getType(procedure, target)
  const filled = cells.map(cell => cell.trim()).filter(cell => cell !== '')
  if (DATES.includes(type)) return detectDateForm(filled, locale)
  return NUMBERS.includes(type) && filled.some(cell => WITH_COMMA.test(cell)) ? 'decimalComma' : 'asIs'
}

/** Digits after one comma that may as well be thousands. */
const MAYBE_THOUSANDS = /^-?[1-9]\d{0,2},\d{3}$/

/** Which option has to say how a column is written, because its cells can be read in two ways. */
export function findAmbiguity(
  procedure: Declared,
  target: string,
  cells: readonly string[],
): 'dates' | 'decimal' | undefined {
  const type = getType(procedure, target)
  const filled = cells.map(cell => cell.trim()).filter(cell => cell !== '')
  if (DATES.includes(type)) {
    const days = filled.map(cell => DAY.exec(cell)).filter(day => day !== null)
    // Days with dots are written day first everywhere.
    const isCertain = days.some(
      ([text, first, second]) => text.includes('.') || Math.max(Number(first), Number(second)) > MONTH_MAX,
    )
    return days.length > 0 && !isCertain ? 'dates' : undefined
  }
  const commas = NUMBERS.includes(type) ? filled.filter(cell => WITH_COMMA.test(cell)) : []
  return commas.length > 0 && commas.every(cell => MAYBE_THOUSANDS.test(cell)) ? 'decimal' : undefined
}

interface ParsedDay {
  year: number
  month: number
  day: number
  /** Hours, minutes, seconds; none: a day alone. */
  time: readonly number[]
}

function parseDay(text: string, form: CellForm): ParsedDay | undefined {
  const iso = ISO_DAY.exec(text)
  const [, first, second, third, ...rest] = iso ?? (form === 'asIs' ? null : DAY.exec(text)) ?? []
  if (first === undefined) return undefined
  const [year, month, day] = (
    iso ? [first, second, third] : form === 'dayMonthYear' ? [third, second, first] : [third, first, second]
  ).map(Number)
  const time = rest.filter(each => each !== undefined).map(Number)
  if (year === undefined || month === undefined || day === undefined) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = time
  const date = new Date(Date.UTC(year, month - 1, day, hours, minutes, seconds))
  const exists =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hours &&
    date.getUTCMinutes() === minutes
  return exists ? { year, month, day, time } : undefined
}

const padTwo = (number: number): string => String(number).padStart(2, '0')

/** A cell as the API takes it. A time without a zone is the reader's. What can't be read is left as it is, to be refused. */
export function normalizeCell(procedure: Declared, target: string, text: string, form: CellForm): string {
  const attribute = procedure.attributes.find(({ shortId }) => shortId === target)
  const type = getType(procedure, target)
  if (DATES.includes(type)) {
    const written = parseDay(text, form)
    if (written === undefined) return text
    const { year, month, day, time } = written
    if (type === 'date') return time.length === 0 ? `${year}-${padTwo(month)}-${padTwo(day)}` : text
    const [hours = 0, minutes = 0, seconds = 0] = time
    return new Date(year, month - 1, day, hours, minutes, seconds).toISOString()
  }
  if (form === 'decimalComma' && WITH_COMMA.test(text)) return text.replaceAll('.', '').replace(',', '.')
  if (attribute?.type === 'stringEnum') return findEnumValue(attribute.values, text)
  return text
}

/** A value of an enum, however it is capitalized. */
function findEnumValue(values: readonly unknown[] | undefined, text: string): string {
  if (values === undefined || values.includes(text)) return text
  const same = values.filter(value => String(value).toLowerCase() === text.toLowerCase())
  return same.length === 1 ? String(same[0]) : text
}

/** Converts text to the type of the attribute. Text that does not fit is sent unchanged: the API reports the error. */
export function parseCell(attribute: Pick<Procedure['attributes'][number], 'type'> | undefined, text: string): unknown {
  switch (attribute === undefined ? 'text' : ATTRIBUTE_TYPES[attribute.type]) {
    case 'number':
      return attribute?.type === 'datetime' ? parseTime(text) : toNumber(text)
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text
    case 'list':
      return toList(attribute?.type ?? '', text)
    case 'document':
      return toJson(text)
    default:
      return text
  }
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i

/** A point in time in ISO 8601 with its offset becomes epoch milliseconds, as the API stores it. */
export function parseTime(text: string): unknown {
  const at = ISO_TIME.test(text.trim()) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? toNumber(text) : at
}

/** Only if nothing is lost: `007` and numbers of twenty digits stay text. */
const toNumber = (text: string): unknown => (String(Number(text)) === text.trim() ? Number(text) : text)

const toList = (type: string, text: string): unknown => {
  if (text.trimStart().startsWith('[')) return toJson(text)
  const items = text.split(';').map(item => item.trim())
  return items.filter(item => item !== '').map(item => (/Integer|Float/.test(type) ? toNumber(item) : item))
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
