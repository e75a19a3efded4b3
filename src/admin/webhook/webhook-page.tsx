import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { IssuedWebhook, Webhook, WebhookDelivery } from 'caseworker'
import { createWebhooksClient } from 'caseworker/webhooks'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { call } from '../api/client.ts'
import { useConfig, useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { Days, Legend } from '../parts/chart.tsx'
import { Copyable } from '../parts/code.tsx'
import { Question } from '../parts/dialog.tsx'
import { Menu } from '../parts/menu.tsx'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { Time } from '../parts/time.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { usePageActions } from '../shell/page-actions.ts'
import { attemptColumns } from './attempts.ts'
import { DeliveryList } from './delivery-list.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { IssuedSecret, WebhookState } from './webhook-state.tsx'

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
  const getProcedureName = (id: string) => procedures?.find(each => each.id === id)?.name ?? id
  return (
    <Card title="About it">
      <Facts
        facts={[
          ['Id', <Copyable key="id" text={webhook.id} />],
          ['Description', webhook.description],
          ['Events', webhook.types?.join(', ') ?? 'All'],
          ['Procedures', webhook.procedures?.map(getProcedureName).join(', ') ?? 'All'],
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

interface WebhookActionsProps {
  webhook: Webhook
  onChange: () => void
  onIssued: (issued: IssuedWebhook) => void
}

/** Test, change, switch, rotate, delete. */
function WebhookActions({ webhook, onChange, onIssued }: WebhookActionsProps) {
  const may = useMay()
  const navigate = useNavigate()
  const { showToast } = useToasts()
  const [openDialog, setOpenDialog] = useState<'rotate' | 'delete'>()
  const close = () => setOpenDialog(undefined)
  const path = { webhookId: webhook.id }
  const areTwo = (webhook.previousSecretUntil ?? 0) > Date.now()
  const test = useChange('testWebhook', {
    rereads: ['listWebhookDeliveries'],
    onDone: ({ data: { isDelivered, status, ms, error } }) =>
      showToast(isDelivered ? `Accepted with ${status} in ${ms} ms` : `Not accepted: ${error ?? status}`),
  })
  const update = useChange('updateWebhook', {
    rereads: ['getWebhook', 'listWebhooks'],
    done: ({ data }) => (data.enabled ? 'Switched on: what happened meanwhile is sent now' : 'Switched off'),
  })
  const rotate = useChange('rotateWebhookSecret', {
    rereads: ['getWebhook'],
    onDone: ({ data }) => {
      close()
      onIssued(data)
    },
  })
  const remove = useChange('deleteWebhook', {
    rereads: ['listWebhooks'],
    done: 'The webhook is deleted',
    onDone: () => void navigate({ to: '/webhook' }),
  })
  const mayWrite = may('webhook:write')
  const sendTest = () => test.mutate({ path })
  const turn = () => update.mutate({ path, body: { enabled: !webhook.enabled } })
  const turned = webhook.enabled
    ? ({ label: 'Switch off', icon: 'pause' } as const)
    : ({ label: 'Switch on', icon: 'play' } as const)
  const more = [
    { label: 'Change …', icon: 'edit', act: onChange },
    { label: 'Rotate the secret …', icon: 'key', act: () => setOpenDialog('rotate') },
    { label: 'Delete …', icon: 'trash', isDanger: true, act: () => setOpenDialog('delete') },
  ] as const
  usePageActions(
    mayWrite ? [{ label: 'Send a test', icon: 'send', act: sendTest }, { ...turned, act: turn }, ...more] : [],
  )
  if (!mayWrite) return null
  return (
    <>
      <Button icon="send" isPending={test.isPending} onClick={sendTest}>
        Send a test
      </Button>
      <Button icon={turned.icon} isPending={update.isPending} onClick={turn}>
        {turned.label}
      </Button>
      <Menu trigger={<Button icon="more">More</Button>} items={more} />
      <Question
        title="Rotate the secret?"
        confirm="Rotate"
        isOpen={openDialog === 'rotate'}
        isPending={rotate.isPending}
        onClose={close}
        onConfirm={() => rotate.mutate({ path, body: areTwo ? { overlapSeconds: 0 } : {} })}
      >
        {areTwo ? (
          <>
            Two secrets sign now, until <Time at={webhook.previousSecretUntil} />. A new one ends both at once: until
            the receiver has it, it refuses what is sent, and that is sent again later.
          </>
        ) : (
          <>
            A new secret is created and shown once. For 24 hours each request has two signatures, by the old secret and
            by the new one; a receiver accepts it if either fits. So it can be changed meanwhile, and nothing is lost.
          </>
        )}
      </Question>
      <Question
        title="Delete this webhook?"
        confirm="Delete"
        isOpen={openDialog === 'delete'}
        isPending={remove.isPending}
        onClose={close}
        onConfirm={() => remove.mutate({ path })}
      >
        Nothing more is sent to <b>{webhook.url}</b>, and what is waiting is dropped. Its deliveries are forgotten. This
        can’t be undone.
      </Question>
    </>
  )
}

/** The most attempts that the chart counts, in ten calls. */
const ATTEMPTS_MAX = 1_000
const EVERY_MS = 60_000

async function newestAttempts(webhookId: string, signal: AbortSignal) {
  const attempts: WebhookDelivery[] = []
  let hasMore = false
  const { deliveries } = createWebhooksClient(call)
  for await (const page of deliveries(webhookId, { limit: ATTEMPTS_MAX }, { signal }).pages()) {
    attempts.push(...page.items)
    ;({ hasMore } = page)
  }
  return { attempts, areAll: !hasMore, readAt: Date.now() }
}

/** Shows how many attempts were accepted and how many failed, by day, hour or minute. */
function AttemptChart({ webhookId }: { webhookId: string }) {
  const newest = useQuery({
    queryKey: ['listWebhookDeliveries', 'newest', webhookId],
    queryFn: ({ signal }) => newestAttempts(webhookId, signal),
    refetchInterval: EVERY_MS,
  })
  return (
    <Card title="Attempts to deliver">
      <Loaded query={newest} lines={3}>
        {({ attempts, areAll, readAt }) => {
          const { unit, columns } = attemptColumns(attempts, areAll, readAt)
          const sumColumns = (which: 'delivered' | 'failed') => columns.reduce((sum, column) => sum + column[which], 0)
          const [delivered, failed] = [sumColumns('delivered'), sumColumns('failed')]
          return (
            <div className="flex flex-col gap-3">
              <Legend
                parts={[
                  { label: 'accepted', value: delivered, color: 'good' },
                  { label: 'failed', value: failed, color: 'bad', to: `/webhook/${webhookId}?failed=true` },
                ]}
              />
              <Days
                label={`Attempts by ${unit}`}
                days={columns.map(column => ({
                  day: column.label,
                  parts: [
                    { label: 'accepted', value: column.delivered, color: 'good' },
                    { label: 'failed', value: column.failed, color: 'bad' },
                  ],
                }))}
              />
              <p className="text-[13px] text-ink-2">
                {areAll
                  ? `By ${unit}. Attempts are kept for 30 days.`
                  : `By ${unit}, of the newest ${ATTEMPTS_MAX.toLocaleString()} attempts.`}
              </p>
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}
