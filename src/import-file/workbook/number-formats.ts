/** What a number of a spreadsheet stands for, by the format of its cell. */
export type NumberKind = 'number' | 'day' | 'time'

const DAYS = [14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]
const TIMES = [18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47, 55, 56]

/** Texts in quotes, single characters that stand for themselves, colours, currencies and conditions are no part of a format. */
const NO_FORMAT = /"[^"]*"|[\\_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi

/** A length of time, such as [h]:mm, stays the number that it is. */
export function getNumberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) return DAYS.includes(id) ? 'day' : TIMES.includes(id) && id !== 46 ? 'time' : 'number'
  const format = code.replaceAll(NO_FORMAT, '').split(';')[0] ?? ''
  if (/general/i.test(format) || /\[[hms]+\]/i.test(format)) return 'number'
  if (/[yd]/i.test(format) || (/m/i.test(format) && !/[hs]/i.test(format))) return 'day'
  return /[hs]/i.test(format) ? 'time' : 'number'
}

const DAY_MS = 86_400_000
const SECOND_MS = 1_000
/** Days are counted from here; spreadsheets take 1900 for a leap year, so that earlier days than March are off by one. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)
const MARCH_1900 = 61
/** What a spreadsheet shows of a number; more digits are noise of its arithmetic. */
const DIGITS = 15
const DAYS_MAX = 2_958_465

const pad = (number: number, length = 2): string => String(number).padStart(length, '0')

/** A number as the API takes it: a day as 2026-12-31, with its time if it has one, a time as 08:30. */
export function formatNumber(value: number, kind: NumberKind, isFrom1904: boolean): string {
  if (kind === 'number' || value < 0 || value > DAYS_MAX) return String(Number(value.toPrecision(DIGITS)))
  const days = !isFrom1904 && kind === 'day' && value < MARCH_1900 ? value + 1 : value
  const at = new Date(Math.round(((isFrom1904 ? EPOCH_1904 : EPOCH_1900) + days * DAY_MS) / SECOND_MS) * SECOND_MS)
  const [hours, minutes, seconds] = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()]
  const time = `${pad(hours)}:${pad(minutes)}${seconds === 0 ? '' : `:${pad(seconds)}`}`
  if (kind === 'time' && value < 1) return time
  const day = `${pad(at.getUTCFullYear(), 4)}-${pad(at.getUTCMonth() + 1)}-${pad(at.getUTCDate())}`
  return hours + minutes + seconds === 0 ? day : `${day} ${time}`
}
