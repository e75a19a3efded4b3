import { readCreatedAt } from '../../src/ids.ts'
import { ATTRIBUTE_TYPES } from '../../src/procedure/model.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { compareValues, matchesQuery, type QueryContext, stored } from './oracle.ts'
import type { Known } from './stored.ts'

/**
 * An aggregation of figures, computed as plainly as possible to compare the database with. It knows valid requests
 * only.
 */
export interface AskedFigures {
  where: Record<string, unknown>
  groupBy: (string | { field: string; by: 'day' | 'week' | 'month'; timeZone: string })[]
  metrics: { metric: 'sum' | 'avg' | 'min' | 'max'; field: string }[]
}

export interface Expected {
  group: Record<string, unknown>
  count: number
  figures: Record<string, unknown>
}

interface Members {
  group: Record<string, unknown>
  members: Known[]
}

export function expectedGroups(context: QueryContext, processes: Known[], asked: AskedFigures): Expected[] {
  const groups = new Map<string, Members>()
  for (const process of processes.filter(each => matchesQuery(context, each, asked.where))) {
    const entries = asked.groupBy.map(each => {
      if (typeof each === 'string') return [each, plainValue(stored(process, each))]
      return [each.field, toDate(context, process, each)]
    })
    const key = JSON.stringify(entries)
    const known: Members = groups.get(key) ?? { group: Object.fromEntries(entries), members: [] }
    known.members.push(process)
    groups.set(key, known)
  }
  if (asked.groupBy.length === 0 && groups.size === 0) groups.set('', { group: {}, members: [] })
  return [...groups.values()].map(({ group, members }) => ({
    group,
    count: members.length,
    figures: Object.fromEntries(
      asked.metrics.map(({ metric, field }) => [`${metric} ${field}`, figure(context, members, metric, field)]),
    ),
  }))
}

const TEXT_MAX = 1_000
const ROUNDING = 1e-12

/** A sum, and how far another order of adding its numbers up may lead from it. */
export class Near {
  readonly value: number
  readonly within: number

  constructor(value: number, within: number) {
    this.value = value
    this.within = within
  }

  /** Numbers that exceed their range are not compared. */
  isNear(other: unknown): boolean {
    if (!Number.isFinite(this.within / ROUNDING)) return true
    return typeof other === 'number' && Math.abs(other - this.value) <= this.within
  }
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return Array.from(value).slice(0, TEXT_MAX).join('')
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}

function figure(context: QueryContext, members: Known[], metric: string, field: string): unknown {
  const kind = getKind(context, field)
  const values = members.map(each => stored(each, field))
  if (metric === 'sum' || metric === 'avg') {
    const numbers = values
      .filter(each => typeof each === 'number')
      .sort((one, other) => Math.abs(one) - Math.abs(other))
    const sum = numbers.reduce((total, each) => total + each, 0)
    const within = numbers.reduce((total, each) => total + Math.abs(each), 0) * ROUNDING
    if (metric === 'sum') return new Near(sum, within)
    return numbers.length === 0 ? null : new Near(sum / numbers.length, within / numbers.length)
  }
  const ordered = values.filter(
    each => (typeof each === 'number' && kind !== 'text') || (typeof each === 'string' && kind !== 'number'),
  )
  ordered.sort(compareValues)
  return (metric === 'min' ? ordered[0] : ordered.at(-1)) ?? null
}

function getKind({ procedure }: QueryContext, field: string): string | undefined {
  const type = procedure.attributes.find(each => each.shortId === field)?.type
  return type === undefined ? undefined : ATTRIBUTE_TYPES[type]
}

function toDate(
  context: QueryContext,
  process: Known,
  { field, by, timeZone }: { field: string; by: 'day' | 'week' | 'month'; timeZone: string },
): string | null {
  const value = field === 'createdAt' ? readCreatedAt(process.rid) : stored(process, field)
  const day = toDay(context.procedure.attributes.find(each => each.shortId === field)?.type, value, timeZone)
  if (day === null || by === 'day') return day
  if (by === 'month') return `${day.slice(0, 7)}-01`
  const date = new Date(day)
  const sinceMonday = (date.getUTCDay() + 6) % 7
  return new Date(date.getTime() - sinceMonday * DAY_MS).toISOString().slice(0, 10)
}

function toDay(type: string | undefined, value: unknown, timeZone: string): string | null {
  if (typeof value === 'number' && type !== 'datetimeISO8601') {
    if (value < Date.parse('0001-01-01T00:00:00Z') || value > Date.parse('9999-12-31T23:59:59.999Z')) return null
    return localDay(Math.trunc(value), timeZone)
  }
  if (typeof value !== 'string') return null
  if (type === 'date') return /^\d{4}-\d{2}-\d{2}/.test(value) ? value.slice(0, 10) : null
  if (type !== 'datetimeISO8601' || !/^\d{4}-\d{2}-\d{2}T/.test(value)) return null
  return /(Z|[+-]\d{2}:?\d{2})$/.test(value) ? localDay(Date.parse(value), timeZone) : value.slice(0, 10)
}

/** The day of a time zone, as `Intl` writes it. */
function localDay(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    era: 'short',
  })
    .formatToParts(ms)
    .map(({ type, value }) => [type, value])
  const { year, month, day } = Object.fromEntries(parts)
  return `${String(year).padStart(4, '0')}-${month}-${day}`
}
