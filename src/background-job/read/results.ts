import { choosePreferredType, notAcceptableError } from '../../http/request/accept.ts'
import { formatCsvLine } from '../../import-file/csv.ts'
import { nameAsHeading } from '../../refusal-text.ts'
import type { Failure } from '../entry.ts'
import { type EntryKinds, getKind } from '../kind.ts'
import type { JobRow } from '../rules.ts'
import type { SenderColumn } from '../sender-columns.ts'
import { chunksWith, indexesWith } from './entries.ts'
import { type EntryFilter, type EntryReader, storedEntries } from './stored-entries.ts'
import { type EntryView, type ReadChunk, toJobState, viewEntry } from './view.ts'

interface Format {
  type: string
  extension: string
  head: string
  line: (entry: EntryView) => string
}

export const NDJSON: Format = {
  type: 'application/x-ndjson',
  extension: 'ndjson',
  head: '',
  line: entry => `${JSON.stringify(entry)}\n`,
}

/** The id by which an entry that failed named its process. */
const processIdIn = (apiData: unknown): unknown =>
  (typeof apiData === 'object' && apiData !== null && Reflect.get(apiData, 'processId')) || ''

const getErrors = ({ completionResult }: EntryView): Partial<Failure>['errors'] =>
  (completionResult as Partial<Failure> | null)?.errors

/** Result columns follow the sender's own. An import ignores columns that begin with `_`, so the file can be sent again. */
const RESULT_COLUMNS: Record<string, (entry: EntryView, columns: readonly SenderColumn[]) => unknown> = {
  _status: entry => entry.completionStatus,
  _error: (entry, columns) =>
    getErrors(entry)
      ?.map(({ message }) => nameAsHeading(message, columns))
      .join('; ') || entry.completionMessage,
  _hint: entry => {
    const { item } = entry.data.apiData
    const hints = getErrors(entry)?.flatMap(({ hint }) => hint ?? []) ?? []
    // A row whose cells belong to no column, as it was.
    return typeof item === 'string' ? item : hints.join('; ')
  },
  _id: entry => (entry.completionResult as { id?: string } | null)?.id ?? processIdIn(entry.data.apiData),
  _line: entry => entry.data.apiData.line ?? '',
}

/** Formats results as CSV: the columns of the table that was sent, then those of the result. Without a table, each request is one cell of JSON. */
export function csvFormat(
  kinds: EntryKinds,
  { undoOf }: Pick<JobRow, 'undoOf'>,
  columns: readonly SenderColumn[] | null,
): Format {
  const { separator = ',', hasMark } = columns?.[0] ?? {}
  const ownCells = ({ data: { apiType, apiData } }: EntryView): string[] =>
    columns === null
      ? [JSON.stringify(apiData)]
      : columns.map(column => getKind(kinds, apiType)?.getCell?.(apiData, { ...column, separator }) ?? '')
  const ofUndo = undoOf === null ? {} : Object.assign({}, ...Object.values(kinds).map(kind => kind.undoColumns))
  const further: [string, (result: unknown) => string][] = Object.entries(ofUndo)
  const names = columns === null ? ['apiData'] : columns.map(({ name }) => name)
  return {
    type: `${CSV_TYPE}; charset=utf-8`,
    extension: 'csv',
    head: `${hasMark ? BYTE_ORDER_MARK : ''}${csvLine([...names, ...Object.keys(RESULT_COLUMNS), ...further.map(([name]) => name)], separator)}`,
    line: entry =>
      csvLine(
        [
          ...ownCells(entry),
          ...Object.values(RESULT_COLUMNS).map(note => String(note(entry, columns ?? []))),
          ...further.map(([, format]) => format(entry.completionResult)),
        ],
        separator,
      ),
  }
}

const BYTE_ORDER_MARK = '\ufeff'

const csvLine = (cells: readonly string[], separator: string): string => formatCsvLine(cells, separator, '\r\n')

const CSV_TYPE = 'text/csv'

/** Whoever asks for JSON, as many clients do in each request, gets its lines. */
export function isCsvPreferred(accept: string | undefined): boolean {
  const type = choosePreferredType(accept, [NDJSON.type, CSV_TYPE, 'application/json'])
  if (type === undefined) throw notAcceptableError(accept ?? '', [NDJSON.type, CSV_TYPE], 'or send no accept header')
  return type === CSV_TYPE
}

/**
 * All entries in the order of the request, at any size: a chunk is read when the one before has been taken. Of a group,
 * those up to its first entry are read at once, and `requireGroup` is called where there is none.
 */
export async function streamResults(
  reader: EntryReader,
  job: JobRow,
  format: Format,
  filter: EntryFilter,
  requireGroup: () => Promise<void>,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder()
  const state = toJobState(job)
  let chunks = chunksWith(storedEntries(reader, job), state, filter)
  if (filter.group !== undefined) {
    const first = await findNext(chunks, chunk => indexesWith(state, chunk, filter).length > 0)
    if (first) chunks = startWith(first, chunks)
    else await requireGroup()
  }
  return new ReadableStream({
    start(controller) {
      if (format.head !== '') controller.enqueue(encoder.encode(format.head))
    },
    async pull(controller) {
      const { value: chunk, done } = await chunks.next()
      if (done) return controller.close()
      const lines = indexesWith(state, chunk, filter).map(index =>
        format.line(viewEntry(reader.team, state, chunk, index)),
      )
      controller.enqueue(encoder.encode(lines.join('')))
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
}

/** Reads up to the first that matches, if there is one. */
async function findNext(
  chunks: AsyncGenerator<ReadChunk>,
  isMatch: (chunk: ReadChunk) => boolean,
): Promise<ReadChunk | undefined> {
  for (;;) {
    const { value: chunk, done } = await chunks.next()
    if (done) return undefined
    if (isMatch(chunk)) return chunk
  }
}

async function* startWith<Item>(first: Item, rest: AsyncGenerator<Item>): AsyncGenerator<Item> {
  yield first
  yield* rest
}
