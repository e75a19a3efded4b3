import { Link } from '@tanstack/react-router'
import type { StoredMessage } from 'caseworker'
import type { ReactNode } from 'react'
import { Icon } from '../parts/icon.tsx'
import { REASON_WORDS } from './status-history.tsx'

const CLASSES: Record<string, string> = {
  retry: 'The same message may go through later.',
  'stop-entry': 'This message never goes through as it is; others may.',
  'stop-sender': 'Nothing goes out from this phone number until somebody has seen to it.',
  'stop-plugin': 'Nothing goes out from the whole account until somebody has seen to it.',
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Why it failed, in the provider's words and with advice; or that nothing is known. */
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
