import { type BulkBody, type BulkItem, readBulkBody, readLines } from '../../background-job/accept/body.ts'
import { readJsonLines } from '../../background-job/accept/json-lines.ts'
import { VALUE_BYTES_MAX } from '../../background-job/accept/scan.ts'
import type { SenderColumn } from '../../background-job/sender-columns.ts'
import { type Fault, invalid } from '../../errors.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import type { Warning } from '../../http/response/warnings.ts'
import type { CellForm } from '../../import-file/cells.ts'
import { getReadOnlyColumns, type ImportMode, proposeTargets } from '../../import-file/columns.ts'
import {
  CsvError,
  findSeparator,
  findSeparatorFault,
  formatEmptyRows,
  isEmptyRow,
  type Numbering,
  parseCsv,
  type Row,
} from '../../import-file/csv.ts'
import { formatEncoding } from '../../import-file/encoding.ts'
import { chooseForms, collectSample, DATE_FORMS, DECIMAL_FORMS, describeColumn } from '../../import-file/forms.ts'
import { findHeaderFaults } from '../../import-file/header.ts'
import { createRowReader, NO_TEXT, type TablePlan } from '../../import-file/rows.ts'
import { CHARSETS, decodeStream, NoTextError } from '../../import-file/stream.ts'
import type { Procedure } from '../../procedure/model.ts'
import { PROCESSES } from './schema.ts'

const [NDJSON, CSV] = ['application/x-ndjson', 'text/csv']
/** What a body may be besides JSON, and in which charsets. */
export const LINE_TYPES = { [NDJSON]: ['utf-8', 'utf8'], [CSV]: Object.keys(CHARSETS) }

/** What the parameters of a request say of its table; what is left out is found out. */
export interface TableOptions {
  delimiter?: string | undefined
  dates?: keyof typeof DATE_FORMS | undefined
  decimal?: keyof typeof DECIMAL_FORMS | undefined
  numbering?: Numbering | undefined
}

/** A body of items about processes. The definition in force says what the rows of a table mean, so it is asked for with the items. */
export interface ItemBody extends Omit<BulkBody, 'items'> {
  items: (procedure: Procedure, mode: ImportMode) => AsyncGenerator<BulkItem>
  /** The columns of a table. Asked for when all items were read. */
  columns?: () => SenderColumn[]
  /** What was found out of a table, where it is not as the API writes one. Asked for when all items were read. */
  warnings?: () => Warning[]
}

const OTHER_FORMS = `CSV is sent with content-type: ${CSV}, lines of JSON with ${NDJSON}`

/** `others` are the members that a body of JSON may have beside its list. */
export function readItemBody(stream: StreamedBody, options: TableOptions, others: readonly string[] = []): ItemBody {
  if (stream.type === CSV) return readTable(stream, options)
  const given = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (given.length > 0)
    throw invalid(given.map(name => ({ message: `"${name}" is only for a body of ${CSV}`, path: `/query/${name}` })))
  return stream.type === NDJSON ? readLinesOfJson(stream) : readBulkBody(stream, PROCESSES, others, OTHER_FORMS)
}

/** Lines of JSON. A broken one is found by an erasure through what it says of its process, as a row of a table is. */
function readLinesOfJson(stream: StreamedBody): ItemBody {
  const body = readJsonLines(stream)
  return {
    ...body,
    async *items({ primaryKey }, mode) {
      for await (const read of body.items())
        if (!('fault' in read) || typeof read.kept?.item !== 'string') yield read
        else {
          const text = read.kept.item
          const key = primaryKey === null ? undefined : findMember(text, primaryKey)
          const id = mode === 'update' ? findMember(text, 'id') : undefined
          yield { ...read, kept: { ...toProcessNames(primaryKey, key, id), item: text } }
        }
    },
  }
}

const MEMBER_VALUE = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/

/** The value of a member in a text that need not be JSON. */
function findMember(text: string, name: string): string | undefined {
  const quoted = JSON.stringify(name)
  const at = text.indexOf(quoted)
  const value = at < 0 ? undefined : MEMBER_VALUE.exec(text.slice(at + quoted.length))?.[1]
  if (value === undefined || !value.startsWith('"')) return value
  try {
    return String(JSON.parse(value))
  } catch {
    return undefined
  }
}

/** How an entry names the process that a malformed row or line is about. */
const toProcessNames = (primaryKey: string | null, key: string | undefined, id: string | undefined) =>
  id ? { processId: id } : key ? { primaryKeyShortId: primaryKey, primaryKeyValue: key } : {}

/** `curl -d` reads a file, and sends it without its line breaks. */
const KEPT_BREAKS = 'curl --data-binary @file sends a file as it is; -d takes its line breaks out'
const ONE_LINE: Fault = {
  message: 'the body has a heading, and no line break behind it',
  path: '/body',
  hint: KEPT_BREAKS,
}

const NO_TABLE = 'the first line names the columns, and each line behind it is a row'

/** More than a process has fields and attributes, and a customer. */
const COLUMNS_MAX = 2_000

/** The header of a table and its first rows, which are read before the first item is. */
interface TableHead {
  header: readonly string[]
  sample: readonly Row[]
}

/** CSV, whose first line names fields and attributes. */
function readTable(stream: StreamedBody, options: TableOptions): ItemBody {
  const table = readRows(stream, options)
  let head: TableHead | undefined
  const waiting: Row[] = []
  let notes: string[] = []
  let columns: SenderColumn[] = []
  let leftOut: Warning[] = []
  let emptyRows = 0
  const nextRow = async (): Promise<Row | undefined> => {
    for (;;) {
      const row = await table.next()
      if (!row || row.isTooLong || !isEmptyRow(row)) return row
      emptyRows += 1
    }
  }
  const readHead = async (): Promise<TableHead> => {
    const header = (await table.next())?.cells.map(cell => cell.trim()) ?? []
    const sample = collectSample<Row>()
    for (let isEnough = false; !isEnough; ) {
      const row = await nextRow()
      if (!row) break
      isEnough = sample.add(row)
    }
    const isHeadingAlone = sample.rows.length === 0 && header.some(name => name !== '')
    if (isHeadingAlone && table.isOneLine()) throw invalid([ONE_LINE])
    waiting.push(...sample.rows.toReversed())
    return { header, sample: sample.rows }
  }
  const body = readLines(
    async () => {
      head ??= await readHead()
      return waiting.pop() ?? nextRow()
    },
    () => (head?.header.some(name => name !== '') ? 'rows are missing: there is a heading alone' : NO_TABLE),
  )
  return {
    ...body,
    async *items(procedure, mode) {
      await body.begin()
      const plan = planTable(procedure, mode, { ...(head ?? { header: [], sample: [] }), ...table.cellsBy() }, options)
      notes = plan.notes
      leftOut = warnLeftOut(plan)
      const readRow = createItemReader(plan)
      for await (const row of body.items()) yield readRow(row)
      columns = toSenderColumns(plan, table.cellsBy())
    },
    columns: () => columns,
    warnings: () => [
      ...leftOut,
      ...[...table.notes(), ...notes, ...(emptyRows === 0 ? [] : [formatEmptyRows(emptyRows)])].map(message => ({
        code: 'table_recognised' as const,
        message,
        path: '/body',
      })),
    ],
  }
}

/** Columns of an export are not refused, so that it can be sent back; an `id` that is not taken may have meant a process. */
function warnLeftOut({ procedure, mode, header }: ReadTable): Warning[] {
  const names = getReadOnlyColumns(procedure, header, mode)
  if (names.length === 0) return []
  const message = `nobody can set ${names.join(', ')}: what stands there is not taken`
  const ids = mode === 'upsert' ? `a process is found by its ${procedure.primaryKey}` : 'new processes get their own'
  const hint = names.includes('id') ? { hint: `${ids}; PATCH finds processes by id` } : {}
  return [{ code: 'column_left_out', message, path: '/body', ...hint }]
}

/** What stands between the cells of a table, and whether the request says so. */
interface CellsBy {
  separator: string
  isSeparatorDeclared: boolean
  /** A spreadsheet needs a byte order mark to read its letters. */
  hasMark: boolean
}

/** The rows as they come in. A quote that is opened or closed in the wrong place leaves open where the next row begins. */
function readRows(stream: StreamedBody, { delimiter, numbering }: TableOptions) {
  const declared = stream.charset === undefined ? undefined : CHARSETS[stream.charset]
  const decoded = decodeStream(readPieces(stream), declared)
  let rows: AsyncGenerator<Row, void, undefined> | undefined
  const tab = delimiter === 'tab' ? '\t' : delimiter
  let found = tab ?? ','
  let isOneLine = false
  async function open(): Promise<AsyncGenerator<Row, void, undefined>> {
    const { separator, head, text } = await findSeparator(decoded.text)
    found = tab ?? separator
    isOneLine = !/[\r\n]/.test(head)
    const fault = findSeparatorFault(head, found)
    if (fault !== undefined) throw invalid([{ message: fault, path: '/query/delimiter' }])
    return parseCsv(text, found, { rowCharactersMax: VALUE_BYTES_MAX, numbering })
  }
  return {
    async next(): Promise<Row | undefined> {
      try {
        rows ??= await open()
        const { done, value } = await rows.next()
        return done ? undefined : value
      } catch (error) {
        if (error instanceof CsvError)
          throw invalid([{ message: `the body is not CSV: ${error.message}`, path: '/body' }])
        if (error instanceof NoTextError)
          throw invalid([{ message: 'the body is no text', path: '/body', hint: 'save the file as “CSV UTF-8”' }])
        throw error
      }
    },
    cellsBy: (): CellsBy => ({
      separator: found,
      isSeparatorDeclared: tab !== undefined,
      hasMark: decoded.isMarked() || (decoded.encoding() ?? 'utf-8') !== 'utf-8',
    }),
    /** Whether there is no line break as far as the heading was looked for. */
    isOneLine: () => isOneLine,
    /** What was found out, and is unusual. */
    notes(): string[] {
      const encoding = decoded.encoding() ?? 'utf-8'
      const between = found === '\t' ? 'tabs' : JSON.stringify(found)
      return [
        ...(declared === undefined && encoding !== 'utf-8' ? [`the text is read as ${formatEncoding(encoding)}`] : []),
        ...(found === ',' || tab !== undefined ? [] : [`cells are separated by ${between}`]),
      ]
    },
  }
}

async function* readPieces(stream: StreamedBody): AsyncGenerator<Uint8Array, void, undefined> {
  for (let piece = await stream.next(); piece; piece = await stream.next()) yield piece
}

interface ReadTable extends TablePlan {
  forms: readonly CellForm[]
  /** What was found out, and is unusual. */
  notes: string[]
}

/** Where the columns go and how their cells are written. What could be read in two ways refuses the request. */
function planTable(
  procedure: Procedure,
  mode: ImportMode,
  { header, sample, separator }: TableHead & CellsBy,
  { dates, decimal }: TableOptions,
): ReadTable {
  if (header.length > COLUMNS_MAX)
    throw invalid([
      {
        message: `the header: a table has at most ${COLUMNS_MAX} columns, and this one ${header.length}`,
        path: '/body',
      },
    ])
  const targets = proposeTargets(procedure, mode, header, sample)
  const declared = { dates: dates && DATE_FORMS[dates], decimal: decimal && DECIMAL_FORMS[decimal] }
  if (!header.every(name => name.isWellFormed())) throw invalid([{ message: `the header: ${NO_TEXT}`, path: '/body' }])
  const faults: Fault[] = findHeaderFaults(procedure, mode, { header, targets }).map(fault => ({
    ...fault,
    path: '/body',
  }))
  const { unclear, ...written } = chooseForms(
    procedure,
    { header, targets, rows: sample, separator, timesNeedOffset: true },
    declared,
  )
  for (const { option, message } of unclear) faults.push({ message, path: `/query/${option}` })
  if (faults.length > 0) throw invalid(faults)
  const { forms } = written
  const notes = header.flatMap((column, at) => {
    const target = targets[at] ?? ''
    const isDeclared =
      forms[at] !== 'asIs' && forms[at] === (forms[at]?.startsWith('decimal') ? declared.decimal : declared.dates)
    const form = isDeclared ? 'asIs' : (forms[at] ?? 'asIs')
    return target === '' ? [] : (describeColumn(procedure, { column, target, form }) ?? [])
  })
  return { procedure, mode, header, separator, targets, ...written, timesNeedOffset: true, notes }
}

/**
 * The sender's own columns, but for what is not kept: notes, and what nobody can set. Beside decimal commas, a semicolon
 * stands between cells where nothing else was told: there the point of `1.234` is never taken for that of decimals.
 */
function toSenderColumns({ header, targets, forms }: ReadTable, cellsBy: CellsBy): SenderColumn[] {
  const columns: SenderColumn[] = header.flatMap((name, at) => {
    const target = targets[at] ?? ''
    if (target === '') return []
    const form = forms[at] ?? 'asIs'
    return [{ name, target, ...(form === 'decimalComma' ? { hasComma: true as const } : {}), ...toDates(form) }]
  })
  const hasCommas = columns.some(({ hasComma }) => hasComma)
  const separator = !cellsBy.isSeparatorDeclared && cellsBy.separator === ',' && hasCommas ? ';' : cellsBy.separator
  const ofAll = {
    ...(separator === ',' ? {} : { separator }),
    ...(cellsBy.hasMark ? { hasMark: true as const } : {}),
  }
  return columns.map((column, nth) => (nth > 0 ? column : { ...column, ...ofAll }))
}

const toDates = (form: CellForm): Pick<SenderColumn, 'dates'> =>
  form === 'dayMonthYear' ? { dates: 'dmy' } : form === 'monthDayYear' ? { dates: 'mdy' } : {}

function createItemReader(plan: ReadTable): (row: Row) => BulkItem {
  const { procedure, targets } = plan
  const read = createRowReader(plan)
  const keyAt = targets.indexOf(procedure.primaryKey ?? '')
  /** By this an erasure finds it; of a row of another width, it looks at the cell where the name should stand. */
  const nameRow = (cells: readonly string[]) => {
    const [key, id] = [cells[keyAt], cells[targets.indexOf('id')]].map(cell => cell?.trim() ?? '')
    return toProcessNames(procedure.primaryKey, key, id)
  }
  return ({ line, cells, isTooLong }) => {
    if (isTooLong) return { line, fault: `a row has at most ${VALUE_BYTES_MAX} characters` }
    const { item, fault, kept } = read(cells)
    if (fault === undefined) return { line, item }
    const sent = kept()
    return sent === undefined ? { line, fault } : { line, fault, kept: { ...nameRow(cells), item: sent } }
  }
}
