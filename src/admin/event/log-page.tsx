import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { TeamEvent } from 'caseworker'
import { followEvents } from 'caseworker/events'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useChange } from '../api/change.ts'
import { call } from '../api/client.ts'
import { EVENT_TYPES } from '../api/event-types.ts'
import { useConfig, useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { useUserName } from '../api/users.ts'
import { Badge } from '../parts/badge.tsx'
import { Button, LinkButton } from '../parts/button.tsx'
import { Select } from '../parts/field.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, FailureNote, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time.tsx'
import { useIsAttended } from '../shell/session/attended.ts'
import { EventDialog } from './event-dialog.tsx'
import { describeSubject } from './event-text.ts'

const route = getRouteApi('/frame/event')

/** Lists the events of the team, newest first, and adds new ones as they happen. */
export function EventLogPage() {
  const { type, before } = route.useSearch()
  const navigate = route.useNavigate()
  const may = useMay()
  const feed = useQuery(read('getEventFeed', {}))
  const switchOn = useChange('switchEventFeed', { rereads: ['getEventFeed'], done: 'The event feed is on' })
  return (
    <Page
      title="Event log"
      isFull
      actions={
        <>
          {before !== undefined && (
            <LinkButton to="/event" search={type === undefined ? {} : { type }} icon="up">
              Newest
            </LinkButton>
          )}
          <Select
            aria-label="Type of event"
            className="w-60!"
            value={type ?? ''}
            onChange={({ target }) => void navigate({ search: target.value === '' ? {} : { type: target.value } })}
            options={[
              { value: '', label: 'All types' },
              ...EVENT_TYPES.flatMap(({ types }) => types.map(each => ({ value: each, label: each }))),
            ]}
          />
        </>
      }
    >
      <Loaded query={feed}>
        {({ data: { enabled, latest, oldest } }) =>
          enabled && oldest !== null ? (
            <LogTable
              key={`${type} ${before}`}
              type={type}
              oldest={oldest}
              newest={before === undefined ? latest : Math.min(latest, before - 1)}
              isLive={before === undefined}
            />
          ) : enabled ? (
            <Empty icon="event" title="Nothing has happened yet" />
          ) : (
            <Empty
              icon="event"
              title="The event feed is off"
              action={
                may('webhook:write') && (
                  <Button
                    tone="main"
                    isPending={switchOn.isPending}
                    onClick={() => switchOn.mutate({ body: { enabled: true } })}
                  >
                    Switch it on
                  </Button>
                )
              }
            >
              Once it is on, everything that happens in the team is told here, to programs that read the feed, and to
              webhooks. The history of each process is kept in any case.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}

function LogTable(options: LogOptions) {
  const { events, error, refetch, hasNextPage, isFetching, fetchNextPage } = useLog(options)
  const getUserName = useUserName()
  const procedures = useConfig()?.procedures ?? []
  const { opened } = route.useSearch()
  const navigate = route.useNavigate()
  const formatAuthor = ({ by }: TeamEvent) => {
    if (by.job !== null) return 'A job'
    return by.user === null ? '–' : getUserName(by.user)
  }
  const columns: Column<TeamEvent>[] = [
    {
      id: 'sequence',
      header: 'Number',
      align: 'right',
      width: 6,
      cell: ({ sequence }) => sequence.toLocaleString(),
    },
    {
      id: 'type',
      header: 'Event',
      cell: event => (
        <button
          type="button"
          className="hover:underline"
          onClick={() => void navigate({ search: now => ({ ...now, opened: event.sequence }) })}
        >
          <Badge>{event.type}</Badge>
        </button>
      ),
    },
    { id: 'about', header: 'About', from: 'sm', cell: event => describeSubject(event, procedures) },
    { id: 'by', header: 'By', from: 'md', cell: formatAuthor },
    { id: 'at', header: 'When', cell: ({ timestamp }) => <Time at={timestamp} isRelative /> },
  ]
  if (error && events.length === 0) return <FailureNote error={error} onRetry={() => void refetch()} />
  return (
    <>
      <DataTable
        label="Events"
        rows={events}
        columns={columns}
        getKey={({ id }) => id}
        hasMore={hasNextPage}
        isReadingMore={isFetching}
        onMore={() => void fetchNextPage()}
        empty={<Empty icon="event" title="No events of this type are kept" />}
        foot={options.isLive ? 'New events show at the top as they happen. Events are kept for 30 days.' : undefined}
      />
      {opened !== undefined && (
        <EventDialog
          sequence={opened}
          known={events.find(({ sequence }) => sequence === opened)}
          onClose={() => void navigate({ search: ({ opened: _, ...now }) => now, replace: true })}
        />
      )}
    </>
  )
}

/** The numbers of events that are read at a time, from newer ones to older ones. */
const NUMBERS = 100

interface LogOptions {
  type: string | undefined
  /** The number of the newest event that is read at first. */
  newest: number
  oldest: number
  isLive: boolean
}

/** The feed goes from old to new. The log begins with the newest numbers and goes back, and what happens meanwhile is put before them. */
function useLog({ type, newest, oldest, isLive }: LogOptions) {
  const queries = useQueryClient()
  const [arrived, setArrived] = useState<readonly TeamEvent[]>([])
  // The first page stays the same when the newest number is read again: newer events are in `arrived`.
  const [first] = useState(newest)
  const query = useInfiniteQuery({
    queryKey: ['listEvents', 'log', type, first],
    initialPageParam: first,
    queryFn: async ({ pageParam, signal }) => {
      const after = Math.max(oldest - 1, pageParam - NUMBERS)
      const page = await call(
        'listEvents',
        { query: { after, limit: NUMBERS, ...(type === undefined ? {} : { type }) } },
        { signal },
      )
      return { data: page.data.filter(({ sequence }) => sequence <= pageParam).reverse(), after }
    },
    getNextPageParam: ({ after }) => (after >= oldest ? after : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isAttended = useIsAttended()
  const last = useRef(first)
  useEffect(() => {
    if (!isLive || !isAttended) return
    const left = new AbortController()
    const follow = async () => {
      const types = type === undefined ? {} : { types: [type as TeamEvent['type']] }
      for await (const event of followEvents(call, { after: last.current, signal: left.signal, ...types })) {
        last.current = event.sequence
        setArrived(now => [event, ...now])
      }
    }
    // After a break the shown events stay, and reading the page again continues.
    follow().catch(() => {})
    return () => left.abort()
  }, [isLive, isAttended, type])
  useEffect(() => () => queries.removeQueries({ queryKey: ['listEvents', 'log'] }), [queries])
  const events = useMemo(
    () => [...arrived, ...(query.data?.pages.flatMap(({ data }) => data) ?? [])],
    [arrived, query.data],
  )
  return { ...query, events }
}
