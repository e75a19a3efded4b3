import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Session } from 'caseworker'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { listRows, readPages } from '../api/read.ts'
import { useUserName } from '../api/users.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { OnlyOne } from '../parts/table/only-one.tsx'
import { Time } from '../parts/time.tsx'
import { formatAgent } from './agent-text.ts'

const METHODS = { link: 'Link', passkey: 'Passkey', openid: 'OpenID' } as const
const LIMIT = 100

interface SessionListProps {
  user?: string
  /** The id of the only one that is shown. */
  only?: string
  mayEnd?: boolean
}

/** Sessions that have not ended: of one user, or without one, of the team. */
export function SessionList({ user, only, mayEnd = true }: SessionListProps) {
  const getUserName = useUserName()
  const sessions = useInfiniteQuery(
    readPages('listSessions', skip => ({
      query: {
        limit: LIMIT,
        ...(user === undefined ? {} : { user }),
        ...(skip ? { skip: Number(skip) } : {}),
      },
    })),
  )
  const end = useChange('endSession', {
    rereads: ['listSessions'],
    done: 'The session is ended: everywhere within 30 seconds',
  })
  const columns: Column<Session>[] = [
    {
      id: 'where',
      header: 'Where',
      cell: session => (
        <span title={session.agent}>
          {formatAgent(session.agent)} {session.isCurrent && <Badge tone="good">This one</Badge>}
        </span>
      ),
    },
    { id: 'how', header: 'Signed in by', from: 'sm', cell: ({ method }) => METHODS[method] },
    { id: 'began', header: 'Began', from: 'md', cell: ({ createdAt }) => <Time at={createdAt} isRelative /> },
    { id: 'used', header: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} isRelative /> },
    {
      id: 'end',
      header: <span className="sr-only">End</span>,
      align: 'right',
      cell: session =>
        mayEnd &&
        !session.isCurrent && (
          <Button tone="quiet" onClick={() => end.mutate({ path: { sessionId: session.id } })}>
            End
          </Button>
        ),
    },
  ]
  const who: Column<Session> = {
    id: 'user',
    header: 'Who',
    cell: session => getUserName(session.user),
  }
  return (
    <Loaded query={sessions} lines={3}>
      {data => {
        const rows = listRows(data).filter(({ id }) => only === undefined || id === only)
        return (
          <>
            <OnlyOne id={only} found={rows.length} noun="session" gone="This session has ended." to="/session" />
            <DataTable
              label="Sessions"
              rows={rows}
              columns={user === undefined ? [who, ...columns] : columns}
              getKey={({ id }) => id}
              hasMore={only === undefined && sessions.hasNextPage}
              isReadingMore={sessions.isFetchingNextPage}
              onMore={() => void sessions.fetchNextPage()}
              empty={<Empty icon="session" title="Nobody is signed in" />}
            />
          </>
        )
      }}
    </Loaded>
  )
}

const route = getRouteApi('/frame/session')

/** Lists the sessions of the team's users. */
export function SessionsPage() {
  const may = useMay()
  const { id } = route.useSearch()
  return (
    <Page title="Sessions" isFull>
      <SessionList {...(id === undefined ? {} : { only: id })} mayEnd={may('key:write')} />
    </Page>
  )
}
