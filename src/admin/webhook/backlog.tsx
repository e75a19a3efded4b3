import type { CallResult, WebhookDelivery } from 'caseworker'
import { Icon } from '../parts/icon.tsx'
import { howMany } from '../parts/text/how-many.ts'
import { Time } from '../parts/time/time.tsx'

interface BacklogProps {
  meta: CallResult<'listWebhookDeliveries'>['meta']
  /** Those that were read, newest first. */
  attempts: readonly WebhookDelivery[]
}

/** How far the webhook is, why it fails, and when it is tried next. */
export function Backlog({ meta: { waiting, failingSince, heldUntil }, attempts }: BacklogProps) {
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
