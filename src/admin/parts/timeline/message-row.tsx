import type { StoredMessage } from 'caseworker'
import { UserLink } from '../author/links.tsx'
import { Badge, Status } from '../badge.tsx'
import { Go } from '../go.tsx'
import { Icon } from '../icon.tsx'
import { formatFailure, formatMessage } from '../message/message-text.ts'
import { SenderName } from '../message/sender-name.tsx'
import { Time } from '../time.tsx'
import { getLateTime, messageMoments } from './message-moments.ts'
import { TimelineRow } from './timeline-list.tsx'

/** A message, with how far it got; it leads to its page. */
export function MessageRow({ message, at }: { message: StoredMessage; at: number }) {
  const { id, direction, deliveryStatus, user, error } = message
  const isOutbound = direction === 'OUTBOUND'
  const written = getLateTime(message)
  return (
    <TimelineRow>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
        <Badge tone={isOutbound ? 'plain' : 'info'}>
          <Icon name={isOutbound ? 'send' : 'left'} className="size-3!" />
          {isOutbound ? 'Message' : 'Received'}
        </Badge>
        {isOutbound && <Status of={deliveryStatus} />}
        <span className="inline-flex flex-wrap items-baseline gap-x-1.5 text-ink-2">
          {isOutbound ? user && <UserLink id={user} /> : <SenderName message={message} />}
          <span>
            · <Time at={at} isRelative />
          </span>
          {written !== undefined && (
            <span>
              · written <Time at={written} />
            </span>
          )}
        </span>
      </div>
      <Go to={`/message/${id}`} className="mt-1.5 line-clamp-3 break-words whitespace-pre-wrap hover:underline">
        {formatMessage(message)}
      </Go>
      {error && <p className="mt-1 text-[13px] text-bad">{formatFailure(error)}</p>}
      <Moments message={message} />
    </TimelineRow>
  )
}

const WORDS: Record<string, string> = { SENT: 'sent', DELIVERED: 'delivered', READ: 'read', FAILED: 'failed' }

function Moments({ message }: { message: StoredMessage }) {
  const moments = messageMoments(message)
  if (moments.length === 0) return null
  return (
    <p className="mt-1 flex flex-wrap gap-x-3 text-xs text-ink-2">
      {moments.map(({ status, at }) => (
        <span key={status}>
          {WORDS[status]} <Time at={at} />
        </span>
      ))}
    </p>
  )
}
