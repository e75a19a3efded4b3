import type { WebhookDelivery } from 'caseworker'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../parts/times.ts'

type Attempt = Pick<WebhookDelivery, 'at' | 'isDelivered'>

interface AttemptColumn {
  label: string
  delivered: number
  failed: number
}

interface AttemptColumns {
  unit: Unit
  columns: AttemptColumn[]
}

type Unit = 'minute' | 'hour' | 'day'

const BY_MINUTE_MS_MAX = 1.5 * HOUR_MS
const BY_HOUR_MS_MAX = 2 * DAY_MS
/** The fewest columns of a chart, so that a single attempt is not as wide as the page. */
const COLUMNS_MIN: Record<Unit, number> = { minute: 30, hour: 24, day: 14 }

const chooseUnit = (ms: number): Unit => (ms <= BY_MINUTE_MS_MAX ? 'minute' : ms <= BY_HOUR_MS_MAX ? 'hour' : 'day')

/**
 * Returns the start of the unit that is `back` before the one of `now`, in the reader's zone. A day may have 23 or 25
 * hours.
 */
function getStart(unit: Unit, now: number, back: number): number {
  const date = new Date(now)
  if (unit === 'day') return new Date(date.getFullYear(), date.getMonth(), date.getDate() - back).getTime()
  const into =
    (unit === 'hour' ? date.getMinutes() * MINUTE_MS : 0) + date.getSeconds() * SECOND_MS + date.getMilliseconds()
  return now - into - back * (unit === 'hour' ? HOUR_MS : MINUTE_MS)
}

const OF_DAY = { day: 'numeric', month: 'short' } as const
const OF_TIME = { ...OF_DAY, hour: '2-digit', minute: '2-digit' } as const

/** Formats the units of a chart, with the offset where clocks were set back and an hour came twice. */
function formatLabels(unit: Unit, starts: readonly number[]): string[] {
  const formatStarts = (format: Intl.DateTimeFormatOptions) =>
    starts.map(new Intl.DateTimeFormat(undefined, format).format)
  const labels = formatStarts(unit === 'day' ? OF_DAY : OF_TIME)
  return new Set(labels).size === labels.length ? labels : formatStarts({ ...OF_TIME, timeZoneName: 'shortOffset' })
}

/**
 * Attempts by the unit of time that suits how far they reach back. Where older ones were not read, the oldest unit is left
 * out: it is not known whole.
 */
export function attemptColumns(attempts: readonly Attempt[], areAll: boolean, now: number): AttemptColumns {
  const oldest = Math.min(now, ...attempts.map(({ at }) => at))
  const unit = areAll ? chooseUnit(Math.max(now - oldest, BY_MINUTE_MS_MAX + 1)) : chooseUnit(now - oldest)
  const starts = [getStart(unit, now, 0)]
  const isEnough = (start: number) => (areAll ? start <= oldest && starts.length >= COLUMNS_MIN[unit] : start <= oldest)
  while (!isEnough(starts[0] ?? 0)) starts.unshift(getStart(unit, now, starts.length))
  if (!areAll && starts.length > 1) starts.shift()
  const columns = formatLabels(unit, starts).map(label => ({ label, delivered: 0, failed: 0 }))
  for (const { at, isDelivered } of attempts) {
    const column = columns[starts.findLastIndex(start => start <= at)]
    if (column) column[isDelivered ? 'delivered' : 'failed'] += 1
  }
  return { unit, columns }
}

/** The headers of an attempt that follow from it, as the reference of webhooks says them. The signature is not kept. */
export const listSentHeaders = ({ event, at, sequence }: Pick<WebhookDelivery, 'event' | 'at' | 'sequence'>): string =>
  [
    `webhook-id: ${event}`,
    `webhook-timestamp: ${Math.floor(at / SECOND_MS)}`,
    `webhook-sequence: ${sequence}`,
    'webhook-signature: v1,… (made for each attempt, not kept)',
  ].join('\n')
