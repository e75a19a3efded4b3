import type { Procedure } from '../../client.ts'

/** How the cells of a column are written, where a spreadsheet writes them otherwise than the API. */
export type CellForm = 'asIs' | 'dayMonthYear' | 'monthDayYear' | 'decimalComma'

export interface CellFormOption {
  value: CellForm
  label: string
}

const DATES = ['date', 'datetime', 'datetimeISO8601']
const NUMBERS = ['float', 'integer', 'floatEnum', 'integerEnum']

type Declared = Pick<Procedure, 'attributes'>

const typeOf = ({ attributes }: Declared, target: string): string =>
  target === 'nextActionAt' ? 'datetime' : (attributes.find(({ shortId }) => shortId === target)?.type ?? '')

/** The forms that a column can have by where it goes; none: its cells are taken as they are. */
export function formOptions(procedure: Declared, target: string): CellFormOption[] {
  const type = typeOf(procedure, target)
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
/** The months of a year. */
const MONTH_MAX = 12

/** In the language of the reader the month may come first. */
const isMonthFirst = (locale: string | undefined): boolean =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'short' }).formatToParts(0).find(({ type }) => type !== 'literal')
    ?.type === 'month'

function formOfDates(cells: readonly string[], locale: string | undefined): CellForm {
  const found = cells.map(cell => DAY.exec(cell)).filter(day => day !== null)
  if (found.length === 0) return 'asIs'
  if (found.some(([, first]) => Number(first) > MONTH_MAX)) return 'dayMonthYear'
  if (found.some(([, , second]) => Number(second) > MONTH_MAX)) return 'monthDayYear'
  const isDotted = found.some(([text]) => text.includes('.'))
  return !isDotted && isMonthFirst(locale) ? 'monthDayYear' : 'dayMonthYear'
}

/** The form of a column by its first cells; where days and months can't be told apart, that of the reader's language. */
export function proposedForm(procedure: Declared, target: string, cells: readonly string[], locale?: string): CellForm {
  const type = typeOf(procedure, target)
  const filled = cells.map(cell => cell.trim()).filter(cell => cell !== '')
  if (DATES.includes(type)) return formOfDates(filled, locale)
  return NUMBERS.includes(type) && filled.some(cell => WITH_COMMA.test(cell)) ? 'decimalComma' : 'asIs'
}

/** Digits after one comma that may as well be thousands. */
const MAYBE_THOUSANDS = /^-?[1-9]\d{0,2},\d{3}$/

/** Which option has to say how a column is written, because its cells can be read in two ways. */
export function isAmbiguous(
  procedure: Declared,
  target: string,
  cells: readonly string[],
): 'dates' | 'decimal' | undefined {
  const type = typeOf(procedure, target)
  const filled = cells.map(cell => cell.trim()).filter(cell => cell !== '')
  if (DATES.includes(type)) {
    const days = filled.map(cell => DAY.exec(cell)).filter(day => day !== null)
    // Days with dots are written day first everywhere.
    const isTold = days.some(
      ([text, first, second]) => text.includes('.') || Math.max(Number(first), Number(second)) > MONTH_MAX,
    )
    return days.length > 0 && !isTold ? 'dates' : undefined
  }
  const commas = NUMBERS.includes(type) ? filled.filter(cell => WITH_COMMA.test(cell)) : []
  return commas.length > 0 && commas.every(cell => MAYBE_THOUSANDS.test(cell)) ? 'decimal' : undefined
}

interface WrittenDay {
  year: number
  month: number
  day: number
  /** Hours, minutes, seconds; none: a day alone. */
  time: readonly number[]
}

function dayIn(text: string, form: CellForm): WrittenDay | undefined {
  const iso = ISO_DAY.exec(text)
  const [, first, second, third, ...rest] = iso ?? (form === 'asIs' ? null : DAY.exec(text)) ?? []
  if (first === undefined) return undefined
  const [year, month, day] = (
    iso ? [first, second, third] : form === 'dayMonthYear' ? [third, second, first] : [third, first, second]
  ).map(Number)
  const time = rest.filter(each => each !== undefined).map(Number)
  if (year === undefined || month === undefined || day === undefined) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = time
  const there = new Date(Date.UTC(year, month - 1, day, hours, minutes, seconds))
  const isThere =
    there.getUTCMonth() === month - 1 &&
    there.getUTCDate() === day &&
    there.getUTCHours() === hours &&
    there.getUTCMinutes() === minutes
  return isThere ? { year, month, day, time } : undefined
}

const two = (number: number): string => String(number).padStart(2, '0')

/** A cell as the API takes it. A time without a zone is the reader's. What can't be read is left as it is, to be refused. */
export function readCell(procedure: Declared, target: string, text: string, form: CellForm): string {
  const attribute = procedure.attributes.find(({ shortId }) => shortId === target)
  const type = typeOf(procedure, target)
  if (DATES.includes(type)) {
    const written = dayIn(text, form)
    if (written === undefined) return text
    const { year, month, day, time } = written
    if (type === 'date') return time.length === 0 ? `${year}-${two(month)}-${two(day)}` : text
    const [hours = 0, minutes = 0, seconds = 0] = time
    return new Date(year, month - 1, day, hours, minutes, seconds).toISOString()
  }
  if (form === 'decimalComma' && WITH_COMMA.test(text)) return text.replaceAll('.', '').replace(',', '.')
  if (attribute?.type === 'stringEnum') return valueCalled(attribute.values, text)
  return text
}

/** A value of a list, however it is capitalized. */
function valueCalled(values: readonly unknown[] | undefined, text: string): string {
  if (values === undefined || values.includes(text)) return text
  const same = values.filter(value => String(value).toLowerCase() === text.toLowerCase())
  return same.length === 1 ? String(same[0]) : text
}
