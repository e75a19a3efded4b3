import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Config, CreateUserBody, SignInLink, UserV1 } from 'caseworker'
import { type FormEvent, useEffect, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useConfig, useMay } from '../api/me.ts'
import { listRows, readPages } from '../api/read.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { faultAt, isShownAt } from '../parts/failure.ts'
import { Field, TextInput } from '../parts/field.tsx'
import { RoleField } from '../parts/form/role-field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Empty, FailureNote, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { OnlyOne } from '../parts/table/only-one.tsx'
import { Time } from '../parts/time.tsx'
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

interface NewUserProps {
  onClose: () => void
  onLink: (link: SignInLink) => void
}

const FIELDS = ['username', 'email', 'firstName', 'lastName', 'role'].map(name => `/body/${name}`)

/** Suggests a usual username: the first name, or the part before the @. */
const suggestUsername = ({ firstName, email }: { firstName: string; email: string }): string =>
  (firstName || (email.split('@')[0] ?? ''))
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '')

/** A person of the team, and at once the link by which they sign in. */
function NewUser({ onClose, onLink }: NewUserProps) {
  const [typed, setTyped] = useState({ username: '', email: '', firstName: '', lastName: '' })
  const [hasOwnUsername, setOwnUsername] = useState(false)
  const given = { ...typed, username: hasOwnUsername ? typed.username : suggestUsername(typed) }
  const [role, setRole] = useState<CreateUserBody['role']>('agent')
  const link = useChange('createSignInLink', { rereads: [], onDone: ({ data }) => onLink(data) })
  const create = useChange('createUser', {
    rereads: ['listUsers', 'getConfig'],
    showsFailure: true,
    onDone: ({ data }) => {
      onClose()
      link.mutate({ path: { userId: data.id } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const filled = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''))
    create.mutate({ body: { ...filled, username: given.username, role } })
  }
  const text = (name: keyof typeof given, label: string, hint?: string) => (
    <Field label={label} {...(hint === undefined ? {} : { hint })} error={faultAt(create.error, `/body/${name}`)}>
      {field => (
        <TextInput
          {...field}
          autoComplete="off"
          type={name === 'email' ? 'email' : 'text'}
          required={name === 'username'}
          value={given[name]}
          onChange={event => {
            setTyped({ ...given, [name]: event.target.value })
            if (name === 'username') setOwnUsername(event.target.value !== '')
          }}
        />
      )}
    </Field>
  )
  return (
    <Dialog
      title="Add a user"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" form="new-user" isPending={create.isPending}>
            Add, and make a sign-in link
          </Button>
        </>
      }
    >
      <form id="new-user" onSubmit={submit} className="flex flex-col gap-3">
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          {text('firstName', 'First name')}
          {text('lastName', 'Last name')}
        </div>
        {text('email', 'E-mail')}
        {text('username', 'Username', 'How systems name them, made of the name or the address.')}
        <RoleField role={role} error={faultAt(create.error, '/body/role')} onChange={setRole} />
        {create.error && !isShownAt(create.error, FIELDS) && <FailureNote error={create.error} />}
      </form>
    </Dialog>
  )
}

type Permission = Config['roles'][number]['permissions'][number]

/** The permissions in the words of the pages. The compiler asks for a new one. */
const MAY: Record<Permission, string> = {
  'process:read': 'See processes, customers, the event log',
  'process:write': 'Create and change processes and customers, one or many',
  'process:delete': 'Delete processes, erase customers',
  'process:purge': 'Purge processes: remove them for good, with all their values',
  'job:read': 'See jobs and their results',
  'process:override': 'Put a process back against the allowed moves',
  'job:write': 'Schedule, cancel and retry jobs',
  'message:read': 'See messages',
  'message:send': 'Send messages to customers',
  'user:read': 'See who is in the team',
  'user:write': 'Add, let in and deactivate users',
  'config:read': 'See procedures, plugins and templates',
  'config:write': 'Change procedures and plugins',
  'webhook:read': 'See webhooks and deliveries',
  'webhook:write': 'Create and change webhooks, send events again',
  'key:read': 'See API keys, sessions, requests and usage',
  'key:write': 'Create, rotate and revoke API keys, end sessions',
}

/** Lists the permissions of each role. Roles are built in: the same in each team. */
function RolesTable({ roles }: { roles: Config['roles'] }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left text-[13px]">
        <caption className="sr-only">What each role may do</caption>
        <thead>
          <tr className="border-b border-line text-ink-2">
            <th scope="col" className="py-1.5 pr-4 font-medium">
              May
            </th>
            {roles.map(({ id, name }) => (
              <th key={id} scope="col" className="px-2 py-1.5 text-center font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(Object.keys(MAY) as Permission[]).map(permission => (
            <tr key={permission} className="border-b border-line last:border-0">
              <th scope="row" title={permission} className="py-1.5 pr-4 font-normal">
                {MAY[permission]}
              </th>
              {roles.map(({ id, permissions }) => (
                <td key={id} className="px-2 py-1.5 text-center">
                  {permissions.includes(permission) ? (
                    <>
                      <Icon name="check" className="inline-block text-good" />
                      <span className="sr-only">yes</span>
                    </>
                  ) : (
                    <span className="text-ink-3">
                      <span aria-hidden="true">–</span>
                      <span className="sr-only">no</span>
                    </span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
