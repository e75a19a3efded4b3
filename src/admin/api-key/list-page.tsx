import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ApiKey, IssuedApiKey } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useConfig, useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { useUserName } from '../api/users.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Question } from '../parts/dialog.tsx'
import { Field, Select } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu } from '../parts/menu.tsx'
import { Page } from '../parts/page.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { OnlyOne } from '../parts/table/only-one.tsx'
import { Time } from '../parts/time.tsx'
import { NewKey } from './new-key.tsx'

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

const SOON_MS = 14 * 24 * 3_600_000

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
  const [asked, setAsked] = useState<'rotate' | 'revoke'>()
  const [overlap, setOverlap] = useState(String(24 * HOUR_SECONDS))
  const close = () => setAsked(undefined)
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
          { label: 'Rotate …', icon: 'again', act: () => setAsked('rotate') },
          { label: 'Revoke …', icon: 'trash', isDanger: true, act: () => setAsked('revoke') },
        ]}
      />
      <Question
        title={`Rotate ${apiKey.name}?`}
        confirm="Rotate"
        isOpen={asked === 'rotate'}
        isPending={rotate.isPending}
        onClose={close}
        onConfirm={() => rotate.mutate({ path, body: { overlapSeconds: Number(overlap) } })}
      >
        A new token is created and shown once. The name, the role and the end of the key stay.
        <Field label="The old token works on" hint="So long, programs can be changed to the new one.">
          {field => (
            <Select {...field} value={overlap} onChange={({ target }) => setOverlap(target.value)} options={OVERLAPS} />
          )}
        </Field>
      </Question>
      <Question
        title={`Revoke ${apiKey.name}?`}
        confirm="Revoke"
        isOpen={asked === 'revoke'}
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
