import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { Process } from 'caseworker'
import { useCallback, useMemo } from 'react'
import { readPages, rowsOf } from '../../api/read.ts'
import { type ListSearch, listBodyOf } from './list-search.ts'
import { PAGE_ROWS } from './pages/next-read.ts'
import { type OpenedList, ROWS_KEY } from './pages/use-process-rows.ts'

const pagesQuery = (procedureShortId: string, body: ReturnType<typeof listBodyOf>) => ({
  ...readPages('listProcesses', cursor => ({
    path: { procedureShortId },
    body: { ...body, limit: PAGE_ROWS, ...(cursor === undefined ? {} : { cursor }) },
  })),
  // To read a list again would read all pages that were scrolled through: it is read again when the reader says so.
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

/** The processes of a column of the board, as far as they were scrolled to. A board that was left is read anew: its moves are in none of what was read. */
export function useProcessPages(procedureShortId: string, search: ListSearch) {
  const pages = useInfiniteQuery({ ...pagesQuery(procedureShortId, listBodyOf(search)), gcTime: 0 })
  const rows = useMemo((): Process[] => rowsOf(pages.data), [pages.data])
  return { pages, rows }
}

/** Puts a changed process in its place in every list that is kept, without reading them again. */
export function useShowProcess(): (process: Process) => void {
  const queries = useQueryClient()
  return useCallback(
    process => {
      for (const [, list] of queries.getQueriesData<OpenedList>({ queryKey: ROWS_KEY })) list?.pages.replace(process)
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
