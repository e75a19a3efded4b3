import type { StoredMessage } from 'caseworker'
import { Status } from '../parts/badge.tsx'
import { Time } from '../parts/time/time.tsx'
import { durationOf } from '../parts/time/time-words.ts'

const SOURCES: Record<string, string> = {
  REQUEST: 'asked for',
  PROVIDER: 'the provider answered',
  WEBHOOK: 'told by the provider’s webhook',
  SWEEP: 'found by Caseworker, after nothing was heard',
}
export const REASON_WORDS: Record<string, string> = {
  TIMEOUT: 'the provider did not answer in time',
  UNAVAILABLE: 'the provider or the way to it failed',
  UNREADABLE: 'the provider’s answer could not be read',
  INTERRUPTED: 'sending was interrupted',
  NOT_ATTEMPTED: 'sending was interrupted before the provider was asked',
}

const wordsIn = (words: Record<string, string>, value: unknown): string | undefined =>
  typeof value === 'string' ? (words[value] ?? value) : undefined
const timeIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** All changes of the delivery status, in their order: when each happened, and how it was learnt. */
export function StatusHistory({ message: { history, direction } }: { message: StoredMessage }) {
  const isOurs = direction === 'OUTBOUND'
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
              <Status of={isOurs ? String(status) : 'RECEIVED'} />
              <Time at={timeIn(timestamp) ?? timeIn(at)} />
            </div>
            <p className="mt-0.5 text-[13px] text-ink-2">
              {[
                wordsIn(REASON_WORDS, reason) ?? wordsIn(SOURCES, source),
                typeof code === 'number' ? `error ${code}` : undefined,
                nth > 0 && begin !== undefined ? `known after ${durationOf((timeIn(at) ?? begin) - begin)}` : undefined,
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
