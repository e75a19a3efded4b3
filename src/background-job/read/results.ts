import type { JobRow } from '../rules.ts'
import { chunksWith, type EntryFilter, indexesWith } from './entries.ts'
import { type EntryReader, storedEntries } from './stored-entries.ts'
import { type EntryView, toJobState, viewEntry } from './view.ts'

interface Format {
  type: string
  extension: string
  head: string
  line: (entry: EntryView) => string
}

const NDJSON: Format = {
  type: 'application/x-ndjson',
  extension: 'ndjson',
  head: '',
  line: entry => `${JSON.stringify(entry)}\n`,
}

/** The id by which an entry that failed named its process. */
const processIdIn = (apiData: unknown): unknown =>
  (typeof apiData === 'object' && apiData !== null && Reflect.get(apiData, 'processId')) || ''

const COLUMNS: Record<string, (entry: EntryView) => unknown> = {
  index: entry => entry.index,
  id: entry => entry.id,
  apiType: entry => entry.data.apiType,
  completionStatus: entry => entry.completionStatus,
  completionMessage: entry => entry.completionMessage,
  processId: entry => (entry.completionResult as { id?: string } | null)?.id ?? processIdIn(entry.data.apiData),
  primaryKey: entry => entry.primaryKey ?? '',
  apiData: entry => JSON.stringify(entry.data.apiData),
  completionResult: entry => (entry.completionResult === null ? '' : JSON.stringify(entry.completionResult)),
}

const CSV: Format = {
  type: 'text/csv; charset=utf-8',
  extension: 'csv',
  head: `${Object.keys(COLUMNS).join(',')}\r\n`,
  line: entry =>
    `${Object.values(COLUMNS)
      .map(value => csvCell(value(entry)))
      .join(',')}\r\n`,
}

const csvCell = (value: unknown): string => {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const formatFor = (accept: string | undefined): Format => (/\btext\/csv\b/i.test(accept ?? '') ? CSV : NDJSON)

/** All entries in the order of the request, at any size: a chunk is read when the one before has been taken. */
export function streamResults(
  reader: EntryReader,
  job: JobRow,
  format: Format,
  filter: EntryFilter,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const state = toJobState(job)
  const chunks = chunksWith(storedEntries(reader, job), state, filter)
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
