import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { CallResult, Webhook, WebhookDelivery } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { listRows, readPages } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { faultAt, isShownAt } from '../parts/failure.ts'
import { Field, TextInput } from '../parts/field.tsx'
import { Go } from '../parts/go.tsx'
import { Icon } from '../parts/icon.tsx'
import { Tabs } from '../parts/page.tsx'
import { Empty, FailureNote, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { Time } from '../parts/time.tsx'
import { DeliveryOutcome } from '../parts/webhook/delivery-outcome.tsx'
import { describeReplay, SendEventAgain } from '../parts/webhook/send-event-again.tsx'
import { DeliveryDetails } from './delivery-details.tsx'

const route = getRouteApi('/frame/webhook/$webhookId')
const LIMIT = 100
const EVERY_MS = 5_000

const isAhead = (at: number | null): boolean => at !== null && at > Date.now()

/** Lists the attempts to deliver events, newest first, and adds new ones as they happen. */
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
      // An attempt that was due has been made by now.
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
      {meta && event === undefined && <Backlog meta={meta} attempts={listRows(deliveries.data)} />}
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
            rows={listRows(data)}
            columns={columns}
            getKey={({ event, attempt, at }) => `${event} ${attempt} ${at}`}
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

interface BacklogProps {
  meta: CallResult<'listWebhookDeliveries'>['meta']
  /** The attempts that were read, newest first. */
  attempts: readonly WebhookDelivery[]
}

/** Shows how many events wait, why the webhook fails, and when it is tried next. */
function Backlog({ meta: { waiting, failingSince, heldUntil }, attempts }: BacklogProps) {
  if (waiting === 0 && failingSince === null) return null
  const now = Date.now()
  const ahead = [heldUntil, ...attempts.map(({ nextAttemptAt }) => nextAttemptAt)].filter(at => at !== null && at > now)
  const next = heldUntil !== null && heldUntil > now ? heldUntil : Math.min(...ahead.map(Number))
  const last = failingSince === null ? undefined : attempts.find(({ isDelivered }) => !isDelivered)
  return (
    <div
      className={`flex items-start gap-2 rounded-md px-3 py-2 ${failingSince === null ? 'bg-info-soft' : 'bg-bad-soft'}`}
    >
      <Icon
        name={failingSince === null ? 'info' : 'alert'}
        className={`mt-0.5 ${failingSince === null ? 'text-info' : 'text-bad'}`}
      />
      <div className="min-w-0">
        <p>
          {waiting > 0 && `${howMany(waiting, 'event waits', 'events wait')} to be delivered. `}
          {failingSince !== null && (
            <>
              It has been failing since <Time at={failingSince} />, and is disabled after five days.{' '}
            </>
          )}
          {Number.isFinite(next) ? (
            <>
              Next attempt: <Time at={next} />
            </>
          ) : (
            'The next attempt is due.'
          )}
        </p>
        {last && (
          <p className="mt-1 text-[13px] break-words">
            {`The last response was ${last.status ?? `none (${last.error ?? 'no reason is known'})`} after ${last.ms.toLocaleString()} ms, at the ${ordinal(last.attempt)} attempt`}
            {last.response !== '' && (
              <>
                : <code>{last.response.slice(0, SHOWN_CHARACTERS)}</code>
              </>
            )}
          </p>
        )}
      </div>
    </div>
  )
}

const SHOWN_CHARACTERS = 200
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDS: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const ordinal = (count: number): string => `${count}${ENDS[ordinals.select(count)] ?? 'th'}`

const LAST_EVENTS = 100
const FIELDS = ['/body/from', '/body/to']

/** Sends events again, from one number to another. */
function Replay({ webhook, latest }: { webhook: Webhook; latest: number }) {
  const may = useMay()
  const [isAsking, setAsking] = useState(false)
  const [from, setFrom] = useState(String(Math.max(1, latest - LAST_EVENTS + 1)))
  const [to, setTo] = useState('')
  const replay = useChange('replayWebhook', {
    rereads: ['listWebhookDeliveries'],
    showsFailure: true,
    done: ({ data }) => describeReplay(data.events),
    onDone: () => setAsking(false),
  })
  if (!may('webhook:write')) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = { from: Number(from), ...(to === '' ? {} : { to: Number(to) }) }
    replay.mutate({ path: { webhookId: webhook.id }, body })
  }
  return (
    <>
      <Button icon="again" onClick={() => setAsking(true)}>
        Send again …
      </Button>
      <Dialog
        title="Send events again"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        footer={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button tone="main" type="submit" form="replay" isPending={replay.isPending}>
              Send again
            </Button>
          </>
        }
      >
        <form id="replay" onSubmit={submit} className="flex flex-col gap-3">
          <p className="text-ink-2">
            The receiver gets them once more, with the ids that they had. The last event has the number{' '}
            {latest.toLocaleString()}.
          </p>
          <Field label="From" error={faultAt(replay.error, '/body/from')}>
            {field => (
              <TextInput
                {...field}
                type="number"
                min={1}
                required
                value={from}
                onChange={event => setFrom(event.target.value)}
              />
            )}
          </Field>
          <Field label="To" hint="Empty: to the last one." error={faultAt(replay.error, '/body/to')}>
            {field => (
              <TextInput {...field} type="number" min={1} value={to} onChange={event => setTo(event.target.value)} />
            )}
          </Field>
          {replay.error && !isShownAt(replay.error, FIELDS) && <FailureNote error={replay.error} />}
        </form>
      </Dialog>
    </>
  )
}
