import type { StoredMessage } from 'caseworker'
import { Status } from '../badge.tsx'
import { Button } from '../button.tsx'
import { Go } from '../go.tsx'
import { Icon } from '../icon.tsx'
import { stripBidi } from '../text/strip-bidi.ts'
import { Time } from '../time.tsx'
import { formatFailure } from './message-text.ts'
import { SenderName } from './sender-name.tsx'

interface TimelineProps {
  /** Newest first, as the API lists them. */
  messages: readonly StoredMessage[]
  /** The message whose page it is. */
  current?: string
  hasMore: boolean
  isReadingMore: boolean
  onMore: () => void
}

const statusAndTime = ({ id, deliveryStatus, direction, timestamp }: StoredMessage, isCurrent: boolean) => (
  <>
    {direction === 'OUTBOUND' && <Status of={deliveryStatus} />}
    {isCurrent ? (
      <>
        <Time at={timestamp} /> <span className="text-ink-3">this one</span>
      </>
    ) : (
      <Go to={`/message/${id}`}>
        <Time at={timestamp} />
      </Go>
    )}
  </>
)

/** Messages as a conversation: the oldest at the top, ours on the right. */
export function Timeline({ messages, current, hasMore, isReadingMore, onMore }: TimelineProps) {
  return (
    <div className="flex flex-col gap-3 p-4">
      {hasMore && (
        <Button className="self-center" isPending={isReadingMore} onClick={onMore}>
          Earlier messages
        </Button>
      )}
      <ol className="flex flex-col gap-3">
        {messages.toReversed().map(message => {
          const isOurs = message.direction === 'OUTBOUND'
          return (
            <li key={message.id} className={`flex flex-col ${isOurs ? 'items-end' : 'items-start'}`}>
              <div
                className={`max-w-[min(34rem,90%)] rounded-card px-3 py-2 break-words whitespace-pre-wrap ${isOurs ? 'bg-accent-soft' : 'bg-hover'} ${message.id === current ? 'outline-2 outline-accent' : ''}`}
              >
                <span className="sr-only">
                  {isOurs ? (
                    'Sent: '
                  ) : (
                    <>
                      <SenderName message={message} /> wrote:{' '}
                    </>
                  )}
                </span>
                {message.text || <span className="text-ink-2">{message.dataType}</span>}
                {message.attachments?.map(each => (
                  <a
                    key={each.id}
                    href={each.path}
                    download
                    className="mt-1 flex items-center gap-1.5 underline underline-offset-2"
                  >
                    <Icon name="download" /> {stripBidi(each.filename ?? each.type)}
                  </a>
                ))}
              </div>
              <div className="mt-1 flex flex-wrap items-center gap-x-2 text-xs text-ink-2">
                {!isOurs && <SenderName message={message} />}
                {statusAndTime(message, message.id === current)}
              </div>
              {message.error && (
                <p className="mt-1 max-w-[min(34rem,90%)] text-xs text-bad">{formatFailure(message.error)}</p>
              )}
            </li>
          )
        })}
      </ol>
    </div>
  )
}
