import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { SignInLink, UserV1 } from 'caseworker'
import { useEffect, useState } from 'react'
import { useConfig, useMay } from '../api/me.ts'
import { listRows, readPages } from '../api/read.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Page } from '../parts/page.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { OnlyOne } from '../parts/table/only-one.tsx'
import { Time } from '../parts/time.tsx'
import { NewUser } from './new-user.tsx'
import { RolesTable } from './roles-table.tsx'
import { UserActions } from './user-actions.tsx'
import { formatZone } from './user-rules.ts'

const route = getRouteApi('/frame/user')
const LIMIT = 100

/** The people of the team: added, let in, given another role, deactivated. */
export function UsersPage() {
  const may = useMay()
  const { id: only } = route.useSearch()
  const roles = useConfig()?.roles ?? []
  const [isAdding, setAdding] = useState(false)
  const [areRolesShown, setRolesShown] = useState(false)
  const [link, setLink] = useState<SignInLink>()
  const users = useInfiniteQuery(
    readPages('listUsers', skip => ({ query: { limit: LIMIT, ...(skip ? { skip: Number(skip) } : {}) } })),
  )
  const all = listRows(users.data)
  const rows = only === undefined ? all : all.filter(({ id }) => id === only)
  const { hasNextPage, isFetching, fetchNextPage } = users
  const isMissing = only !== undefined && rows.length === 0
  useEffect(() => {
    if (isMissing && hasNextPage && !isFetching) void fetchNextPage()
  }, [isMissing, hasNextPage, isFetching, fetchNextPage])
  const findRole = ({ role }: UserV1) => roles.find(({ id, shortId }) => id === role || shortId === role)
  const newUser = may('user:write') && (
    <Button tone="main" icon="plus" onClick={() => setAdding(true)}>
      Add a user
    </Button>
  )
  const columns: Column<UserV1>[] = [
    {
      id: 'name',
      header: 'Name',
      cell: user => <UserActions user={user} role={findRole(user)?.shortId} onLink={setLink} />,
    },
    { id: 'username', header: 'Username', from: 'md', cell: ({ username }) => username },
    { id: 'email', header: 'E-mail', from: 'lg', cell: ({ primaryEmail }) => primaryEmail?.email ?? '–' },
    { id: 'role', header: 'Role', cell: user => findRole(user)?.name ?? '–' },
    {
      id: 'active',
      header: 'Status',
      cell: ({ isActive }) => (isActive ? <Badge tone="good">Active</Badge> : <Badge>Deactivated</Badge>),
    },
    { id: 'zone', header: 'Time zone', from: 'xl', cell: ({ timezone }) => formatZone(timezone) },
    { id: 'made', header: 'Added', from: 'lg', cell: ({ createdAt }) => <Time at={createdAt} isRelative /> },
  ]
  return (
    <Page
      title="Users"
      isFull
      actions={
        <>
          <Button onClick={() => setRolesShown(true)}>What roles may do</Button>
          {newUser}
        </>
      }
    >
      {users.data && !isFetching && (
        <OnlyOne id={only} found={rows.length} noun="user" gone="The team has no such user." to="/user" />
      )}
      <Loaded query={users}>
        {() => (
          <DataTable
            label="Users"
            rows={rows}
            columns={columns}
            getKey={({ id }) => id}
            hasMore={only === undefined && hasNextPage}
            isReadingMore={users.isFetchingNextPage}
            onMore={() => void fetchNextPage()}
            empty={<Empty icon="people" title="Nobody yet" action={newUser} />}
          />
        )}
      </Loaded>
      {isAdding && <NewUser onClose={() => setAdding(false)} onLink={setLink} />}
      <Dialog title="What roles may do" size="medium" isOpen={areRolesShown} onClose={() => setRolesShown(false)}>
        <RolesTable roles={roles} />
      </Dialog>
      <IssuedSignInLink link={link} onClose={() => setLink(undefined)} />
    </Page>
  )
}

/** The way in, to be handed on. */
const IssuedSignInLink = ({ link, onClose }: { link: SignInLink | undefined; onClose: () => void }) => (
  <ShownOnce
    title="Sign-in link"
    note={
      <>
        Whoever opens it is signed in as this user, once, until <Time at={link?.expiresAt} />. Send it by a way that
        only they read.
      </>
    }
    label="Sign-in link"
    secret={link?.url}
    kept="I have sent it"
    onClose={onClose}
  />
)
