import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { ApiKey, LoggedRequest } from 'caseworker'
import { type FormEvent, useEffect, useState } from 'react'
import { useConfig } from '../api/me.ts'
import { listRows, read, readPages } from '../api/read.ts'
import { formatUserName } from '../api/user-name.ts'
import { useUserName } from '../api/users.ts'
import { Button } from '../parts/button.tsx'
import { Select, TextInput } from '../parts/field.tsx'
import { Card, Page, Tabs } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time.tsx'
import { type RequestSearch, toRequestQuery } from './request-search.ts'
import { RequestStatus } from './request-status.tsx'
import { buildCallerOptions, groupFailures } from './requests.ts'

const route = getRouteApi('/frame/request')
const LIMIT = 100

/** The requests of the team: those that changed something or failed, and a share of what keys read. By its id, one is found at once. */
export function RequestsPage() {
  const search = route.useSearch()
  const { failed, operation, caller } = search
  const filters = { ...(operation && { operation }), ...(caller && { caller }) }
  const navigate = route.useNavigate()
  const [id, setId] = useState('')
  const getUserName = useUserName()
  const requests = useInfiniteQuery(
    readPages('listRequests', cursor => ({
      query: { limit: LIMIT, ...toRequestQuery(search), ...(cursor ? { cursor } : {}) },
    })),
  )
  const find = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') void navigate({ to: '/request/$requestId', params: { requestId: id.trim() } })
  }
  const keys = useQuery(read('listApiKeys', {})).data?.data
  const callerName = (of: string) => keys?.find(each => each.id === of)?.name ?? getUserName(of)
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
      cell: ({ user }) => getUserName(user),
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
      <RequestFilters search={search} keys={keys ?? []} operations={listOperations(listRows(requests.data))} />
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
      {failed && requests.data && <FailureKinds requests={listRows(requests.data)} hasMore={requests.hasNextPage} />}
      <Loaded query={requests}>
        {data => (
          <DataTable
            label="Requests"
            rows={listRows(data)}
            columns={columns}
            getKey={request => request.id}
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

const listOperations = (requests: readonly LoggedRequest[]): string[] =>
  [...new Set(requests.flatMap(({ operation }) => operation ?? []))].sort()

interface RequestFiltersProps {
  search: RequestSearch
  keys: readonly ApiKey[]
  /** The filter offers the operations of the requests that were loaded. */
  operations: readonly string[]
}

/** Requests of one operation, of one user or key; the tabs above have the statuses. */
function RequestFilters({ search, keys, operations }: RequestFiltersProps) {
  const users = useConfig()?.users ?? []
  const navigate = useNavigate()
  const set = ({ operation, caller, ...rest }: RequestSearch) =>
    void navigate({ to: '/request', search: { ...rest, ...(operation && { operation }), ...(caller && { caller }) } })
  const callers = buildCallerOptions(
    users.map(user => ({ id: user.id, name: formatUserName(user) })),
    keys,
    search.caller,
  )
  return (
    <div className="flex flex-wrap items-center gap-2">
      <OperationField
        operation={search.operation ?? ''}
        operations={operations}
        onSearch={operation => set({ ...search, operation })}
      />
      <Select
        aria-label="User or key"
        className="w-auto! max-w-56"
        value={search.caller ?? ''}
        onChange={({ target }) => set({ ...search, caller: target.value })}
        options={callers}
      />
    </div>
  )
}

interface OperationFieldProps {
  operation: string
  operations: readonly string[]
  onSearch: (operation: string) => void
}

function OperationField({ operation, operations, onSearch }: OperationFieldProps) {
  const [text, setText] = useState(operation)
  useEffect(() => setText(operation), [operation])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch(text.trim())
  }
  const change = (typed: string) => {
    setText(typed)
    // An operation that was chosen from the list needs no further key.
    if (typed === '' || operations.includes(typed)) onSearch(typed)
  }
  return (
    <search>
      <form onSubmit={submit} className="flex items-center gap-1">
        <TextInput
          aria-label="Operation"
          placeholder="Operation"
          className="w-60!"
          list="operations"
          maxLength={100}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
        <datalist id="operations">
          {operations.map(each => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <Button icon="search" type="submit" aria-label="Find the requests of this operation" />
      </form>
    </search>
  )
}

/** The number of groups before the reader asks for all. */
const SHOWN_MAX = 6

/** The kinds of the failures that were read; each leads to its requests. */
function FailureKinds({ requests, hasMore }: { requests: readonly LoggedRequest[]; hasMore: boolean }) {
  const kinds = groupFailures(requests)
  const [isWhole, setWhole] = useState(false)
  if (kinds.length < 2) return null
  return (
    <Card title={`What failed, of ${hasMore ? 'the last ' : ''}${requests.length.toLocaleString()}`}>
      <ul className="flex flex-col gap-0.5">
        {kinds.slice(0, isWhole ? kinds.length : SHOWN_MAX).map(({ key, operation, status, code, count, latest }) => (
          <li key={key}>
            <Link
              to="/request"
              search={{ status: String(status), ...(operation === null ? {} : { operation }) }}
              className="-mx-2 flex items-baseline gap-3 rounded-md px-2 py-1 hover:bg-hover"
            >
              <b className="min-w-10 text-right font-semibold">{count.toLocaleString()}</b>
              <span className="min-w-0 flex-1 truncate">
                {operation ?? 'No operation'} <span className="text-ink-2">{[status, code].join(' ')}</span>
              </span>
              <span className="text-[13px] text-ink-2">
                last <Time at={latest.createdAt} isRelative />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {!isWhole && kinds.length > SHOWN_MAX && (
        <Button className="mt-1" onClick={() => setWhole(true)}>
          {`Show all ${kinds.length} kinds`}
        </Button>
      )}
    </Card>
  )
}
