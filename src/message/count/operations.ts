import { type Fault, invalid } from '../../errors.ts'
import { readRowCursor, writeRowCursor } from '../../http/request/row-cursor.ts'
import { RID_TAIL, readCreatedAt } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { DAY_MS } from '../../time-units.ts'
import { toDeliveryStatus } from '../rules.ts'
import { requireTemplate, resolveNames } from './filter-names.ts'
import { groupColumn } from './groups.ts'
import { countWindow, lowestRidAt, QUARTER_HOUR_MS, type ScanWindow } from './scan.ts'
import { COUNTED_DAYS_MAX, type MessageCount, type MessageCountQuery } from './schema.ts'

const DAYS_DEFAULT = 30
/** About 10 ms of the database. */
const STEP_ROWS = 10_000
const TIME_MS = 3_000

interface CountedMessages {
  counts: MessageCount[]
  next: string | null
}

/** What there is no time for goes on by a cursor: the counts of all pages are to be added up. */
export async function sumMessages(scope: Scope, query: MessageCountQuery): Promise<CountedMessages> {
  const { from, to } = toRange(query, scope.now)
  const filter = await resolveNames(scope, query)
  const sums = new Map<string, MessageCount>()
  const getDay = dayNames(query.timeZone)
  const endsAt = Date.now() + TIME_MS
  const [first, end] = [lowestRidAt(from), lowestRidAt(to)]
  let before: number | null = Math.min(end, readRowCursor(query.cursor))
  do {
    const window: ScanWindow = { before, from: first, rows: STEP_ROWS }
    const [found] = await scope.db.read(countWindow(scope, filter, window, groupColumn(query.groupBy)))
    for (const { quarter, group, count } of found) {
      if (count === 0) continue
      const day =
        query.by === undefined ? null : getDay(readCreatedAt(Math.floor(quarter) * QUARTER_HOUR_MS * RID_TAIL))
      const key = JSON.stringify([day, group])
      const sum = sums.get(key) ?? { ...NO_GROUP, ...toGroup(query.groupBy, group), day, count: 0 }
      sum.count += count
      sums.set(key, sum)
    }
    const isFull = found.reduce((sum, { rows }) => sum + rows, 0) === STEP_ROWS
    before = isFull ? Math.min(...found.map(({ lowest }) => lowest)) : null
  } while (before !== null && Date.now() < endsAt)
  if (sums.size === 0 && before === null && query.cursor === undefined) await requireTemplate(scope, filter)
  const counts = [...sums.values()].sort((one, other) => (one.day ?? '').localeCompare(other.day ?? ''))
  return { counts, next: before === null ? null : writeRowCursor(before) }
}

const NO_GROUP = { status: null, plugin: null, template: null }

const toGroup = (name: MessageCountQuery['groupBy'], value: string | number | null): Partial<MessageCount> =>
  name === 'status' ? { status: toDeliveryStatus(Number(value)) } : { [name]: value }

function toRange({ from, to }: MessageCountQuery, now: number): { from: number; to: number } {
  const until = to ?? now + DAY_MS
  const since = from ?? Math.min(until, now) - DAYS_DEFAULT * DAY_MS
  const faults: Fault[] = []
  if (since > until) faults.push({ message: '`from` is later than `to`', path: '/query/from' })
  if ((to ?? now) - since > COUNTED_DAYS_MAX * DAY_MS)
    faults.push({ message: `messages of at most ${COUNTED_DAYS_MAX} days are counted`, path: '/query/from' })
  if (faults.length > 0) throw invalid(faults)
  return { from: since, to: until }
}

/** The day that a time belongs to in a time zone, as 2026-11-22. */
function dayNames(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return ms => format.format(ms)
}
