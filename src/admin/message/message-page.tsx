import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { StoredMessage } from 'caseworker'
import { read } from '../api/read.ts'
import { Badge, Status } from '../parts/badge.tsx'
import { Json } from '../parts/code.tsx'
import { useCustomerOfMessage } from '../parts/customer/use-customer-name.ts'
import { Icon } from '../parts/icon.tsx'
import { senderOf } from '../parts/message/sender.ts'
import { WhatsappText } from '../parts/message/whatsapp-text.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { AboutMessage } from './about-message.tsx'
import { Attachment } from './attachment.tsx'
import { Conversation } from './conversation.tsx'
import { SendAgain } from './send-again.tsx'
import { StatusHistory } from './status-history.tsx'
import { WhatWentWrong } from './what-went-wrong.tsx'

const route = getRouteApi('/frame/message/$messageId')
const WITHIN = [{ label: 'Messages', to: '/message' as const }]
const EVERY_MS = 3_000
/** As long after its last change, a message that may still be delivered or read is looked at again. */
const LIVE_MS = 3 * 60_000

const isLive = ({ direction, deliveryStatus, updatedAt }: StoredMessage): boolean =>
  direction === 'OUTBOUND' && !['READ', 'FAILED'].includes(deliveryStatus) && Date.now() - updatedAt < LIVE_MS

export function MessagePage() {
  const { messageId } = route.useParams()
  const message = useQuery({
    ...read('getMessage', { path: { messageId } }),
    refetchInterval: ({ state: { data } }) => (data && isLive(data.data) ? EVERY_MS : false),
  })
  const data = message.data?.data
  const name = useCustomerOfMessage(data)
  return (
    <Page
      title={data ? titleOf(data, name) : 'Message'}
      within={WITHIN}
      mark={
        data &&
        (data.direction === 'OUTBOUND' ? <Status of={data.deliveryStatus} /> : <Badge tone="info">Received</Badge>)
      }
      actions={data && <SendAgain message={data} />}
    >
      <Loaded query={message}>{result => <MessageDetails message={result.data} />}</Loaded>
    </Page>
  )
}

/** With the customer's name, where it is known; the name that somebody chose at the provider may be anything. */
function titleOf(message: StoredMessage, name: string | undefined): string {
  const number = message.context.contactIdentifier
  if (number === '') return 'An erased message'
  return message.direction === 'OUTBOUND'
    ? `Message to ${name ?? `+${number}`}`
    : `Message from ${name ?? senderOf(message)}`
}

function MessageDetails({ message }: { message: StoredMessage }) {
  const isOurs = message.direction === 'OUTBOUND'
  const isErased = message.context.contactIdentifier === ''
  return (
    <>
      <WhatWentWrong message={message} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <Card title={isOurs ? 'As the customer reads it' : 'As the customer wrote it'}>
          <div className={`max-w-md rounded-card px-3 py-2 ${isOurs ? 'bg-accent-soft' : 'bg-hover'}`}>
            {message.attachments?.map(each => (
              <Attachment key={each.id} file={each} />
            ))}
            {message.text !== '' ? (
              <p className="break-words whitespace-pre-wrap">
                <WhatsappText text={message.text} />
              </p>
            ) : (
              !message.attachments && (
                <p className="text-ink-2">
                  {isErased ? 'Its text was erased with its customer.' : `It has no text: ${message.dataType}`}
                </p>
              )
            )}
          </div>
          {!isOurs && message.content !== null && !['text', 'image'].includes(message.dataType) && (
            <details className="mt-3">
              <summary className="text-ink-2">As the provider tells it</summary>
              <div className="mt-2">
                <Json value={message.content} label="Content" />
              </div>
            </details>
          )}
        </Card>
        <Card title={isOurs ? 'Its way to the phone' : 'When it came'}>
          <StatusHistory message={message} />
        </Card>
        <AboutMessage message={message} />
        {isErased ? (
          <p className="flex items-center gap-2 p-4 text-ink-2">
            <Icon name="info" /> The number and what it said were erased with its customer.
          </p>
        ) : (
          <Conversation message={message} />
        )}
      </div>
    </>
  )
}
