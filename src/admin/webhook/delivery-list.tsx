import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Webhook, WebhookDelivery } from 'caseworker'
import { useState } from 'react'
import { readPages, rowsOf } from '../api/read.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Go } from '../parts/go.tsx'
import { Tabs } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time/time.tsx'
import { DeliveryOutcome } from '../parts/webhook/delivery-outcome.tsx'
import { SendEventAgain } from '../parts/webhook/send-event-again.tsx'
import { Backlog } from './backlog.tsx'
import { DeliveryDetails } from './delivery-details.tsx'
import { Replay } from './replay.tsx'

const route = getRouteApi('/frame/webhook/$webhookId')
const LIMIT = 100
const EVERY_MS = 5_000

const isAhead = (at: number | null): boolean => at !== null && at > Date.now()

/** Each attempt to deliver an event, newest first, as it happens. */
export function DeliveryList({ webhook }: { webhook: Webhook }) {
  const { failed, event } = route.useSearch()
  const [opened, setOpened] = useState<WebhookDelivery>()
  const path = { webhookId: webhook.id }
  const deliveries = useInfiniteQuery({
    ...readPages('listWebhookDeliveries', cursor => ({
      path,
      query: {
        limit: LIMIT,
        ...(failed ? { failed: 'true' as const } : {}),
        ...(event === undefined ? {} : { event }),
        ...(cursor ? { cursor } : {}),
      },
    })),
    refetchInterval: EVERY_MS,
  })
  const columns: Column<WebhookDelivery>[] = [
    {
      id: 'event',
      header: 'Event',
      cell: delivery => (
        <button type="button" className="font-medium hover:underline" onClick={() => setOpened(delivery)}>
          {delivery.type} <span className="text-ink-2">{delivery.sequence}</span>
        </button>
      ),
    },
    { id: 'outcome', header: 'Response', cell: delivery => <DeliveryOutcome delivery={delivery} /> },
    {
      id: 'response',
      header: 'What it said',
      from: 'lg',
      cell: ({ response, isDelivered }) => <span className={isDelivered ? 'text-ink-2' : ''}>{response}</span>,
    },
    { id: 'attempt', header: 'Attempt', align: 'right', from: 'sm', cell: ({ attempt }) => attempt },
    { id: 'ms', header: 'Took', align: 'right', from: 'md', cell: ({ ms }) => `${ms.toLocaleString()} ms` },
    { id: 'at', header: 'Sent', cell: ({ at }) => <Time at={at} isRelative /> },
    {
      id: 'next',
      header: 'Sent again',
      from: 'sm',
      // What was due has its own attempt by now.
      cell: ({ nextAttemptAt }) => <Time at={isAhead(nextAttemptAt) ? nextAttemptAt : null} isRelative />,
    },
    {
      id: 'again',
      header: <span className="sr-only">Send again</span>,
      align: 'right',
      cell: delivery => <SendEventAgain webhook={webhook} sequence={delivery.sequence} isIcon />,
    },
  ]
  const params = { webhookId: webhook.id }
  const meta = deliveries.data?.pages[0]?.meta
  return (
    <section className="flex h-[36rem] min-h-0 flex-col gap-3">
      {meta && event === undefined && <Backlog meta={meta} attempts={rowsOf(deliveries.data)} />}
      {event !== undefined && (
        <p role="status" className="flex flex-wrap items-center gap-x-2 text-ink-2">
          Only what was sent of <code className="text-xs break-all">{event}</code>
          <Go to={`/webhook/${webhook.id}`} className="text-accent underline">
            Show all
          </Go>
        </p>
      )}
      <div className="flex items-end justify-between gap-2">
        <div className="min-w-0 flex-1">
          <Tabs
            label="Deliveries"
            tabs={[
              { label: 'All attempts', to: '/webhook/$webhookId', params, search: {} },
              { label: 'Failed', to: '/webhook/$webhookId', params, search: { failed: true } },
            ]}
          />
        </div>
        {meta && <Replay webhook={webhook} latest={meta.latest} />}
      </div>
      <Loaded query={deliveries}>
        {data => (
          <DataTable
            label="Deliveries"
            rows={rowsOf(data)}
            columns={columns}
            keyOf={({ event, attempt, at }) => `${event} ${attempt} ${at}`}
            hasMore={deliveries.hasNextPage}
            isReadingMore={deliveries.isFetchingNextPage}
            onMore={() => void deliveries.fetchNextPage()}
            empty={
              <Empty icon="send" title={failed ? 'Nothing has failed' : 'Nothing has been sent yet'}>
                {failed ? 'Every attempt that is kept was accepted.' : 'The next event, or a test, shows here.'}
              </Empty>
            }
          />
        )}
      </Loaded>
      <Dialog
        title="Delivery"
        size="medium"
        isOpen={opened !== undefined}
        onClose={() => setOpened(undefined)}
        footer={
          opened && <SendEventAgain webhook={webhook} sequence={opened.sequence} onDone={() => setOpened(undefined)} />
        }
      >
        {opened && <DeliveryDetails delivery={opened} />}
      </Dialog>
    </section>
  )
}
