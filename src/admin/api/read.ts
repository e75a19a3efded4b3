import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CallInput, CallResult, OperationId } from 'caseworker'
import { call } from './client.ts'

/** Returns the query of an operation, cached by operation and input: `useQuery(read('getMe', {}))`. */
export const read = <Id extends OperationId>(operation: Id, input: CallInput<Id>) =>
  queryOptions({
    queryKey: [operation, input] as const,
    queryFn: ({ signal }): Promise<CallResult<Id>> => call(operation, input, { signal }),
  })

interface PageMeta {
  next?: string | null
  hasMore?: boolean
}

/**
 * Returns the query of a list whose pages are read as the reader scrolls to them. The next page follows from
 * `_meta.next`, or where the API has only `_meta.hasMore`, from the number of rows to skip. `toInput` gets the position
 * of a page.
 */
export const readPages = <Id extends OperationId>(
  operation: Id,
  toInput: (cursor: string | undefined) => CallInput<Id>,
) =>
  infiniteQueryOptions<
    CallResult<Id>,
    Error,
    InfiniteData<CallResult<Id>, string | undefined>,
    readonly unknown[],
    string | undefined
  >({
    queryKey: [operation, 'pages', toInput(undefined)],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) => call(operation, toInput(pageParam), { signal }),
    // Comparing each value of all pages with what it was would cost more with each page.
    structuralSharing: false,
    getNextPageParam: ({ meta }, pages) => {
      const { next, hasMore } = meta as PageMeta
      return next === undefined && hasMore ? String(countRows(pages)) : parsePosition(next)
    },
  })

/** `_meta.next` is a cursor, or the address of the next page, which has the cursor or how many to skip. */
function parsePosition(next: string | null | undefined): string | undefined {
  if (next === null || next === undefined) return undefined
  if (!next.startsWith('/')) return next
  const parameters = new URLSearchParams(next.slice(next.indexOf('?') + 1))
  return parameters.get('cursor') ?? parameters.get('skip') ?? undefined
}

const countRows = (pages: readonly { data: unknown }[]): number =>
  pages.reduce((sum, { data }) => sum + (Array.isArray(data) ? data.length : 0), 0)

/** The rows of all pages that were read. */
export const listRows = <Row>(data: InfiniteData<{ data: readonly Row[] }, unknown> | undefined): Row[] =>
  data?.pages.flatMap(page => [...page.data]) ?? []

/**
 * Returns whether the last page that was read ends the list. It does not where older items are not kept, or not listed
 * yet.
 */
export const isComplete = (
  data: InfiniteData<{ meta: { isComplete?: boolean | undefined } }, unknown> | undefined,
): boolean => data?.pages.at(-1)?.meta.isComplete !== false
