import { useQuery } from '@tanstack/react-query'
import type { WebhookDelivery } from 'caseworker'
import type { ReactNode } from 'react'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Code, Copyable, Json } from '../parts/code.tsx'
import { toFailure } from '../parts/failure.ts'
import { Go } from '../parts/go.tsx'
import { Facts } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { DeliveryOutcome } from '../parts/webhook/delivery-outcome.tsx'
import { listSentHeaders } from './attempts.ts'

/** Shows one attempt: the response of the receiver, and the event. */
export function DeliveryDetails({ delivery }: { delivery: WebhookDelivery }) {
  const { sequence, response, nextAttemptAt } = delivery
  return (
    <div className="flex flex-col gap-4">
      <Facts
        facts={[
          ['Event', <Copyable key="event" text={delivery.event} />],
          ['Type', delivery.type],
          ['Number', <InLog key="number" sequence={sequence} />],
          ['Attempt', delivery.attempt],
          ['Response', <DeliveryOutcome key="outcome" delivery={delivery} />],
          ['Sent', <Time key="at" at={delivery.at} />],
          ['Took', `${delivery.ms.toLocaleString()} ms`],
          ['Sent again', nextAttemptAt === null ? null : <Time key="next" at={nextAttemptAt} />],
        ]}
      />
      <Titled label="Headers of the request">
        <Code text={listSentHeaders(delivery)} label="Headers of the request" />
      </Titled>
      {response !== '' && (
        <Titled label="Start of the response">
          <Code text={response} label="Start of the response" />
        </Titled>
      )}
      <SentEvent sequence={sequence} />
    </div>
  )
}

/** The number of the event, which leads to it in the log: what it is, and which other webhooks got it. */
function InLog({ sequence }: { sequence: number }) {
  const may = useMay()
  const number = sequence.toLocaleString()
  return may('process:read') ? (
    <Go to={`/event?opened=${sequence}`} className="text-accent underline">
      {number}
    </Go>
  ) : (
    number
  )
}

/** The event as the log shows it now. */
function SentEvent({ sequence }: { sequence: number }) {
  const may = useMay()
  const event = useQuery({
    ...read('listEvents', { query: { after: sequence - 1, limit: 1 } }),
    enabled: sequence > 0 && may('process:read'),
  })
  const [found] = event.data?.data ?? []
  if (event.error) return <p className="text-[13px] text-ink-2">{toFailure(event.error).title}</p>
  return found?.sequence === sequence ? (
    <Titled label="The event, which was the body of the request">
      <Json value={found} label="The event" />
    </Titled>
  ) : null
}

const Titled = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <h3 className="mb-1 text-[13px] font-medium">{label}</h3>
    {children}
  </div>
)
