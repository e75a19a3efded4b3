import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ApiKey, IssuedApiKey } from 'caseworker'
import { useState } from 'react'
import { useConfig, useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { useUserName } from '../api/users.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { OnlyOne } from '../parts/table/only-one.tsx'
import { Time } from '../parts/time/time.tsx'
import { IssuedToken } from './issued-token.tsx'
import { KeyActions } from './key-actions.tsx'
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
  const nameOf = useUserName()
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
    { id: 'user', header: 'Acts for', cell: ({ user }) => nameOf(user), from: 'lg' },
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
            keyOf={({ id }) => id}
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
