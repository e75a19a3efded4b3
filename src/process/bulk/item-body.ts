import { type BulkBody, type BulkItem, readBulkBody, readLines } from '../../background-job/accept/body.ts'
import { readJsonLines } from '../../background-job/accept/json-lines.ts'
import { VALUE_BYTES_MAX } from '../../background-job/accept/scan.ts'
import {
  findHeaderFault,
  getReadOnlyColumns,
  type ImportMode,
  isNoteColumn,
  RECORD_PREFIX,
} from '../../client/import-file/columns.ts'
import { CsvError, isEmptyRow, parseCsv, type Row } from '../../client/import-file/csv.ts'
import { FIELDS, findJsonFault, toItem } from '../../client/import-file/items.ts'
import { type Fault, invalid } from '../../errors.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import type { Procedure } from '../../procedure/model.ts'
import { suggestion } from '../../suggest.ts'
import { PROCESSES } from './schema.ts'

const [NDJSON, CSV] = ['application/x-ndjson', 'text/csv']
export const LINE_TYPES = [NDJSON, CSV]

/** A body of items about processes. The definition in force says what the rows of a table mean, so it is asked for with the items. */
export interface ItemBody extends Omit<BulkBody, 'items'> {
  items: (procedure: Procedure, mode: ImportMode) => AsyncGenerator<BulkItem>
}

/** `others` are the members that a body of JSON may have beside its list. */
export function readItemBody(stream: StreamedBody, others: readonly string[] = []): ItemBody {
  if (stream.type === CSV) return readTable(stream)
  return stream.type === NDJSON ? readJsonLines(stream) : readBulkBody(stream, PROCESSES, others)
}

/** CSV, whose first line names fields and attributes. */
function readTable(stream: StreamedBody): ItemBody {
  const rows = readRows(stream)
  let header: readonly string[] | undefined
  const body = readLines(async () => {
    header ??= (await rows())?.cells.map(cell => cell.trim()) ?? []
    for (;;) {
      const row = await rows()
      if (!row || row.isTooLong || !isEmptyRow(row)) return row
    }
  })
  return {
    ...body,
    async *items(procedure, mode) {
      await body.begin()
      const readRow = createRowReader(procedure, mode, header ?? [])
      for await (const row of body.items()) yield readRow(row)
    },
  }
}

/** The rows as they come in. A quote that is opened or closed in the wrong place leaves open where the next row begins. */
function readRows(stream: StreamedBody): () => Promise<Row | undefined> {
  const rows = parseCsv(decode(stream), ',', VALUE_BYTES_MAX)
  return async () => {
    try {
      const { done, value } = await rows.next()
      return done ? undefined : value
    } catch (error) {
      if (error instanceof CsvError)
        throw invalid([{ message: `the body is not CSV: ${error.message}`, path: '/body' }])
      throw error
    }
  }
}

async function* decode(stream: StreamedBody): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  const decoded = (piece?: Uint8Array): string => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode()
    } catch {
      const hint = 'save the file as “CSV UTF-8”'
      throw invalid([{ message: 'the body is not valid UTF-8', path: '/body', hint }])
    }
  }
  for (let piece = await stream.next(); piece; piece = await stream.next()) yield decoded(piece)
  yield decoded()
}

function createRowReader(procedure: Procedure, mode: ImportMode, header: readonly string[]): (row: Row) => BulkItem {
  const faults = findHeaderFaults(procedure, mode, header)
  if (faults.length > 0) throw invalid(faults)
  return ({ line, cells, isTooLong }) => {
    if (isTooLong) return { line, fault: `a row has at most ${VALUE_BYTES_MAX} characters` }
    if (cells.length !== header.length)
      return { line, fault: `the row has ${cells.length} cells, and the header ${header.length}` }
    const texts = cells.map(cell => cell.trim())
    const unreadable = header.flatMap((name, nth) => findJsonFault(procedure, name, texts[nth] ?? '') ?? [])
    return unreadable.length > 0
      ? { line, fault: unreadable.join('; ') }
      : { line, item: toItem(procedure, header, texts, mode) }
  }
}

/** Columns that would not be sent are faults, but for those that an export or the results of a job have. */
function findHeaderFaults(procedure: Procedure, mode: ImportMode, header: readonly string[]): Fault[] {
  const known = [
    ...procedure.attributes.map(({ shortId }) => shortId),
    ...FIELDS,
    ...(mode === 'update' ? ['id', 'isDeleted'] : []),
  ]
  const ignored = getReadOnlyColumns(procedure, header, mode)
  const unknown = header.filter(
    name =>
      name !== '' &&
      !known.includes(name) &&
      !name.startsWith(RECORD_PREFIX) &&
      !ignored.includes(name) &&
      !isNoteColumn(procedure, name),
  )
  const fault = findHeaderFault(procedure, header, mode)
  return [
    ...(fault === undefined ? [] : [{ message: `the header: ${fault}`, path: '/body' }]),
    ...unknown.map(name => ({
      message: `the column ${JSON.stringify(name)} is no field, and no attribute of ${procedure.shortId}`,
      path: '/body',
      ...suggestion(name, known),
    })),
  ]
}
