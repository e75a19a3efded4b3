import { useQuery } from '@tanstack/react-query'
import type { WebhookDelivery } from 'caseworker'
import { createWebhooksClient } from 'caseworker/webhooks'
import { call } from '../api/client.ts'
import { Days, Legend } from '../parts/chart.tsx'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { attemptColumns } from './attempts.ts'

/** The chart counts so many attempts, in ten calls. */
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
export function AttemptChart({ webhookId }: { webhookId: string }) {
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
