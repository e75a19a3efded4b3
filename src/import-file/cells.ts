import { ATTRIBUTE_TYPES, TRUTHS } from '../procedure/model.ts'
import { isTakenForSeconds } from '../procedure/values.ts'
import type { TableProcedure } from './columns.ts'

/** How the cells of a column are written, where a spreadsheet writes them otherwise than the API. */
export type CellForm = 'asIs' | 'dayMonthYear' | 'monthDayYear' | 'decimalComma' | 'decimalPoint'

interface CellFormOption {
  value: CellForm
  label: string
}

const DATES = ['date', 'datetime', 'datetimeISO8601']
const NUMBERS = ['float', 'integer', 'floatEnum', 'integerEnum']
const WHOLE_NUMBERS = ['integer', 'integerEnum']

type CellColumns = {
  attributes: readonly Pick<TableProcedure['attributes'][number], 'shortId' | 'type' | 'values'>[]
}

const getType = ({ attributes }: CellColumns, target: string): string =>
  target === 'nextActionAt' ? 'datetime' : (attributes.find(({ shortId }) => shortId === target)?.type ?? '')

const isDateColumn = (procedure: CellColumns, target: string): boolean => DATES.includes(getType(procedure, target))
export const isNumberColumn = (procedure: CellColumns, target: string): boolean =>
  NUMBERS.includes(getType(procedure, target))
/** Whether its cells name a moment, not a day: without an offset it is another one for each reader. */
export const isTimeColumn = (procedure: CellColumns, target: string): boolean =>
  isDateColumn(procedure, target) && getType(procedure, target) !== 'date'

/** The forms that a column can have by where it goes; none: its cells are taken as they are. */
export function getFormOptions(procedure: CellColumns, target: string): CellFormOption[] {
  if (isDateColumn(procedure, target))
    return [
      { value: 'asIs', label: '2026-12-31' },
      { value: 'dayMonthYear', label: 'Day, month, year: 31.12.2026' },
      { value: 'monthDayYear', label: 'Month, day, year: 12/31/2026' },
    ]
  if (isNumberColumn(procedure, target))
    return [
      { value: 'asIs', label: '1234.5' },
      { value: 'decimalComma', label: 'With a comma: 1.234,5' },
      { value: 'decimalPoint', label: 'With a point: 1,234.5' },
    ]
  return []
}

const DAY = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:,?[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/
const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?$/
const MONTH_MAX = 12

/** In which order a day stands: surely, or, with dots alone, as everywhere. Null: it is no day, or one of both orders. */
type DayOrder = 'dayFirst' | 'monthFirst' | 'dotted' | 'unclear'

function getDayOrder(cell: string): DayOrder | undefined {
  const [text, first, second] = DAY.exec(cell) ?? []
  if (text === undefined) return undefined
  if (Number(first) > MONTH_MAX) return 'dayFirst'
  if (Number(second) > MONTH_MAX) return 'monthFirst'
  return text.includes('.') ? 'dotted' : 'unclear'
}

function detectDateForm(cells: readonly string[]): CellForm {
  const orders = new Set(cells.map(getDayOrder))
  orders.delete(undefined)
  if (orders.size === 0) return 'asIs'
  return !orders.has('dayFirst') && orders.has('monthFirst') ? 'monthDayYear' : 'dayMonthYear'
}

const WITH_COMMA = /^-?(\d{1,3}(\.\d{3})+|\d+),\d+$/
const WITH_POINT = /^-?\d+\.\d+$/
const DOTS_IN_GROUPS = /^-?[1-9]\d{0,2}(\.\d{3})+$/
const COMMAS_IN_GROUPS = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/
/** Digits after one mark that may as well be thousands. */
const MAYBE_THOUSANDS = /^-?[1-9]\d{0,2}[,.]\d{3}$/

/**
 * What a number tells of the mark before its decimals: `grouped` has commas between its thousands, and of `comma?` and
 * `point?` the only mark may stand before decimals or thousands.
 */
type NumberMark = 'comma' | 'point' | 'grouped' | 'comma?' | 'point?'

export function getNumberMark(cell: string): NumberMark | undefined {
  if (MAYBE_THOUSANDS.test(cell)) return cell.includes(',') ? 'comma?' : 'point?'
  if (WITH_COMMA.test(cell) || DOTS_IN_GROUPS.test(cell)) return 'comma'
  if (COMMAS_IN_GROUPS.test(cell)) return 'grouped'
  return WITH_POINT.test(cell) ? 'point' : undefined
}

const listFilled = (cells: readonly string[]): string[] => cells.map(cell => cell.trim()).filter(cell => cell !== '')

/** The form of a column by its first cells. Where `findAmbiguity` finds that they can be read in two ways, it is a guess. */
export function proposeForm(procedure: CellColumns, target: string, cells: readonly string[]): CellForm {
  if (isDateColumn(procedure, target)) return detectDateForm(listFilled(cells))
  if (!isNumberColumn(procedure, target)) return 'asIs'
  const marks = new Set(listFilled(cells).map(getNumberMark))
  if (marks.has('comma')) return 'decimalComma'
  if (marks.has('grouped') || (marks.has('comma?') && marks.has('point'))) return 'decimalPoint'
  return marks.has('comma?') ? 'decimalComma' : 'asIs'
}

/** The options that say how ambiguous cells of a file are read. */
export type FormOption = 'dates' | 'decimal'

export interface Ambiguity {
  option: FormOption
  /** A cell that can be read in two ways, or does not go with the others. */
  cell: string
  /** One of those that it does not go with. */
  other?: string | undefined
  /** One that can be read in two ways beside two that can't. */
  unclear?: string | undefined
}

/**
 * Whether the point of `1.234` may stand before thousands: where other characters than commas are between cells, decimals
 * may have commas, unless another number of the column has a point before them.
 */
export const arePointsUnclear = (
  procedure: CellColumns,
  target: string,
  { cells, separator }: { cells: readonly string[]; separator: string },
): boolean =>
  separator !== ',' &&
  isNumberColumn(procedure, target) &&
  !listFilled(cells).some(cell => ['point', 'grouped'].includes(getNumberMark(cell) ?? ''))

/** Which option has to say how a column is written, because its cells can be read in two ways. */
export function findAmbiguity(
  procedure: CellColumns,
  target: string,
  cells: readonly string[],
  separator = ',',
): Ambiguity | undefined {
  const filled = listFilled(cells)
  if (isDateColumn(procedure, target)) return findUnclearDay(filled)
  if (!isNumberColumn(procedure, target)) return undefined
  const isUnclear =
    WHOLE_NUMBERS.includes(getType(procedure, target)) || arePointsUnclear(procedure, target, { cells, separator })
  return findUnclearNumber(filled, isUnclear)
}

function findUnclearDay(cells: readonly string[]): Ambiguity | undefined {
  const find = (...orders: DayOrder[]): string | undefined =>
    cells.find(cell => orders.includes(getDayOrder(cell) ?? ('' as DayOrder)))
  const [dayFirst, monthFirst] = [find('dayFirst', 'dotted'), find('monthFirst')]
  if (dayFirst !== undefined && monthFirst !== undefined)
    return { option: 'dates', cell: monthFirst, other: dayFirst, unclear: find('unclear') }
  const cell = dayFirst === undefined && monthFirst === undefined ? find('unclear') : undefined
  return cell === undefined ? undefined : { option: 'dates', cell }
}

function findUnclearNumber(cells: readonly string[], arePointsUnclear: boolean): Ambiguity | undefined {
  const find = (mark: NumberMark): string | undefined => cells.find(cell => getNumberMark(cell) === mark)
  const [comma, point] = [find('comma'), find('point') ?? find('grouped')]
  const [maybeComma, maybePoint] = [find('comma?'), find('point?')]
  if (comma !== undefined) {
    const cell = point ?? maybePoint
    const unclear = point === undefined ? undefined : (maybeComma ?? maybePoint)
    return cell === undefined ? undefined : { option: 'decimal', cell, other: comma, unclear }
  }
  const cell = point === undefined ? (maybeComma ?? (arePointsUnclear ? maybePoint : undefined)) : undefined
  return cell === undefined ? undefined : { option: 'decimal', cell }
}

const DAY_FORMS = ['dayMonthYear', 'monthDayYear'] as const

/** What is wrong with a cell whose form nobody stated, and which the form of its column, found in the first rows, does not fit. */
export function findUnclearCell(
  procedure: CellColumns,
  target: string,
  cell: string,
  form: CellForm,
): FormOption | undefined {
  if (isDateColumn(procedure, target)) {
    const isDay = getDayOrder(cell) !== undefined
    // A day that is none in either order is wrong, whichever was meant.
    const exists = DAY_FORMS.some(each => parseDay(cell, each) !== undefined)
    return isDay && exists && (form === 'asIs' || parseDay(cell, form) === undefined) ? 'dates' : undefined
  }
  if (!isNumberColumn(procedure, target)) return undefined
  const mark = getNumberMark(cell)
  const isWhole = WHOLE_NUMBERS.includes(getType(procedure, target))
  const unclear: Partial<Record<CellForm, readonly (NumberMark | undefined)[]>> = {
    asIs: ['comma', 'comma?', ...(isWhole ? (['point?'] as const) : [])],
    decimalComma: ['point', 'point?', 'grouped'],
    decimalPoint: ['comma', ...(isWhole ? (['point?'] as const) : [])],
  }
  return mark !== undefined && unclear[form]?.includes(mark) ? 'decimal' : undefined
}

const OPTIONS: Record<FormOption, string> = { dates: 'dates dmy or mdy', decimal: 'decimal comma or point' }
const QUESTIONS: Record<FormOption, string> = {
  dates: 'whether day or month comes first',
  decimal: 'whether its mark stands before decimals or thousands',
}
const KINDS: Record<FormOption, string> = {
  dates: 'days of both orders',
  decimal: 'numbers with a comma and with a point before their decimals',
}

const VALUES: Record<FormOption, [one: string, many: string]> = {
  dates: ['day', 'days'],
  decimal: ['number', 'numbers'],
}

/** Whether a cell alone can be read in two ways: `04/28/2021` can't. */
const isUnclearAlone = ({ option, cell }: Ambiguity): boolean =>
  option === 'dates' ? getDayOrder(cell) === 'unclear' : (getNumberMark(cell) ?? '').endsWith('?')

/**
 * Says of a cell that it can be read in two ways, or which other one it does not go with; and which option says what is
 * meant. `findLine` tells the line of a cell in the file.
 */
export function formatAmbiguity(
  column: string,
  found: Ambiguity,
  findLine: (cell: string) => number | undefined = () => undefined,
): string {
  const { option, cell, other, unclear } = found
  const quote = (text: string): string => {
    const line = findLine(text)
    return `${JSON.stringify(text)}${line === undefined ? '' : ` (line ${line})`}`
  }
  const begin = `the column ${JSON.stringify(column)} has`
  if (isUnclearAlone(found)) {
    const beside = other === undefined ? '' : ` beside ${quote(other)}`
    return `${begin} ${quote(cell)}${beside}, of which is not known ${QUESTIONS[option]}: say ${OPTIONS[option]}`
  }
  if (other === undefined)
    return `${begin} ${quote(cell)}, which is not written as those in its first rows: say ${OPTIONS[option]}`
  const [one, many] = VALUES[option]
  const all = `All its ${many} are read by that${unclear === undefined ? '' : `, ${quote(unclear)} as well`}`
  return `${begin} ${KINDS[option]}, ${quote(other)} and ${quote(cell)}: say ${OPTIONS[option]}. ${all}, and what is no ${one} then is INVALID`
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
export function normalizeCell(procedure: CellColumns, target: string, text: string, form: CellForm): string {
  const attribute = procedure.attributes.find(({ shortId }) => shortId === target)
  const type = getType(procedure, target)
  if (isDateColumn(procedure, target)) {
    const written = parseDay(text, form)
    if (written === undefined) return text
    const { year, month, day, time } = written
    if (type === 'date')
      return time.every(part => part === 0) ? `${String(year).padStart(4, '0')}-${padTwo(month)}-${padTwo(day)}` : text
    const [hours = 0, minutes = 0, seconds = 0] = time
    return new Date(year, month - 1, day, hours, minutes, seconds).toISOString()
  }
  if (form === 'decimalComma' && (WITH_COMMA.test(text) || DOTS_IN_GROUPS.test(text)))
    return text.replaceAll('.', '').replace(',', '.')
  if (form === 'decimalPoint' && COMMAS_IN_GROUPS.test(text)) return text.replaceAll(',', '')
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
export function parseCell(
  attribute: Pick<TableProcedure['attributes'][number], 'type'> | undefined,
  text: string,
): unknown {
  switch (attribute === undefined ? 'text' : ATTRIBUTE_TYPES[attribute.type]) {
    case 'number':
      return attribute?.type === 'datetime' ? parseTime(text) : toNumber(text)
    case 'boolean':
      return parseTruth(text)
    case 'list':
      return toList(attribute?.type ?? '', text)
    case 'document':
      return toJson(text)
    default:
      return text
  }
}

export const parseTruth = (text: string): boolean | string => TRUTHS.get(text.trim().toLowerCase()) ?? text

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i

const SHORT_NUMBER = /^\s*-?\d{1,10}\s*$/

/**
 * A point in time in ISO 8601 with its offset becomes epoch milliseconds, as the API stores it. A number of few digits stays
 * text, which the API refuses: it may be a day or seconds.
 */
export function parseTime(text: string): unknown {
  const at = ISO_TIME.test(text.trim()) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) return SHORT_NUMBER.test(text) ? text.trim() : toNumber(text)
  return toSentTime(at)
}

/** Returns a time as the API takes it. */
export const toSentTime = (ms: number): number | string => (isTakenForSeconds(ms) ? new Date(ms).toISOString() : ms)

const DECIMALS = /^-?(0|[1-9]\d*)\.\d+$/
/** A number with more digits is the same as its neighbours. */
const DIGITS_MAX = 15

/** Only if nothing is lost but zeros behind its decimals: `007` and numbers of twenty digits stay text. */
function toNumber(text: string): unknown {
  const trimmed = text.trim()
  const number = Number(trimmed)
  const isLossless =
    String(number) === trimmed || (DECIMALS.test(trimmed) && trimmed.replaceAll(/[-.]/g, '').length <= DIGITS_MAX)
  // `NaN` and `Infinity` are no numbers of JSON, which would have them as null: the value would be removed.
  return isLossless && Number.isFinite(number) ? number : text
}

/**
 * A number in a cell of a column with decimal commas or points, so that it can be read in one way only, whatever stands in
 * the other cells: `1.234` may be a thousand, and `1.2340` is none.
 */
export function formatNumber(text: string, { hasComma }: { hasComma: boolean }): string {
  if (!WITH_POINT.test(text)) return text
  const clear = MAYBE_THOUSANDS.test(text) ? `${text}0` : text
  return hasComma ? clear.replace('.', ',') : clear
}

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
