import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useChange } from '../api/change.ts'
import { EVENT_TYPES } from '../api/event-types.ts'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { Select } from '../parts/field.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { LogTable } from './log-table.tsx'

const route = getRouteApi('/frame/event')

/** What happened in the team, newest first, as it happens. */
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
