import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { IssuedWebhook, Webhook } from 'caseworker'
import { useState } from 'react'
import { useConfig } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Copyable } from '../parts/code.tsx'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { howMany } from '../parts/text/how-many.ts'
import { Time } from '../parts/time/time.tsx'
import { AttemptChart } from './attempt-chart.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { IssuedSecret } from './issued-secret.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookState } from './webhook-state.tsx'

const route = getRouteApi('/frame/webhook/$webhookId')
const WITHIN = [{ label: 'Webhooks', to: '/webhook' as const }]

export function WebhookPage() {
  const { webhookId } = route.useParams()
  const webhook = useQuery(read('getWebhook', { path: { webhookId } }))
  const [isChanging, setChanging] = useState(false)
  const [issued, setIssued] = useState<IssuedWebhook>()
  const found = webhook.data?.data
  return (
    <Page
      title={found?.url ?? 'Webhook'}
      within={WITHIN}
      mark={found && <WebhookState webhook={found} />}
      actions={found && <WebhookActions webhook={found} onChange={() => setChanging(true)} onIssued={setIssued} />}
    >
      <Loaded query={webhook}>
        {({ data }) => (
          <>
            <div className="grid gap-4 lg:grid-cols-2">
              <About webhook={data} />
              <AttemptChart webhookId={data.id} />
            </div>
            <DeliveryList webhook={data} />
            {isChanging && <WebhookForm webhook={data} onClose={() => setChanging(false)} />}
          </>
        )}
      </Loaded>
      <IssuedSecret issued={issued} onClose={() => setIssued(undefined)} />
    </Page>
  )
}

const isAhead = (at: number | null): boolean => at !== null && at > Date.now()

function About({ webhook }: { webhook: Webhook }) {
  const procedures = useConfig()?.procedures
  const nameOf = (id: string) => procedures?.find(each => each.id === id)?.name ?? id
  return (
    <Card title="About it">
      <Facts
        facts={[
          ['Id', <Copyable key="id" text={webhook.id} />],
          ['Description', webhook.description],
          ['Events', webhook.types?.join(', ') ?? 'All'],
          ['Procedures', webhook.procedures?.map(nameOf).join(', ') ?? 'All'],
          ['Order', webhook.order === 'strict' ? 'Strict' : 'Any'],
          ['Behind', webhook.behind === 0 ? 'No' : howMany(webhook.behind, 'event', 'events')],
          [
            'Oldest waits since',
            webhook.oldestWaitingSince === null ? null : <Time key="oldest" at={webhook.oldestWaitingSince} />,
          ],
          ['Disabled', webhook.disabledAt === null ? null : <Time key="disabled" at={webhook.disabledAt} />],
          ['Because', webhook.disabledReason],
          [
            'Signatures',
            !webhook.isSecretReadable ? (
              'None: the secret was encrypted with another SECRETS_KEY. Rotate it, and end the old one at once.'
            ) : isAhead(webhook.previousSecretUntil) ? (
              <span key="signatures">
                Two, by the old secret and by the new one, until <Time at={webhook.previousSecretUntil} />: a receiver
                accepts a request of which either fits.
              </span>
            ) : (
              'One, by the secret'
            ),
          ],
          ['Created', <Time key="created" at={webhook.createdAt} />],
        ]}
      />
    </Card>
  )
}
