import { type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Process, Warning } from 'caseworker'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { call } from '../../api/client.ts'
import { listRows, readPages } from '../../api/read.ts'
import type { Sight } from '../../parts/table/rows-in-sight.ts'
import { estimateLength, HeldPages, type ListState, PAGE_ROWS, type PageReader } from './held-pages.ts'
import { buildListBody, type ListSearch } from './list-search.ts'

const ROWS_KEY = ['listProcesses', 'rows'] as const
/** Read before they come into sight. */
const AHEAD_ROWS = 40

interface ProcessList {
  pages: HeldPages
  warnings: readonly Warning[]
}

/** The list of an address, opened at its beginning. It is kept with its pages when the reader goes elsewhere and comes back. */
async function openList(
  queries: QueryClient,
  procedureShortId: string,
  body: ReturnType<typeof buildListBody>,
  signal: AbortSignal,
): Promise<ProcessList> {
  let warnings: readonly Warning[] = []
  const list = (start: object, abort: AbortSignal) =>
    call('listProcesses', { path: { procedureShortId }, body: { ...body, ...start } }, { signal: abort })
  const readPage: PageReader = async (start, abort) => {
    const rows: Process[] = []
    for (let from: object = start; ; ) {
      const { data, meta } = await list({ ...from, limit: PAGE_ROWS - rows.length }, abort)
      rows.push(...data)
      warnings = meta.warnings ?? warnings
      // A page may end early, because the search took long: it is gone on with, so that each page has its place.
      if (meta.next === null || rows.length === PAGE_ROWS) return { rows, next: meta.next }
      from = { cursor: meta.next }
    }
  }
  // Through the cache of queries, where a session that has ended leads to the sign-in.
  let reads = 0
  const pages = new HeldPages((start, abort) =>
    queries.fetchQuery({
      queryKey: ['listProcesses', 'page', { procedureShortId, body, read: ++reads }],
      queryFn: () => readPage(start, abort),
      gcTime: 0,
      structuralSharing: false,
    }),
  )
  await pages.begin(signal)
  return { pages, warnings }
}

const NOTHING: ListState = { end: undefined, readTo: 0, canSkip: true, failure: undefined }
const subscribeToNothing = () => () => {}

/** The processes of an address by their place in the list: what is in sight is read, wherever it is. */
export function useProcessRows(procedureShortId: string, search: ListSearch, count: number | undefined) {
  const queries = useQueryClient()
  const body = buildListBody(search)
  const list = useQuery({
    queryKey: [...ROWS_KEY, { procedureShortId, body }],
    queryFn: ({ signal }) => openList(queries, procedureShortId, body, signal),
    structuralSharing: false,
    // A list that changed under the reader would move what is read: it is read again when the reader says so.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const pages = list.data?.pages
  const state = useSyncExternalStore(pages?.subscribe ?? subscribeToNothing, () => pages?.state ?? NOTHING)
  const length = estimateLength({ ...state, count })
  // biome-ignore lint/correctness/useExhaustiveDependencies: `state` is another one whenever a row is
  const rowAt = useCallback((index: number) => pages?.rowAt(index), [pages, state])
  const onSight = useCallback(
    ({ first, last }: Sight, focused: number | undefined) =>
      pages?.want(first, Math.min(last + AHEAD_ROWS, Math.max(0, length - 1)), focused),
    [pages, length],
  )
  return useMemo(
    () => ({ list, pages, state, length, rowAt, onSight, warnings: list.data?.warnings ?? [] }),
    [list, pages, state, length, rowAt, onSight],
  )
}

const pagesQuery = (procedureShortId: string, body: ReturnType<typeof buildListBody>) => ({
  ...readPages('listProcesses', cursor => ({
    path: { procedureShortId },
    body: { ...body, limit: PAGE_ROWS, ...(cursor === undefined ? {} : { cursor }) },
  })),
  // Reading the list again would read all pages that were scrolled through, so only the reader asks for it.
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

/** The processes of a column of the board, as far as it was scrolled. A board that is opened again is read anew, because what was read before lacks the moves since. */
export function useProcessPages(procedureShortId: string, search: ListSearch) {
  const pages = useInfiniteQuery({ ...pagesQuery(procedureShortId, buildListBody(search)), gcTime: 0 })
  const rows = useMemo((): Process[] => listRows(pages.data), [pages.data])
  return { pages, rows }
}

/** Puts a changed process in its place in every list that is kept, without reading them again. */
export function useShowProcess(): (process: Process) => void {
  const queries = useQueryClient()
  return useCallback(
    process => {
      for (const [, list] of queries.getQueriesData<ProcessList>({ queryKey: ROWS_KEY })) list?.pages.replace(process)
    },
    [queries],
  )
}

/** The lists, counts and figures of processes from their beginning: what a job has changed, or the reader asks for. */
export function useReadAgain(): () => void {
  const queries = useQueryClient()
  return useCallback(() => {
    void queries.resetQueries({ queryKey: ROWS_KEY })
    void queries.resetQueries({ queryKey: ['listProcesses', 'pages'] })
    void queries.invalidateQueries({ queryKey: ['countProcesses'] })
    void queries.invalidateQueries({ queryKey: ['aggregateProcesses'] })
  }, [queries])
}
