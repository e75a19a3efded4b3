import type { Call, CallOptions } from './call/call.ts'
import { noResponse } from './call/error.ts'
import { readLines, waitToResume } from './call/streams.ts'
import type { ListProcessesBody, ListProcessesQuery } from './generated/bodies.ts'
import type { Process } from './generated/shapes.ts'
import type { ListQuery, ProcessOf } from './processes.ts'
import type { IsOpen, SortableName } from './typed-query.ts'

/** The processes and fields of an export. */
export interface ExportQuery<Data, State extends string, Sortable extends string = SortableName<Data>>
  extends Omit<ListQuery<Data, State, Sortable>, 'limit' | 'pageSize' | 'fields'> {
  /** Fields, short ids of attributes, `record.id`, `record.phone`, `record.email`, `record.data.<name>`. The default is everything. */
  fields?: readonly ExportedField<Data>[] | undefined
}

type ExportedField<Data> =
  IsOpen<Data> extends true ? string : keyof Process | (keyof Data & string) | `record.${string}`

type Chosen<Data, State extends string> = Partial<Omit<ProcessOf<Partial<Data>, State>, 'record'>> & {
  record?: (Partial<ProcessOf<Data, State>['record']> & { phone?: string | null; email?: string | null }) | null
}

export type ExportFormat = Exclude<NonNullable<ListProcessesQuery['format']>, 'json'>

export interface ExportMethods<Data, State extends string, Sortable extends string = SortableName<Data>> {
  /** Returns all matches as one stream. If it breaks off, it continues: no process is missing or repeated. */
  export: {
    (
      query?: ExportQuery<Data, State, Sortable> & { fields?: undefined },
      options?: CallOptions,
    ): AsyncGenerator<ProcessOf<Data, State>, void, undefined>
    (
      query: ExportQuery<Data, State, Sortable>,
      options?: CallOptions,
    ): AsyncGenerator<Chosen<Data, State>, void, undefined>
  }
  /** The same as a byte stream, for a file; one that breaks off fails. The default format is CSV. */
  download: (
    query?: ExportQuery<Data, State, Sortable> & { format?: ExportFormat | undefined },
    options?: CallOptions,
  ) => Promise<ReadableStream<Uint8Array>>
}

const LINES = 'application/x-ndjson'

/** A line between the processes: how far they go. */
type Checkpoint = Record<'_meta', { hasMore: boolean; next: string | null }>

export function createExportClient<Data, State extends string>(
  call: Call,
  procedure: string,
): ExportMethods<Data, State> {
  const path = { procedureShortId: procedure }

  async function stream(body: object, query: ListProcessesQuery, accept: string, options: CallOptions = {}) {
    const all = { ...query, all: 'true' } as const
    const { data } = await call(
      'listProcesses',
      { path, query: all, body: body as ListProcessesBody },
      { ...options, accept },
    )
    // Its format depends on the accepted one.
    return data as unknown as ReadableStream<Uint8Array>
  }

  async function* rows(query: ExportQuery<Data, State> = {}, options?: CallOptions) {
    let cursor: string | undefined
    for (let breaks = 0; ; ) {
      // Lines after the last checkpoint are uncertain, and come again if the stream breaks off.
      let uncertain: unknown[] = []
      const body = cursor === undefined ? query : { ...query, skip: 0, cursor }
      const opened = await stream(body, { format: 'ndjson', checkpoints: 'true' }, LINES, options)
      const lines = readLines(opened)
      let broken: unknown
      try {
        for (;;) {
          const line = await lines.next().catch((error: unknown) => {
            broken = error
            return undefined
          })
          if (line === undefined || line.done) break
          const read = JSON.parse(line.value) as Checkpoint | object
          if (!('_meta' in read)) {
            uncertain.push(read)
            continue
          }
          yield* uncertain
          uncertain = []
          breaks = 0
          if (!read._meta.hasMore) return
          cursor = read._meta.next ?? undefined
        }
      } finally {
        await lines.return()
      }
      if (options?.signal?.aborted) throw options.signal.reason
      // A response that ends without an error has reached its time limit: the next request continues.
      if (broken === undefined && uncertain.length === 0 && breaks === 0 && cursor !== undefined) {
        breaks += 1
        continue
      }
      breaks += 1
      await waitToResume(breaks, broken ?? cutShort(), options?.signal)
    }
  }

  return {
    export: rows as ExportMethods<Data, State>['export'],
    download: ({ format = 'csv', ...query } = {}, options) =>
      stream(query, { format }, format === 'ndjson' ? LINES : 'text/csv', options),
  }
}

const cutShort = () => noResponse('listProcesses', 'the response ended before it was complete')
