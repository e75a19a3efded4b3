import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { findUnclearCell, isTimeColumn, normalizeCell } from '../../import-file/cells.ts'
import { getReadOnlyColumns, type ImportMode, proposeTargets, type Targets } from '../../import-file/columns.ts'
import {
  CsvError,
  findSeparator,
  findSeparatorFault,
  formatCsvLine,
  isEmptyRow,
  type Numbering,
  parseCsv,
  type Row,
} from '../../import-file/csv.ts'
import { FILE_ENCODINGS, type FileEncoding, formatEncoding } from '../../import-file/encoding.ts'
import { createFailedRowWriter, ERROR_NOTE } from '../../import-file/failed-rows.ts'
import {
  chooseForms,
  collectSample,
  DATE_FORMS,
  DECIMAL_FORMS,
  describeColumn,
  type FormProposal,
  type FormSettings,
  listOpenForms,
} from '../../import-file/forms.ts'
import { findHeaderFaults, type HeaderFault } from '../../import-file/header.ts'
import { createRowReader, type TablePlan } from '../../import-file/rows.ts'
import { decodeText, detectEncoding } from '../../import-file/stream.ts'
import { isWorkbookName } from '../../import-file/workbook/name.ts'
import { describeJsonError } from '../../refusal-text.ts'
import type { Procedure } from '../client.ts'
import { type Options, type ParsedArguments, UsageError } from './command/command.ts'
import { getChoice, getOption } from './command/options.ts'
import { printError } from './output/terminal.ts'

export const FILE_FORMATS = ['csv', 'ndjson', 'xlsx'] as const
type FileFormat = (typeof FILE_FORMATS)[number]

interface FileForm {
  /** The byte order mark, by which Excel reads UTF-8; or empty. */
  mark: string
  lineEnd: '\n' | '\r\n'
}

/** The format of a file; undefined parts are detected. */
interface FileFormOptions {
  format: FileFormat | undefined
  encoding: FileEncoding | undefined
  separator: string | undefined
  /** The sheet of a workbook; undefined for the first one. */
  sheet: string | undefined
  /** An option that a workbook has no use for. */
  told: string | undefined
}

/** A file of rows that can be read several times. */
export interface RowFile {
  /** The path as it was given, for messages. */
  name: string
  format: Exclude<FileFormat, 'xlsx'>
  /** The sheet of the workbook that its rows are of. Its numbers are numbers, however they are shown. */
  sheet?: string
  encoding: FileEncoding
  /** The separator of the cells of a CSV file. */
  separator: string
  /** The separator, if the sender has said it. */
  delimiter?: string | undefined
  /** The text in chunks. */
  text: () => AsyncGenerator<string, void, undefined>
  /** Returns the byte order mark and line ends of the file, for a file in the same form. */
  form: () => Promise<FileForm>
  /** Removes what was stored. */
  close: () => Promise<void>
}

/** `-` is standard input. It is stored in a file, because rows are read again: checked first, and found if they failed. */
export async function openRowFile(name: string, chosen: FileFormOptions): Promise<RowFile> {
  const format = chosen.format ?? parseFormat(name)
  if (format === 'xlsx' && chosen.told !== undefined)
    throw new UsageError(`--${chosen.told} is for text: a workbook says that itself`)
  if (format !== 'xlsx' && chosen.sheet !== undefined) throw new UsageError('--sheet is for a workbook, an .xlsx file')
  if (name !== '-' && format !== 'xlsx')
    return { ...(await rowFile(name, name, { ...chosen, format })), delimiter: chosen.separator }
  const folder = await mkdtemp(path.join(tmpdir(), 'caseworker-'))
  const close = () => rm(folder, { recursive: true, force: true })
  const stored = path.join(folder, 'input')
  try {
    if (name === '-') await pipeline(process.stdin, createWriteStream(stored, { mode: 0o600 }))
    const shown = name === '-' ? 'standard input' : name
    if (format !== 'xlsx')
      return { ...(await rowFile(stored, shown, { ...chosen, format })), delimiter: chosen.separator, close }
    const table = path.join(folder, 'sheet.csv')
    const sheet = await storeSheet(name === '-' ? stored : name, shown, { target: table, sheet: chosen.sheet })
    return { ...(await rowFile(table, shown, { format: 'csv', encoding: 'utf-8', separator: ',' })), sheet, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Writes a sheet of a workbook as CSV, and returns its name. */
async function storeSheet(
  file: string,
  name: string,
  { target, sheet }: { target: string; sheet: string | undefined },
): Promise<string> {
  const { openWorkbook, WorkbookError } = await import('../../import-file/workbook/xlsx.ts')
  try {
    const table = await openWorkbook(new Blob([await readFile(file)]), sheet)
    await pipeline(table.lines(), createWriteStream(target, { mode: 0o600 }))
    const others = table.sheets.filter(each => each !== table.sheet)
    if (others.length > 0 && sheet === undefined)
      printError(`other sheets of ${name}: ${others.map(each => JSON.stringify(each)).join(', ')} (--sheet)\n`)
    return table.sheet
  } catch (error) {
    throw error instanceof WorkbookError ? new UsageError(`${name} cannot be read: ${error.message}`) : error
  }
}

type TextForm = Pick<FileFormOptions, 'encoding' | 'separator'> & Pick<RowFile, 'format'>

async function rowFile(file: string, name: string, chosen: TextForm): Promise<RowFile> {
  const { format } = chosen
  const encoding = chosen.encoding ?? (format === 'csv' ? await readEncoding(file, name) : 'utf-8')
  const text = () => readText(file, name, encoding)
  const separator = format === 'csv' ? await readSeparator(text(), chosen.separator) : ','
  return { name, format, encoding, separator, text, form: () => readForm(file, encoding), close: async () => {} }
}

async function readEncoding(file: string, name: string): Promise<FileEncoding> {
  try {
    return await detectEncoding(name, createReadStream(file))
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

/** A separator that the sender has told has to be that of the header: otherwise a quote in some row would be in its way. */
async function readSeparator(text: AsyncGenerator<string, void, undefined>, told: string | undefined): Promise<string> {
  const { separator, head } = await findSeparator(text)
  await text.return()
  const fault = told === undefined ? undefined : findSeparatorFault(head, told)
  if (fault !== undefined) throw new UsageError(`${fault} (--delimiter)`)
  return told ?? separator
}

function parseFormat(name: string): FileFormat {
  if (/\.csv$/i.test(name)) return 'csv'
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson'
  if (isWorkbookName(name)) return 'xlsx'
  throw new UsageError(`${name} is neither .csv, .xlsx nor .ndjson: use --format csv, xlsx or ndjson`)
}

async function* readText(file: string, name: string, encoding: FileEncoding): AsyncGenerator<string, void, undefined> {
  try {
    yield* decodeText(createReadStream(file), encoding)
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

const FORM_BYTES_READ = 65_536
const BYTE_ORDER_MARK = '\ufeff'

/** Told by the first bytes. `readText` decodes the mark away. What is not UTF-8 gets a copy that is, and that Excel reads as such. */
async function readForm(file: string, encoding: FileEncoding): Promise<FileForm> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FORM_BYTES_READ), 0, FORM_BYTES_READ, 0)
    const head = buffer.toString('utf8', 0, bytesRead).replaceAll('\0', '')
    const lineEnd = /^[^\n]*\r\n/.test(head) ? '\r\n' : '\n'
    const isMarked = encoding !== 'utf-8' || head.startsWith(BYTE_ORDER_MARK)
    return { mark: isMarked ? BYTE_ORDER_MARK : '', lineEnd }
  } finally {
    await handle.close()
  }
}

const getNames = <Name extends string>(names: Readonly<Record<Name, unknown>>) => Object.keys(names) as Name[]

/** What programs call Latin-1 is Windows-1252 nearly always, and the same where it is not. */
const ENCODINGS: Readonly<Record<string, FileEncoding>> = {
  ...Object.fromEntries(FILE_ENCODINGS.map(name => [name, name])),
  latin1: 'windows-1252',
  'iso-8859-1': 'windows-1252',
}
const ENCODING_NAMES = Object.keys(ENCODINGS)

/** The options that overrule what was detected in a file. */
export const FORM_OPTIONS = {
  delimiter: { value: 'char', summary: 'what is between the cells of a CSV file: one character, or tab' },
  encoding: { value: 'name', summary: 'how the file is written', choices: ENCODING_NAMES },
  dates: {
    value: 'order',
    summary: 'how days are written: 2026-12-31, 31.12.2026 or 12/31/2026',
    choices: getNames(DATE_FORMS),
  },
  decimal: {
    value: 'mark',
    summary: 'what begins the decimals of a number: 1,234.5, 1.234,5 or 1234.5 alone',
    choices: getNames(DECIMAL_FORMS),
  },
  sheet: { value: 'name', summary: 'which sheet of a workbook (default: the first)' },
} as const satisfies Options

/** A workbook has these by itself. */
const TEXT_OPTIONS = ['delimiter', 'encoding', 'decimal']

export function getFileForm(args: ParsedArguments): FileFormOptions {
  const delimiter = getOption(args, 'delimiter')
  if (delimiter !== undefined && delimiter !== 'tab' && !/^[^"\r\n]$/.test(delimiter))
    throw new UsageError(`--delimiter takes one character, or tab, not ${delimiter}`)
  return {
    format: getChoice(args, 'format', FILE_FORMATS),
    encoding: ENCODINGS[getOption(args, 'encoding') ?? ''],
    separator: delimiter === 'tab' ? '\t' : delimiter,
    sheet: getOption(args, 'sheet'),
    told: TEXT_OPTIONS.find(option => getOption(args, option) !== undefined),
  }
}

export const getCellForms = (args: ParsedArguments): ToldForms => ({
  dates: getChoice(args, 'dates', getNames(DATE_FORMS)),
  decimal: getChoice(args, 'decimal', getNames(DECIMAL_FORMS)),
})

/**
 * Decides where the columns of a file go and how its cells are written, and prints what differs from the form of the
 * API.
 */
export async function planReading(
  file: RowFile,
  procedure: Procedure,
  mode: ImportMode,
  { dates, decimal }: ToldForms,
): Promise<Reading> {
  if (file.format !== 'csv')
    return { procedure, mode, header: [], headerLine: 1, separator: ',', targets: [], forms: [], told: {} }
  // A number of a workbook is one, however it is shown; what looks like one in a text may be anything.
  const told: ToldForms = { dates, decimal: file.sheet === undefined ? decimal : 'plain' }
  const settings: FormSettings = {
    dates: told.dates && DATE_FORMS[told.dates],
    decimal: told.decimal && DECIMAL_FORMS[told.decimal],
  }
  const { first, rows } = await readSample(file)
  if (first === undefined) throw new UsageError(`${file.name} is empty`)
  const header = first.cells
  const targets = proposeTargets(procedure, mode, header, rows)
  const readOnly = getReadOnlyColumns(procedure, header, mode)
  const faults = findHeaderFaults(procedure, mode, { header, targets })
  const { separator } = file
  const { forms, unclear, unclearPoints } = chooseForms(procedure, { header, targets, rows, separator }, settings)
  // Nobody checks a guess before it is sent: the sender has to choose.
  const refusals = [...faults.map(formatHeaderFault), ...unclear.map(each => `${each.message} (--${each.option})`)]
  if (refusals.length > 0) throw new UsageError(refusals.join('\n'))
  if (readOnly.length > 0) printError(`these columns cannot be changed and are not sent: ${readOnly.join(', ')}\n`)
  for (const sentence of describeReading(file, procedure, { header, targets, forms })) printError(`${sentence}\n`)
  const open = listOpenForms(settings)
  const headerLine = first.line
  return { procedure, mode, header, headerLine, separator, targets, forms, unclearPoints, open, told }
}

const formatHeaderFault = ({ message, hint }: HeaderFault): string =>
  hint === undefined ? message : `${message} (${hint()})`

async function readSample(file: RowFile): Promise<{ first: Row | undefined; rows: readonly Row[] }> {
  const sample = collectSample<Row>()
  let first: Row | undefined
  for await (const row of readCells(file)) {
    if (first === undefined) first = row
    else if (sample.add(row)) break
  }
  return { first, rows: sample.rows }
}

/** Describes what was detected, as lines; none if a file is in the form of the API. */
function describeReading(
  { name, sheet, encoding, separator }: RowFile,
  procedure: Procedure,
  { header, targets, forms }: { header: readonly string[]; targets: Targets } & Pick<FormProposal, 'forms'>,
): string[] {
  const columns = header.flatMap((column, at) => {
    const target = targets[at] ?? ''
    if (target === '') return []
    const sentence = describeColumn(procedure, { column, target, form: forms[at] ?? 'asIs' })
    return sentence === undefined ? [] : [`  ${sentence}`]
  })
  const times = targets.some((target, at) => {
    const type = procedure.attributes.find(({ shortId }) => shortId === target)?.type
    return forms[at] !== 'asIs' && (target === 'nextActionAt' || type === 'datetime' || type === 'datetimeISO8601')
  })
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const isUsual = encoding === 'utf-8' && separator === ',' && columns.length === 0
  const between = separator === '\t' ? 'tabs' : JSON.stringify(separator)
  return isUsual
    ? []
    : [
        sheet === undefined
          ? `${name} is read as ${formatEncoding(encoding)} with ${between} between its cells`
          : `${name} is read from its sheet ${JSON.stringify(sheet)}`,
        ...columns,
        ...(times ? [`  times without a zone are those of ${zone}`] : []),
      ]
}

export interface FileRow {
  line: number
  /** The row as it is sent, with its line end. */
  text: string
  /** The item of the bulk request. */
  item: Record<string, unknown>
  /** Why it is no item, whatever the definition says: it becomes an INVALID entry. */
  fault: string | undefined
  /** The row as it was sent, with the reason why it failed. */
  withError: (message: string) => string
}

/** A file with how its rows are understood: where the columns go, and how their cells are written. */
export interface Reading extends TablePlan {
  procedure: Procedure
  /** The line in which the header begins. */
  headerLine: number
  /** What the sender says of the cells, as the API is told it. */
  told: ToldForms
}

export interface ToldForms {
  dates?: keyof typeof DATE_FORMS | undefined
  decimal?: keyof typeof DECIMAL_FORMS | undefined
}

/** `onEmpty` is told of each row that is left out because its cells are all empty. */
export const readRows = (
  file: RowFile,
  reading: Reading,
  onEmpty?: () => void,
): AsyncGenerator<FileRow, void, undefined> =>
  file.format === 'csv' ? readCsvRows(file, reading, onEmpty) : readJsonRows(file)

/** A row of a workbook is named by its number in the sheet. */
export const getNumbering = ({ sheet }: Pick<RowFile, 'sheet'>): Numbering => (sheet === undefined ? 'lines' : 'rows')

/** The rows of a CSV file as they are, its header first. */
async function* readCells(file: RowFile, onEmpty: () => void = () => {}): AsyncGenerator<Row, void, undefined> {
  let isHeader = true
  try {
    for await (const row of parseCsv(file.text(), file.separator, { numbering: getNumbering(file) })) {
      if (!isHeader && isEmptyRow(row)) onEmpty()
      else yield isHeader ? { ...row, cells: row.cells.map(cell => cell.trim()) } : row
      isHeader = false
    }
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(error.message) : error
  }
}

async function* readCsvRows(
  file: RowFile,
  reading: Reading,
  onEmpty?: () => void,
): AsyncGenerator<FileRow, void, undefined> {
  const read = createRowReader(reading)
  const failed = createFailedRowWriter(reading, [ERROR_NOTE])
  const toSent = createTimeWriter(reading)
  let isHeader = true
  for await (const { line, cells } of readCells(file, onEmpty)) {
    if (!isHeader) {
      const { item, fault } = read(cells)
      yield {
        line,
        text: formatCsvLine(toSent(cells), file.separator),
        item,
        fault,
        withError: message => failed.formatRow([message], cells),
      }
    }
    isHeader = false
  }
}

/** A time without a zone is that of this machine, which the API does not know: it gets its offset. All else is sent as it is. */
function createTimeWriter({ procedure, header, targets, forms = [], open = [] }: Reading) {
  const places = [...targets.keys()].filter(at => isTimeColumn(procedure, targets[at] ?? ''))
  const write = (sent: string, at: number): string => {
    const [cell, target, form] = [sent.trim(), targets[at] ?? '', forms[at] ?? 'asIs']
    const unclear = findUnclearCell(procedure, target, cell, form)
    if (cell === '' || (unclear !== undefined && open.includes(unclear))) return sent
    return normalizeCell(procedure, target, cell, form)
  }
  return (cells: readonly string[]): readonly string[] =>
    places.length === 0 || cells.length !== header.length
      ? cells
      : cells.map((cell, at) => (places.includes(at) ? write(cell, at) : cell))
}

/** Reads a file in which each line is an item of the bulk request. */
async function* readJsonRows(file: RowFile): AsyncGenerator<FileRow, void, undefined> {
  let [rest, line] = ['', 0]
  for await (const text of file.text()) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) {
      line += 1
      if (each.trim() !== '') yield readJsonRow(each, line)
    }
  }
  if (rest.trim() !== '') yield readJsonRow(rest, line + 1)
}

/** A line that is no item goes into the file of failed rows as it was: there is no place in it for the reason. */
function readJsonRow(text: string, line: number): FileRow {
  const parsed = text.isWellFormed() ? parseJsonLine(text) : { fault: 'it is not valid UTF-8' }
  if ('fault' in parsed)
    return {
      line,
      text: `${text.trimEnd()}\n`,
      item: {},
      fault: parsed.fault,
      withError: () => `${text.trimEnd()}\n`,
    }
  const { [ERROR_NOTE]: _, ...item } = parsed.item
  return {
    line,
    text: `${JSON.stringify(item)}\n`,
    item,
    fault: undefined,
    withError: message => `${JSON.stringify({ ...item, [ERROR_NOTE]: message })}\n`,
  }
}

function parseJsonLine(text: string): { item: Record<string, unknown> } | { fault: string } {
  try {
    const item: unknown = JSON.parse(text)
    return typeof item === 'object' && item !== null && !Array.isArray(item)
      ? { item: item as Record<string, unknown> }
      : { fault: 'an item must be an object' }
  } catch (error) {
    return { fault: describeJsonError(error) }
  }
}
