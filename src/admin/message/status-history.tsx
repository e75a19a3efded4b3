import { Link } from '@tanstack/react-router'
import type { StoredMessage } from 'caseworker'
import type { ReactNode } from 'react'
import { Status } from '../parts/badge.tsx'
import { Icon } from '../parts/icon.tsx'
import { Time } from '../parts/time.tsx'
import { formatDuration } from '../parts/times.ts'

const SOURCES: Record<string, string> = {
  REQUEST: 'asked for',
  PROVIDER: 'the provider answered',
  WEBHOOK: 'told by the provider’s webhook',
  SWEEP: 'found by Caseworker, after nothing was heard',
}
const REASON_WORDS: Record<string, string> = {
  TIMEOUT: 'the provider did not answer in time',
  UNAVAILABLE: 'the provider or the way to it failed',
  UNREADABLE: 'the provider’s answer could not be read',
  INTERRUPTED: 'sending was interrupted',
  NOT_ATTEMPTED: 'sending was interrupted before the provider was asked',
}

const wordsIn = (words: Record<string, string>, value: unknown): string | undefined =>
  typeof value === 'string' ? (words[value] ?? value) : undefined
const timeIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** Lists all changes of the delivery status in order, with the time and the source of each. */
export function StatusHistory({ message: { history, direction } }: { message: StoredMessage }) {
  const isOutbound = direction === 'OUTBOUND'
  const begin = timeIn(history[0]?.at)
  if (history.length === 0) return <p className="text-ink-2">Nothing is known of it yet.</p>
  return (
    <ol className="flex flex-col">
      {history.map(({ status, at, timestamp, source, reason, code }, nth) => (
        <li key={`${String(status)} ${String(at)} ${String(source)}`} className="relative flex gap-3 pb-4 last:pb-0">
          <span aria-hidden="true" className="flex flex-col items-center">
            <span className="mt-1.5 size-2 rounded-full bg-line-strong" />
            {nth < history.length - 1 && <span className="mt-1 w-px flex-1 bg-line" />}
          </span>
          <div className="min-w-0">
            <div className="flex flex-wrap items-center gap-2">
              <Status of={isOutbound ? String(status) : 'RECEIVED'} />
              <Time at={timeIn(timestamp) ?? timeIn(at)} />
            </div>
            <p className="mt-0.5 text-[13px] text-ink-2">
              {[
                wordsIn(REASON_WORDS, reason) ?? wordsIn(SOURCES, source),
                typeof code === 'number' ? `error ${code}` : undefined,
                nth > 0 && begin !== undefined
                  ? `known after ${formatDuration((timeIn(at) ?? begin) - begin)}`
                  : undefined,
              ]
                .filter(Boolean)
                .join(' · ')}
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}

const CLASSES: Record<string, string> = {
  retry: 'The same message may go through later.',
  'stop-entry': 'This message never goes through as it is; others may.',
  'stop-sender': 'Nothing goes out from this phone number until somebody has seen to it.',
  'stop-plugin': 'Nothing goes out from the whole account until somebody has seen to it.',
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Explains why a message failed, in the provider's words and with advice, or says that nothing is known. */
export function WhatWentWrong({
  message: { deliveryStatus, error, history, plugin, direction },
}: {
  message: StoredMessage
}) {
  if (direction === 'INBOUND') return null
  const reason = textIn(history.findLast(each => each.reason !== undefined)?.reason)
  if (deliveryStatus === 'UNKNOWN')
    return (
      <Note isBad={false} title="Whether it was sent is not known: it may have arrived">
        <p>
          {`${REASON_WORDS[reason] ?? 'The provider was called, and its answer did not arrive'}. `.replace(
            /^./,
            letter => letter.toUpperCase(),
          )}
          Caseworker does not send it again by itself. If the provider tells of it later, the status changes.
        </p>
        {error && <ProviderWords error={error} plugin={plugin} />}
      </Note>
    )
  if (deliveryStatus !== 'FAILED') return null
  return (
    <Note isBad title={textIn(error?.title) || 'It was not sent'}>
      {error ? (
        <ProviderWords error={error} plugin={plugin} />
      ) : (
        <p>{`${REASON_WORDS[reason] ?? 'The provider gave no reason'}: it can be sent again.`}</p>
      )}
    </Note>
  )
}

function ProviderWords({ error, plugin }: { error: NonNullable<StoredMessage['error']>; plugin: string }) {
  const kind = textIn(error.class)
  const advice = textIn(error.advice)
  return (
    <>
      {textIn(error.details) !== '' && <p>{`The provider says: “${textIn(error.details)}” (code ${error.code})`}</p>}
      {textIn(error.details) === '' && <p>{`The provider’s code is ${error.code}`}</p>}
      {advice !== '' && <p>{`What to do: ${advice}.`}</p>}
      {CLASSES[kind] && <p className="text-ink-2">{CLASSES[kind]}</p>}
      {kind.startsWith('stop-') && kind !== 'stop-entry' && (
        <p>
          <Link to="/plugin/$pluginId" params={{ pluginId: plugin }} className="underline">
            See the plugin
          </Link>
        </p>
      )}
    </>
  )
}

function Note({ title, isBad, children }: { title: string; isBad: boolean; children: ReactNode }) {
  return (
    <section
      aria-label="What went wrong"
      className={`flex gap-2 rounded-card border p-4 ${isBad ? 'border-bad/40 bg-bad-soft' : 'border-warn/40 bg-warn-soft'}`}
    >
      <Icon name="alert" className={`mt-0.5 ${isBad ? 'text-bad' : 'text-warn'}`} />
      <div className="flex min-w-0 flex-col gap-1 break-words">
        <p className="font-medium">{title}</p>
        {children}
      </div>
    </section>
  )
}
