import { formatCsvLine } from '../../import-file/csv.ts'
import type { Given, Options } from '../command/command.ts'
import { choiceOption, textOption } from '../command/options.ts'
import { cellText, type IsTime, isTimeField } from './cell-text.ts'
import { layoutOf, TABLE_SAMPLE_ROWS } from './table.ts'
import { hasColor, print, terminalWidth } from './terminal.ts'
import { valueAt } from './value-at.ts'

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

export interface RowsPrinting {
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

export const formatOption = (given: Given): Format | undefined => choiceOption(given, 'format', FORMATS)

/** Lists are a table on a terminal, and otherwise lines of JSON. */
export const rowFormat = (given: Given): Format => formatOption(given) ?? (process.stdout.isTTY ? 'table' : 'ndjson')

export function columnsOption(given: Given): string[] | undefined {
  const names = textOption(given, 'columns')
    ?.split(',')
    .map(each => each.trim())
  return names?.filter(each => each !== '')
}

/** Whether it was asked for as rows: what else is printed for people to read. */
export const hasRowOptions = (given: Given): boolean =>
  formatOption(given) !== undefined || columnsOption(given) !== undefined

type Rows = AsyncIterable<object> | Iterable<object>

/** Prints rows in the format that was chosen, as they come. */
export async function printRows(given: Given, rows: Rows, usual: readonly string[], isTime?: IsTime): Promise<void> {
  const chosen = columnsOption(given)
  const format = rowFormat(given)
  await writeRows(rows, {
    format,
    columns: chosen ?? usual,
    isChosen: chosen !== undefined,
    ...(isTime === undefined ? {} : { isTime }),
  })
}

/** Prints one thing: as JSON, or as a table of one row. */
export async function printOne(given: Given, one: object, usual: readonly string[], isTime?: IsTime): Promise<void> {
  const format = formatOption(given) ?? 'json'
  if (format !== 'json') return printRows({ ...given, options: { ...given.options, format } }, [one], usual, isTime)
  const chosen = columnsOption(given)
  await print(`${JSON.stringify(chosen === undefined ? one : pick(one, chosen), null, 2)}\n`)
}

const pick = (row: object, columns: readonly string[]): object =>
  Object.fromEntries(columns.map(column => [column, valueAt(row, column) ?? null]))

export async function writeRows(rows: Rows, printing: RowsPrinting): Promise<void> {
  const { format, columns, isChosen, isTime = isTimeField, write = print, delimiter, isForExcel = false } = printing
  const cell = (row: object, column: string): string => {
    const value = valueAt(row, column)
    const text = cellText(value, isTime(column))
    return isForExcel && typeof value !== 'number' && FORMULA.test(text) ? `'${text}` : text
  }
  const cells = (row: object): string[] => columns.map(column => cell(row, column))
  if (format === 'table') return writeTable(rows, columns, cells, write)
  if (format === 'csv') await write((isForExcel ? BYTE_ORDER_MARK : '') + formatCsvLine(columns, delimiter))
  let count = 0
  for await (const row of rows) {
    const json = JSON.stringify(isChosen ? pick(row, columns) : row)
    if (format === 'csv') await write(formatCsvLine(cells(row), delimiter))
    else if (format === 'ndjson') await write(`${json}\n`)
    else await write(`${count === 0 ? '[\n' : ',\n'}${json}`)
    count += 1
  }
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
    const layout = layoutOf(columns, found, { width: terminalWidth(), hasColor: hasColor() })
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
