import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ApiKey, CreateApiKeyBody, IssuedApiKey } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useConfig, useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { useUserName } from '../api/users.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Dialog, Question } from '../parts/dialog.tsx'
import { faultAt, isShownAt } from '../parts/failure.ts'
import { Field, Select, TextInput } from '../parts/field.tsx'
import { RoleField } from '../parts/form/role-field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu } from '../parts/menu.tsx'
import { Page } from '../parts/page.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Empty, FailureNote, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { OnlyOne } from '../parts/table/only-one.tsx'
import { Time } from '../parts/time.tsx'
import { DAY_MS } from '../parts/times.ts'

const route = getRouteApi('/frame/api-key')

/** The keys of the team: made, shown once, rotated, revoked. */
export function ApiKeysPage() {
  const may = useMay()
  const { id: only } = route.useSearch()
  const keys = useQuery(read('listApiKeys', {}))
  const rows = (keys.data?.data ?? []).filter(({ id }) => only === undefined || id === only)
  const roles = useConfig()?.roles ?? []
  const [isMaking, setMaking] = useState(false)
  const [issued, setIssued] = useState<IssuedApiKey>()
  const getUserName = useUserName()
  const newKey = may('key:write') && (
    <Button tone="main" icon="plus" onClick={() => setMaking(true)}>
      New key
    </Button>
  )
  const columns: Column<ApiKey>[] = [
    { id: 'name', header: 'Name', cell: key => <KeyActions apiKey={key} onIssued={setIssued} /> },
    {
      id: 'token',
      header: 'Token',
      cell: ({ prefix, lastFour }) => <code>{`${prefix}…${lastFour}`}</code>,
      from: 'md',
    },
    { id: 'status', header: 'Status', cell: key => <KeyState apiKey={key} /> },
    { id: 'role', header: 'Role', cell: ({ role }) => roles.find(({ shortId }) => shortId === role)?.name ?? role },
    { id: 'user', header: 'Acts for', cell: ({ user }) => getUserName(user), from: 'lg' },
    {
      id: 'used',
      header: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="text-ink-2">Never</span> : <Time at={lastUsedAt} isRelative />,
      from: 'sm',
    },
    { id: 'made', header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} isRelative />, from: 'lg' },
  ]
  return (
    <Page title="API keys" actions={newKey} isFull>
      {keys.data && (
        <OnlyOne id={only} found={rows.length} noun="key" gone="This key is not kept any more." to="/api-key" />
      )}
      <Loaded query={keys}>
        {() => (
          <DataTable
            label="API keys"
            rows={rows}
            columns={columns}
            getKey={({ id }) => id}
            empty={
              <Empty icon="key" title="No keys yet" action={newKey}>
                A key lets a program call the API with the permissions of its role.
              </Empty>
            }
          />
        )}
      </Loaded>
      <NewKey isOpen={isMaking} onClose={() => setMaking(false)} onIssued={setIssued} />
      <IssuedToken issued={issued} onClose={() => setIssued(undefined)} />
    </Page>
  )
}

const SOON_MS = 14 * DAY_MS

function KeyState({ apiKey: { revokedAt, expiresAt } }: { apiKey: ApiKey }) {
  const now = Date.now()
  if (revokedAt !== null && revokedAt <= now) return <Badge>Revoked</Badge>
  if (expiresAt === null) return <Badge tone="good">In force</Badge>
  if (expiresAt <= now) return <Badge tone="bad">Expired</Badge>
  return (
    <Badge tone={expiresAt - now < SOON_MS ? 'warn' : 'good'}>
      Expires <Time at={expiresAt} isRelative />
    </Badge>
  )
}

const HOUR_SECONDS = 3_600
const OVERLAPS = [
  { value: '0', label: 'Not at all: it is in the wrong hands' },
  { value: String(HOUR_SECONDS), label: 'For an hour' },
  { value: String(24 * HOUR_SECONDS), label: 'For 24 hours' },
  { value: String(7 * 24 * HOUR_SECONDS), label: 'For seven days' },
]

/** The name of a key, and what can be done with it. */
function KeyActions({ apiKey, onIssued }: { apiKey: ApiKey; onIssued: (issued: IssuedApiKey) => void }) {
  const may = useMay()
  const navigate = useNavigate()
  const [openDialog, setOpenDialog] = useState<'rotate' | 'revoke'>()
  const [overlap, setOverlap] = useState(String(24 * HOUR_SECONDS))
  const close = () => setOpenDialog(undefined)
  const rotate = useChange('rotateApiKey', {
    rereads: ['listApiKeys'],
    onDone: ({ data }) => {
      close()
      onIssued(data)
    },
  })
  const revoke = useChange('revokeApiKey', {
    rereads: ['listApiKeys'],
    done: `${apiKey.name} is revoked: it stops working within 30 seconds`,
    onDone: close,
  })
  const path = { keyId: apiKey.id }
  const isOver = apiKey.revokedAt !== null || (apiKey.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()
  if (!may('key:write') || isOver) return apiKey.name
  return (
    <>
      <Menu
        trigger={
          <button type="button" className="inline-flex items-center gap-1 font-medium hover:underline">
            {apiKey.name}
            <Icon name="down" className="size-3 text-ink-3" />
          </button>
        }
        items={[
          {
            label: 'See its requests',
            icon: 'request',
            act: () => void navigate({ to: '/request', search: { caller: apiKey.id } }),
          },
          { label: 'Rotate …', icon: 'again', act: () => setOpenDialog('rotate') },
          { label: 'Revoke …', icon: 'trash', isDanger: true, act: () => setOpenDialog('revoke') },
        ]}
      />
      <Question
        title={`Rotate ${apiKey.name}?`}
        confirm="Rotate"
        isOpen={openDialog === 'rotate'}
        isPending={rotate.isPending}
        onClose={close}
        onConfirm={() => rotate.mutate({ path, body: { overlapSeconds: Number(overlap) } })}
      >
        A new token is created and shown once. The name, the role and the end of the key stay.
        <Field label="The old token works on" hint="Meanwhile, give programs the new one.">
          {field => (
            <Select {...field} value={overlap} onChange={({ target }) => setOverlap(target.value)} options={OVERLAPS} />
          )}
        </Field>
      </Question>
      <Question
        title={`Revoke ${apiKey.name}?`}
        confirm="Revoke"
        isOpen={openDialog === 'revoke'}
        isPending={revoke.isPending}
        onClose={close}
        onConfirm={() => revoke.mutate({ path })}
      >
        Programs that use <code>{`${apiKey.prefix}…${apiKey.lastFour}`}</code> are refused within 30 seconds. This can’t
        be undone.
      </Question>
    </>
  )
}

const IssuedToken = ({ issued, onClose }: { issued: IssuedApiKey | undefined; onClose: () => void }) => (
  <ShownOnce
    title={`The token of ${issued?.name ?? ''}`}
    note="Copy it now: it is shown this once, and Caseworker keeps only its hash."
    label="Token"
    secret={issued?.token}
    kept="I have saved it"
    onClose={onClose}
  >
    <p className="mt-4 mb-2 text-ink-2">A first call:</p>
    <Code
      text={`curl -s ${location.origin}/v1/ext/me -H 'authorization: Bearer ${issued?.token ?? ''}'`}
      label="First call"
    />
  </ShownOnce>
)

interface NewKeyProps {
  isOpen: boolean
  onClose: () => void
  onIssued: (issued: IssuedApiKey) => void
}

const LIVES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]
const FIELDS = ['/body/name', '/body/role', '/body/description']

function NewKey({ isOpen, onClose, onIssued }: NewKeyProps) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [role, setRole] = useState<CreateApiKeyBody['role']>('agent')
  const [days, setDays] = useState('')
  // The time at which the reader chose, not that of sending: a repeated request stays the same.
  const [chosenAt, setChosenAt] = useState(0)
  const create = useChange('createApiKey', {
    rereads: ['listApiKeys'],
    showsFailure: true,
    onDone: ({ data }) => {
      onClose()
      setName('')
      setDescription('')
      setDays('')
      onIssued(data)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const expiresAt = days === '' ? null : chosenAt + Number(days) * DAY_MS
    create.mutate({ body: { name, description, role, expiresAt } })
  }
  return (
    <Dialog
      title="New API key"
      isOpen={isOpen}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" form="new-key" isPending={create.isPending}>
            Create the key
          </Button>
        </>
      }
    >
      <form id="new-key" onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Name" hint="What the key is for: “CRM import”." error={faultAt(create.error, '/body/name')}>
          {field => <TextInput {...field} required value={name} onChange={event => setName(event.target.value)} />}
        </Field>
        <Field label="Description" error={faultAt(create.error, '/body/description')}>
          {field => <TextInput {...field} value={description} onChange={event => setDescription(event.target.value)} />}
        </Field>
        <RoleField role={role} error={faultAt(create.error, '/body/role')} onChange={setRole} />
        <Field label="Expires">
          {field => (
            <Select
              {...field}
              value={days}
              onChange={event => {
                setDays(event.target.value)
                setChosenAt(Date.now())
              }}
              options={LIVES}
            />
          )}
        </Field>
        {create.error && !isShownAt(create.error, FIELDS) && <FailureNote error={create.error} />}
      </form>
    </Dialog>
  )
}
