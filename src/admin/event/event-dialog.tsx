import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { TeamEvent, Webhook } from 'caseworker'
import { useConfig, useMay } from '../api/me.ts'
import { listRows, read, readPages } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { Json } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Go } from '../parts/go.tsx'
import { Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { DeliveryOutcome } from '../parts/webhook/delivery-outcome.tsx'
import { SendEventAgain } from '../parts/webhook/send-event-again.tsx'
import { getProcedureShortId, isSubscribed, whyNotSent } from './event-text.ts'

interface EventDialogProps {
  sequence: number
  /** The event as the log has it; without it, it is read by its number. */
  known: TeamEvent | undefined
  onClose: () => void
}

/** Shows one event with its data, and the webhooks that it was sent to. */
export function EventDialog({ sequence, known, onClose }: EventDialogProps) {
  const may = useMay()
  const found = useQuery({
    ...read('listEvents', { query: { after: sequence - 1, limit: 1 } }),
    enabled: known === undefined,
  })
  const shown = (event: TeamEvent) => (
    <div className="flex flex-col gap-4">
      {may('webhook:read') && <EventDeliveries event={event} />}
      <Json value={event} label="The event, as the feed and webhooks tell it" />
    </div>
  )
  const event = known ?? found.data?.data.find(each => each.sequence === sequence)
  return (
    <Dialog
      title={event ? `${event.type}, number ${sequence.toLocaleString()}` : `Event ${sequence.toLocaleString()}`}
      size="medium"
      isOpen
      onClose={onClose}
    >
      {event ? shown(event) : <Loaded query={found}>{() => <p>There is no event with this number.</p>}</Loaded>}
    </Dialog>
  )
}

const LIMIT = 100
/** An event that was just sent again is answered within this. */
const EVERY_MS = 5_000

/** Lists the webhooks that an event was sent to, and their responses. */
function EventDeliveries({ event }: { event: TeamEvent }) {
  const webhooks = useQuery(read('listWebhooks', {}))
  const procedures = useConfig()?.procedures
  const shortId = getProcedureShortId(event)
  const procedure = procedures?.find(each => each.shortId === shortId)?.id
  return (
    <section aria-labelledby="delivered-to">
      <h3 id="delivered-to" className="mb-1 font-semibold">
        Webhooks
      </h3>
      <Loaded query={webhooks} lines={2}>
        {({ data }) => {
          const receivers = data.filter(webhook => isSubscribed(webhook, event, procedure))
          const others = data.length - receivers.length
          return (
            <>
              <ul className="divide-y divide-line">
                {receivers.map(webhook => (
                  <DeliveryTo key={webhook.id} webhook={webhook} event={event} />
                ))}
              </ul>
              {(receivers.length === 0 || others > 0) && (
                <p className="mt-1 text-[13px] text-ink-2">
                  {data.length === 0
                    ? 'The team has no webhooks.'
                    : `${others === 1 ? 'One webhook is' : `${others.toLocaleString()} webhooks are`} not told of such events.`}
                </p>
              )}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

/** Shows the last attempt to deliver an event to one webhook, and the number of attempts. */
function DeliveryTo({ webhook, event }: { webhook: Webhook; event: TeamEvent }) {
  const deliveries = useInfiniteQuery({
    ...readPages('listWebhookDeliveries', cursor => ({
      path: { webhookId: webhook.id },
      query: { event: event.id, limit: LIMIT, ...(cursor ? { cursor } : {}) },
    })),
    refetchInterval: EVERY_MS,
  })
  return (
    <li className="flex items-center gap-2 py-2">
      <div className="min-w-0 flex-1">
        <Go to={`/webhook/${webhook.id}?event=${event.id}`} className="block truncate font-medium hover:underline">
          {webhook.url}
        </Go>
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-ink-2">
          <Loaded query={deliveries} lines={1}>
            {data => {
              const attempts = listRows(data)
              const [last] = attempts
              const meta = data.pages.at(-1)?.meta
              if (last)
                return (
                  <>
                    <DeliveryOutcome delivery={last} />
                    <span>
                      {attempts.length === 1 ? 'sent' : `sent ${attempts.length.toLocaleString()} times, last`}{' '}
                      <Time at={last.at} isRelative />
                    </span>
                    {last.nextAttemptAt !== null && last.nextAttemptAt > Date.now() && (
                      <span>
                        again <Time at={last.nextAttemptAt} isRelative />
                      </span>
                    )}
                  </>
                )
              return meta && <span>{whyNotSent(webhook, event, meta)}</span>
            }}
          </Loaded>
          {deliveries.hasNextPage && (
            <Button
              tone="quiet"
              isPending={deliveries.isFetchingNextPage}
              onClick={() => void deliveries.fetchNextPage()}
            >
              Look further back
            </Button>
          )}
        </div>
      </div>
      <SendEventAgain webhook={webhook} sequence={event.sequence} isIcon />
    </li>
  )
}
