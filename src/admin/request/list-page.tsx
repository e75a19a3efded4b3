import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { LoggedRequest } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { read, readPages, rowsOf } from '../api/read.ts'
import { useUserName } from '../api/users.ts'
import { TextInput } from '../parts/field.tsx'
import { Page, Tabs } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time/time.tsx'
import { FailureKinds } from './failure-kinds.tsx'
import { RequestFilters } from './filters.tsx'
import { queryOfSearch } from './request-search.ts'
import { RequestStatus } from './request-status.tsx'

const route = getRouteApi('/frame/request')
const LIMIT = 100

/** The requests of the team: those that changed something or failed, and a share of what keys read. By its id, one is found at once. */
export function RequestsPage() {
  const search = route.useSearch()
  const { failed, operation, caller } = search
  const filters = { ...(operation && { operation }), ...(caller && { caller }) }
  const navigate = route.useNavigate()
  const [id, setId] = useState('')
  const nameOfUserById = useUserName()
  const requests = useInfiniteQuery(
    readPages('listRequests', cursor => ({
      query: { limit: LIMIT, ...queryOfSearch(search), ...(cursor ? { cursor } : {}) },
    })),
  )
  const find = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') void navigate({ to: '/request/$requestId', params: { requestId: id.trim() } })
  }
  const keys = useQuery(read('listApiKeys', {})).data?.data
  const callerName = (of: string) => keys?.find(each => each.id === of)?.name ?? nameOfUserById(of)
  const columns: Column<LoggedRequest>[] = [
    {
      id: 'what',
      header: 'Request',
      cell: request => (
        <>
          <Link to="/request/$requestId" params={{ requestId: request.id }} className="font-medium hover:underline">
            {request.operation ?? `${request.method} ${request.path}`}
          </Link>
          {request.faults[0] && <span className="ml-2 text-ink-2">{request.faults[0].message}</span>}
        </>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      cell: request => <RequestStatus of={request} />,
    },
    {
      id: 'who',
      header: 'For',
      from: 'md',
      cell: ({ user }) => nameOfUserById(user),
    },
    { id: 'by', header: 'By', from: 'lg', cell: ({ apiKey }) => (apiKey === null ? 'Session' : 'API key') },
    { id: 'ms', header: 'Took', align: 'right', from: 'sm', cell: ({ ms }) => `${ms.toLocaleString()} ms` },
    {
      id: 'rows',
      header: 'Rows read',
      align: 'right',
      from: 'xl',
      cell: ({ database }) => database.rowsRead.toLocaleString(),
    },
    { id: 'at', header: 'When', cell: ({ createdAt }) => <Time at={createdAt} isRelative /> },
  ]
  return (
    <Page
      title="Requests"
      isFull
      actions={
        <form onSubmit={find}>
          <TextInput
            type="search"
            aria-label="Find a request by its id"
            placeholder="Id of a request"
            className="w-72! max-w-full"
            value={id}
            onChange={event => setId(event.target.value)}
          />
        </form>
      }
    >
      <Tabs
        label="Requests"
        tabs={[
          { label: 'All', to: '/request', search: filters },
          { label: 'Failed', to: '/request', search: { ...filters, failed: true } },
          { label: 'Refused (4xx)', to: '/request', search: { ...filters, status: '4xx' } },
          { label: 'Server or provider (5xx)', to: '/request', search: { ...filters, status: '5xx' } },
        ]}
      />
      <RequestFilters search={search} keys={keys ?? []} operations={operationsOf(rowsOf(requests.data))} />
      {(operation !== undefined || caller !== undefined) && (
        <p className="flex flex-wrap items-center gap-x-3 rounded-md bg-info-soft px-3 py-2 text-[13px]">
          <span>
            {`Only ${[search.status, operation].filter(Boolean).join(' of ')}`}
            {caller !== undefined && <> by {callerName(caller)}</>}
          </span>
          <Link to="/request" search={{}} className="underline">
            Show all
          </Link>
        </p>
      )}
      {failed && requests.data && <FailureKinds requests={rowsOf(requests.data)} hasMore={requests.hasNextPage} />}
      <Loaded query={requests}>
        {data => (
          <DataTable
            label="Requests"
            rows={rowsOf(data)}
            columns={columns}
            keyOf={request => request.id}
            hasMore={requests.hasNextPage}
            isReadingMore={requests.isFetchingNextPage}
            onMore={() => void requests.fetchNextPage()}
            empty={
              <Empty
                icon="request"
                title={
                  operation !== undefined || caller !== undefined
                    ? 'No requests like this'
                    : failed
                      ? 'No request has failed of late'
                      : 'No requests yet'
                }
              >
                A request shows here some seconds after it was answered: all that changed something or failed, and a
                share of what keys read. What the pages of a session read is counted, not kept.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}

const operationsOf = (requests: readonly LoggedRequest[]): string[] =>
  [...new Set(requests.flatMap(({ operation }) => operation ?? []))].sort()
