import { sumMessages } from '../message/count/operations.ts'
import type { MessageCount } from '../message/count/schema.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../message/rules.ts'
import type { Scope } from '../scope.ts'
import { DAY_MS, toDay } from '../time-units.ts'
import { computeCost } from './cost-rules.ts'
import { type DayRange, readDays } from './daily.ts'
import { formatDay, formatMonth, getMonthDays } from './days.ts'
import type { Usage, UsageFigures } from './schema.ts'

type TeamLimits = Usage['limits']

/** Returns the usage of a month up to now. */
export async function getUsage(scope: Scope, requestedMonth: string | undefined, limits: TeamLimits): Promise<Usage> {
  const month = requestedMonth ?? formatMonth(scope.now)
  const range = cutFuture(getMonthDays(month), scope.now)
  const known = await readDays(scope, range)
  const messages = await loadMessages(scope, range)
  const days = Array.from({ length: range.end - range.first }, (_, nth) => {
    const day = range.first + nth
    const [used, jobs] = [known.used.find(each => each.day === day), known.jobs.find(each => each.day === day)]
    const before = (which: number) => known.sequences.find(each => each.day === which)?.before ?? 0
    return {
      day: formatDay(day),
      requests: used?.requests ?? 0,
      failed: used?.failed ?? 0,
      rowsRead: used?.rowsRead ?? 0,
      rowsWritten: used?.rowsWritten ?? 0,
      databaseMs: Math.round((used?.databaseMicros ?? 0) / 1000),
      jobs: jobs?.jobs ?? 0,
      jobEntries: jobs?.entries ?? 0,
      messages: countStatuses(messages.counts.filter(each => each.day === formatDay(day))),
      events: before(day + 1) - before(day),
      webhookDeliveries: known.deliveries.find(each => each.day === day)?.attempts ?? 0,
    }
  })
  const total = days.reduce<UsageFigures>((sum, { day: _day, ...figures }) => addFigures(sum, figures), NOTHING)
  return { month, days, total, isComplete: known.isComplete && messages.isComplete, cost: computeCost(total), limits }
}

const cutFuture = ({ first, end }: DayRange, now: number): DayRange => ({
  first,
  end: Math.max(first, Math.min(end, toDay(now) + 1)),
})

async function loadMessages(
  scope: Scope,
  { first, end }: DayRange,
): Promise<{ counts: MessageCount[]; isComplete: boolean }> {
  if (first === end) return { counts: [], isComplete: true }
  const range = { from: first * DAY_MS, to: end * DAY_MS }
  const query = { ...range, groupBy: 'status', by: 'day', timeZone: 'UTC', direction: 'OUTBOUND' } as const
  const { counts, next } = await sumMessages(scope, query)
  return { counts, isComplete: next === null }
}

const NO_MESSAGES = Object.fromEntries(DELIVERY_STATUSES.map(status => [status, 0])) as Record<DeliveryStatus, number>

const countStatuses = (counts: readonly MessageCount[]): Record<DeliveryStatus, number> =>
  ({
    ...NO_MESSAGES,
    ...Object.fromEntries(counts.flatMap(({ status, count }) => (status === null ? [] : [[status, count]]))),
  }) as Record<DeliveryStatus, number>

const NOTHING: UsageFigures = {
  requests: 0,
  failed: 0,
  rowsRead: 0,
  rowsWritten: 0,
  databaseMs: 0,
  jobs: 0,
  jobEntries: 0,
  messages: NO_MESSAGES,
  events: 0,
  webhookDeliveries: 0,
}

const addFigures = (one: UsageFigures, { messages, ...other }: UsageFigures): UsageFigures => ({
  requests: one.requests + other.requests,
  failed: one.failed + other.failed,
  rowsRead: one.rowsRead + other.rowsRead,
  rowsWritten: one.rowsWritten + other.rowsWritten,
  databaseMs: one.databaseMs + other.databaseMs,
  jobs: one.jobs + other.jobs,
  jobEntries: one.jobEntries + other.jobEntries,
  messages: Object.fromEntries(
    DELIVERY_STATUSES.map(status => [status, one.messages[status] + messages[status]]),
  ) as UsageFigures['messages'],
  events: one.events + other.events,
  webhookDeliveries: one.webhookDeliveries + other.webhookDeliveries,
})
