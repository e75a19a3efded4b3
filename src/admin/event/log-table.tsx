import { getRouteApi } from '@tanstack/react-router'
import type { TeamEvent } from 'caseworker'
import { useUserName } from '../api/users.ts'
import { Badge } from '../parts/badge.tsx'
import { Empty, FailureNote } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time/time.tsx'
import { aboutOf } from './about-event.ts'
import { EventDialog } from './event-dialog.tsx'
import { type LogOptions, useLog } from './use-log.ts'

const route = getRouteApi('/frame/event')

export function LogTable(options: LogOptions) {
  const { events, error, refetch, hasNextPage, isFetching, fetchNextPage } = useLog(options)
  const nameOfUserById = useUserName()
  const { opened } = route.useSearch()
  const navigate = route.useNavigate()
  const nameOf = ({ by }: TeamEvent) => {
    if (by.job !== null) return 'A job'
    return by.user === null ? '–' : nameOfUserById(by.user)
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
    { id: 'about', header: 'About', from: 'sm', cell: aboutOf },
    { id: 'by', header: 'By', from: 'md', cell: nameOf },
    { id: 'at', header: 'When', cell: ({ timestamp }) => <Time at={timestamp} isRelative /> },
  ]
  if (error && events.length === 0) return <FailureNote error={error} onRetry={() => void refetch()} />
  return (
    <>
      <DataTable
        label="Events"
        rows={events}
        columns={columns}
        keyOf={({ id }) => id}
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
