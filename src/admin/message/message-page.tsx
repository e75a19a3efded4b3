import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { StoredMessage } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { listRows, read, readPages } from '../api/read.ts'
import { Badge, Status } from '../parts/badge.tsx'
import { Button, LinkButton } from '../parts/button.tsx'
import { Json } from '../parts/code.tsx'
import { useMessageCustomer } from '../parts/customer/use-customer-name.ts'
import { Question } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { formatSender } from '../parts/message/message-text.ts'
import { Timeline } from '../parts/message/timeline.tsx'
import { WhatsappText } from '../parts/message/whatsapp-text.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { stripBidi } from '../parts/text/strip-bidi.ts'
import { AboutMessage } from './about-message.tsx'
import { StatusHistory, WhatWentWrong } from './status-history.tsx'

const route = getRouteApi('/frame/message/$messageId')
const WITHIN = [{ label: 'Messages', to: '/message' as const }]
const EVERY_MS = 3_000
/** A message whose last change is no older than this may still change, and is read again. */
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
  const name = useMessageCustomer(data)
  return (
    <Page
      title={data ? formatTitle(data, name) : 'Message'}
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

/** Uses the customer's name, where it is known; a name that somebody chose at the provider may be anything. */
function formatTitle(message: StoredMessage, name: string | undefined): string {
  const number = message.context.contactIdentifier
  if (number === '') return 'An erased message'
  return message.direction === 'OUTBOUND'
    ? `Message to ${name ?? `+${number}`}`
    : `Message from ${name ?? formatSender(message)}`
}

function MessageDetails({ message }: { message: StoredMessage }) {
  const isOutbound = message.direction === 'OUTBOUND'
  const isErased = message.context.contactIdentifier === ''
  return (
    <>
      <WhatWentWrong message={message} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <Card title={isOutbound ? 'As the customer reads it' : 'As the customer wrote it'}>
          <div className={`max-w-md rounded-card px-3 py-2 ${isOutbound ? 'bg-accent-soft' : 'bg-hover'}`}>
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
          {!isOutbound && message.content !== null && !['text', 'image'].includes(message.dataType) && (
            <details className="mt-3">
              <summary className="text-ink-2">As the provider tells it</summary>
              <div className="mt-2">
                <Json value={message.content} label="Content" />
              </div>
            </details>
          )}
        </Card>
        <Card title={isOutbound ? 'Its way to the phone' : 'When it came'}>
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

type File = NonNullable<StoredMessage['attachments']>[number]

const SHOWN = ['image', 'sticker', 'video', 'audio']

/** A customer's file: fetched from the provider when it is asked for, since each look is a call there. */
function Attachment({ file }: { file: File }) {
  const [isShown, setShown] = useState(false)
  const [isGone, setGone] = useState(false)
  const { type, path } = file
  const filename = file.filename && stripBidi(file.filename)
  return (
    <div className="mb-1.5 flex flex-col items-start gap-1.5">
      {isShown && !isGone && <Media file={file} onGone={() => setGone(true)} />}
      {isGone && (
        <p role="alert" className="text-[13px] text-bad">
          It could not be fetched: the provider keeps files for thirty days, and may be out of reach now.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {SHOWN.includes(type) && !isShown && (
          <Button icon={type === 'audio' || type === 'video' ? 'play' : 'open'} onClick={() => setShown(true)}>
            {`Show the ${type}`}
          </Button>
        )}
        <a
          href={path}
          download={filename ?? true}
          className="inline-flex h-8 items-center gap-1.5 px-1 text-[13px] underline underline-offset-2"
        >
          <Icon name="download" /> {filename ?? `Download the ${type}`}
        </a>
      </div>
    </div>
  )
}

function Media({ file: { type, path }, onGone }: { file: File; onGone: () => void }) {
  if (type === 'audio')
    // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for what a customer recorded
    return <audio controls src={path} onError={onGone} className="max-w-full" />
  if (type === 'video')
    // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for what a customer recorded
    return <video controls src={path} onError={onGone} className="max-h-96 max-w-full rounded-md" />
  return <img src={path} alt="Sent by the customer" onError={onGone} className="max-h-96 max-w-full rounded-md" />
}

/** Lists all messages of the number, so that answers are where they belong. */
function Conversation({ message: { id, context } }: { message: StoredMessage }) {
  const phoneNumber = context.contactIdentifier
  const messages = useInfiniteQuery(
    readPages('listMessages', cursor => ({ query: { phoneNumber, limit: 25, ...(cursor ? { cursor } : {}) } })),
  )
  return (
    <Card
      title="Conversation with this number"
      isBare
      actions={
        <LinkButton to="/message" search={{ phoneNumber }} tone="quiet">
          As a list
        </LinkButton>
      }
    >
      <Loaded query={messages}>
        {data => (
          <div className="max-h-[40rem] overflow-y-auto">
            <Timeline
              messages={listRows(data)}
              current={id}
              hasMore={messages.hasNextPage}
              isReadingMore={messages.isFetchingNextPage}
              onMore={() => void messages.fetchNextPage()}
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

/** Sends a failed or unknown message again, once, after a question: an unknown one may have arrived. */
function SendAgain({ message }: { message: StoredMessage }) {
  const may = useMay()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const resend = useChange('resendMessage', {
    rereads: ['getMessage', 'listMessages'],
    done: 'Sent again: this is the new message',
    onDone: ({ data }) => void navigate({ to: '/message/$messageId', params: { messageId: data.id } }),
  })
  const { deliveryStatus, direction, resentAs, context } = message
  const isResendable =
    direction === 'OUTBOUND' &&
    ['FAILED', 'UNKNOWN'].includes(deliveryStatus) &&
    resentAs === null &&
    context.contactIdentifier !== ''
  if (!may('message:send') || !isResendable) return null
  const isUnknown = deliveryStatus === 'UNKNOWN'
  const confirm = () =>
    resend.mutate(
      { path: { messageId: message.id } },
      {
        // The provider may have refused the new message: then it is there all the same, and this one names it.
        onError: () => void queries.invalidateQueries({ queryKey: ['getMessage'] }),
        onSettled: () => setAsked(false),
      },
    )
  return (
    <>
      <Button icon="send" onClick={() => setAsked(true)}>
        Send again …
      </Button>
      <Question
        title={`Send it to +${context.contactIdentifier} again?`}
        confirm={isUnknown ? 'Send it, even if it arrives twice' : 'Send it again'}
        tone={isUnknown ? 'danger' : 'main'}
        keep="Cancel"
        isOpen={isAsked}
        isPending={resend.isPending}
        onClose={() => setAsked(false)}
        onConfirm={confirm}
      >
        {isUnknown
          ? 'This message may have arrived: the provider was called, and what it answered is not known. If it did arrive, the customer gets it a second time. A message can be sent again once.'
          : 'A new message with the same text goes out now, linked to this one. It fails again unless the cause is fixed first. A message can be sent again once.'}
      </Question>
    </>
  )
}
