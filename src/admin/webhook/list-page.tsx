import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { IssuedWebhook, Webhook } from 'caseworker'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { IssuedSecret, WebhookState } from './webhook-state.tsx'

const columns: Column<Webhook>[] = [
  {
    id: 'url',
    header: 'Address',
    cell: ({ id, url }) => (
      <Link to="/webhook/$webhookId" params={{ webhookId: id }} className="font-medium hover:underline">
        {url}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', cell: webhook => <WebhookState webhook={webhook} /> },
  { id: 'behind', header: 'Behind', align: 'right', from: 'sm', cell: ({ behind }) => behind.toLocaleString() },
  { id: 'types', header: 'Events', from: 'md', cell: ({ types }) => types?.join(', ') ?? 'All' },
  { id: 'order', header: 'Order', from: 'lg', cell: ({ order }) => (order === 'strict' ? 'Strict' : 'Any') },
  { id: 'what', header: 'Description', from: 'lg', cell: ({ description }) => description },
  { id: 'made', header: 'Created', from: 'xl', cell: ({ createdAt }) => <Time at={createdAt} isRelative /> },
]

/** Lists the webhooks of the team. */
export function WebhooksPage() {
  const may = useMay()
  const webhooks = useQuery(read('listWebhooks', {}))
  const [isMaking, setMaking] = useState(false)
  const [issued, setIssued] = useState<IssuedWebhook>()
  const newWebhook = may('webhook:write') && (
    <Button tone="main" icon="plus" onClick={() => setMaking(true)}>
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" actions={newWebhook} isFull>
      <Loaded query={webhooks}>
        {({ data }) => (
          <DataTable
            label="Webhooks"
            rows={data}
            columns={columns}
            getKey={({ id }) => id}
            empty={
              <Empty icon="webhook" title="No webhooks yet" action={newWebhook}>
                A webhook tells another system of what happens here, as it happens: signed, in order, and again until it
                has arrived.
              </Empty>
            }
          />
        )}
      </Loaded>
      {isMaking && <WebhookForm onClose={() => setMaking(false)} onIssued={setIssued} />}
      <IssuedSecret issued={issued} onClose={() => setIssued(undefined)} />
    </Page>
  )
}
