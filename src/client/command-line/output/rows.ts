import { formatCsvLine } from '../../../import-file/csv.ts'
import type { Options, ParsedArguments } from '../command/command.ts'
import { getChoice, getOption } from '../command/options.ts'
import { hasColor, print, terminalWidth } from './terminal.ts'

const FORMATS = ['table', 'csv', 'json', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** The options of commands that print rows. */
export const ROW_OPTIONS = {
  format: { value: 'format', summary: 'table on a terminal, otherwise ndjson', choices: FORMATS },
  columns: { value: 'names', summary: 'the columns: names, separated by commas' },
} as const satisfies Options
/** The options of commands that print one thing. */
export const ONE_OPTIONS = {
  ...ROW_OPTIONS,
  format: { value: 'format', summary: 'json if left out', choices: FORMATS },
} as const satisfies Options

interface RowsPrinting {
  format: Format
  /** The columns of tables and CSV, and the fields of JSON if they were chosen. */
  columns: readonly string[]
  isChosen: boolean
  isTime?: IsTime
  /** Between the columns of CSV. */
  delimiter?: string
  /** CSV that Excel reads as it is meant: behind a byte order mark, and with no text that it would run. */
  isForExcel?: boolean
  write?: (text: string) => Promise<void>
}

/** The same as that of the API's format `excel` (`src/process/query/output/table-row.ts`). */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/
const BYTE_ORDER_MARK = '\uFEFF'

export const getFormat = (args: ParsedArguments): Format | undefined => getChoice(args, 'format', FORMATS)

/** Lists are a table on a terminal, and otherwise lines of JSON. */
export const getRowFormat = (args: ParsedArguments): Format =>
  getFormat(args) ?? (process.stdout.isTTY ? 'table' : 'ndjson')

export function getColumns(args: ParsedArguments): string[] | undefined {
  const names = getOption(args, 'columns')
    ?.split(',')
    .map(each => each.trim())
  return names?.filter(each => each !== '')
}

/** Returns whether rows are requested in some form: other output is printed for people to read. */
export const hasRowOptions = (args: ParsedArguments): boolean =>
  getFormat(args) !== undefined || getColumns(args) !== undefined

type Rows = AsyncIterable<object> | Iterable<object>

/** Prints rows in the format that was chosen, as they come. */
export async function printRows(
  args: ParsedArguments,
  rows: Rows,
  usual: readonly string[],
  isTime?: IsTime,
): Promise<void> {
  const chosen = getColumns(args)
  const format = getRowFormat(args)
  await writeRows(rows, {
    format,
    columns: chosen ?? usual,
    isChosen: chosen !== undefined,
    ...(isTime === undefined ? {} : { isTime }),
  })
}

/** Prints one thing: as JSON, or as a table of one row. */
export async function printOne(
  args: ParsedArguments,
  one: object,
  usual: readonly string[],
  isTime?: IsTime,
): Promise<void> {
  const format = getFormat(args) ?? 'json'
  if (format !== 'json') return printRows({ ...args, options: { ...args.options, format } }, [one], usual, isTime)
  const chosen = getColumns(args)
  await print(`${JSON.stringify(chosen === undefined ? one : pick(one, chosen), null, 2)}\n`)
}

const pick = (row: object, columns: readonly string[]): object =>
  Object.fromEntries(columns.map(column => [column, getValue(row, column) ?? null]))

export async function writeRows(rows: Rows, printing: RowsPrinting): Promise<void> {
  const { format, columns, isChosen, isTime = isTimeField, write = print, delimiter, isForExcel = false } = printing
  const cell = (row: object, column: string): string => {
    const value = getValue(row, column)
    // Only a field has 0 for never: in `data` it is the beginning of 1970.
    const isFirstMs = value === 0 && isTime(column) && !Object.hasOwn(row, column)
    const text = isFirstMs ? formatTime(0) : formatCell(value, isTime(column))
    return isForExcel && typeof value !== 'number' && FORMULA.test(text) ? `'${text}` : text
  }
  const cells = (row: object): string[] => columns.map(column => cell(row, column))
  if (format === 'table') return writeTable(rows, columns, cells, write)
  let count = 0
  const begin = async () => {
    if (format === 'csv') await write((isForExcel ? BYTE_ORDER_MARK : '') + formatCsvLine(columns, delimiter))
  }
  for await (const row of rows) {
    // What is refused has no heading: the first row comes after the response.
    if (count === 0) await begin()
    const json = JSON.stringify(isChosen ? pick(row, columns) : row)
    if (format === 'csv') await write(formatCsvLine(cells(row), delimiter))
    else if (format === 'ndjson') await write(`${json}\n`)
    else await write(`${count === 0 ? '[\n' : ',\n'}${json}`)
    count += 1
  }
  if (count === 0) await begin()
  if (format === 'json') await write(count === 0 ? '[]\n' : '\n]\n')
}

async function writeTable(
  rows: Rows,
  columns: readonly string[],
  cells: (row: object) => string[],
  write: (text: string) => Promise<void>,
): Promise<void> {
  let sample: string[][] | undefined = []
  let line = (_: readonly string[]): string => ''
  const begin = async (found: string[][]) => {
    const layout = layOutTable(columns, found, { width: terminalWidth(), hasColor: hasColor() })
    line = layout.line
    await write([layout.heading, ...found.map(line)].map(each => `${each}\n`).join(''))
  }
  for await (const row of rows) {
    if (sample === undefined) await write(`${line(cells(row))}\n`)
    else if (sample.push(cells(row)) === TABLE_SAMPLE_ROWS) {
      await begin(sample)
      sample = undefined
    }
  }
  if (sample !== undefined) await begin(sample)
}

/** The number of rows that decide about the widths of the columns. Later rows are printed as they come. */
const TABLE_SAMPLE_ROWS = 100
const GAP = '  '
const CELL_WIDTH_MAX = 40
const [BOLD, PLAIN] = ['\u001b[1m', '\u001b[22m']

const countCharacters = (text: string): number => [...text].length
/** Control characters would break the line, or change the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const removeControls = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')

/** Joins a text into one line, cut to a width. */
export const truncate = (text: string, width: number): string => {
  const letters = [...removeControls(text)]
  return letters.length > width ? `${letters.slice(0, width - 1).join('')}…` : letters.join('')
}

interface Layout {
  line: (cells: readonly string[]) => string
  heading: string
}

/** Lays a table out for its first rows. Columns that do not fit into the width are left out, from the right. */
export function layOutTable(
  columns: readonly string[],
  sample: readonly (readonly string[])[],
  { width, hasColor }: { width: number; hasColor: boolean },
): Layout {
  const widths = columns.map((column, at) =>
    Math.min(
      CELL_WIDTH_MAX,
      Math.max(countCharacters(column), ...sample.map(cells => countCharacters(removeControls(cells[at] ?? '')))),
    ),
  )
  let shown = widths.length
  const total = () => widths.slice(0, shown).reduce((sum, each) => sum + each + GAP.length, -GAP.length)
  while (shown > 1 && total() > width) shown -= 1
  const line = (cells: readonly string[]): string =>
    widths
      .slice(0, shown)
      .map((each, at) => pad(truncate(cells[at] ?? '', each), each))
      .join(GAP)
      .trimEnd()
  const heading = line(columns)
  return { line, heading: hasColor ? `${BOLD}${heading}${PLAIN}` : heading }
}

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - countCharacters(text)))

/** Fields with a point in time as epoch milliseconds; 0 is never. */
const TIME_FIELD = /(At|^timestamp)$/

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** Tells which columns are points in time: fields such as `createdAt`, and attributes of the type datetime. */
export type IsTime = (column: string) => boolean
export const isTimeField: IsTime = column => TIME_FIELD.test(column)

/**
 * A value as text for tables and CSV, such that `parseCell` reads it back: lists as `a;b`, documents as JSON, times in
 * ISO 8601.
 */
export function formatCell(value: unknown, isTime: boolean): string {
  if (value === null || value === undefined) return ''
  if (isTime && typeof value === 'number') return value === 0 ? '' : formatTime(value)
  if (Array.isArray(value)) return formatList(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const LAST_MS = Date.UTC(9999, 11, 31)

/** As the tables of the API have it: as ISO 8601, as long as its year has four digits. */
const formatTime = (ms: number): string =>
  Number.isInteger(ms) && ms >= 0 && ms <= LAST_MS ? new Date(ms).toISOString() : String(ms)

function formatList(values: readonly unknown[]): string {
  const text = values.join(';')
  const isPlain =
    values.length > 0 &&
    values.every(each => isScalar(each) && each !== '' && !/;|^\s|\s$/.test(String(each))) &&
    !text.startsWith('[')
  return isPlain ? text : JSON.stringify(values)
}

type Row = Record<string, unknown>

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of a column: a field, an attribute in `data`, or a path such as `record.phone_number`. */
export function getValue(row: unknown, column: string): unknown {
  if (!isRow(row)) return undefined
  if (Object.hasOwn(row, column)) return row[column]
  if (isRow(row.data) && Object.hasOwn(row.data, column)) return row.data[column]
  const dot = column.indexOf('.')
  return dot < 0 ? undefined : getValue(row[column.slice(0, dot)], column.slice(dot + 1))
}
