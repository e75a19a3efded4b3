import { readCreatedAt } from '../../../ids.ts'
import { toStatus } from '../../fields.ts'
import { isAbove } from '../plan/value-order.ts'
import type { QueryField } from '../read/condition.ts'
import { isCreation, isSameField } from '../read/condition.ts'
import { formatFirstDay } from './calendar.ts'
import type { GroupField, MetricName, ParsedAggregate } from './parsed-aggregate.ts'
import type { StepRow } from './step.ts'

/** The number of groups, which are held in memory and in the cursor. More are refused. */
export const GROUPS_MAX = 10_000
/** The characters of the texts of all groups together: more are refused, because an isolate has not the memory for them. */
export const GROUPS_CHARACTERS_MAX = 8_000_000

type GroupValue = string | number | boolean | null

/** A sum: its total, what rounding has lost of it so far, and how many numbers it adds. */
type Sum = [total: number, lost: number, numbers: number]
type Extremes = [least: string | number | null, greatest: string | number | null]

export interface GroupFigures {
  values: GroupValue[]
  count: number
  /** The sums of each field in `listSummedFields`. */
  sums: Sum[]
  /** The extremes of each field in `listExtremeFields`. */
  extremes: Extremes[]
}

const listFields = ({ metrics }: ParsedAggregate, names: readonly MetricName[]): QueryField[] => {
  const fields = metrics.filter(({ metric }) => names.includes(metric)).map(({ field }) => field)
  return fields.filter((field, nth) => fields.findIndex(other => isSameField(field, other)) === nth)
}

/** Lists the fields whose numbers are summed, each once. */
export const listSummedFields = (parsed: ParsedAggregate): QueryField[] => listFields(parsed, ['sum', 'avg'])
/** Lists the fields whose least and greatest values are looked for, each once. */
export const listExtremeFields = (parsed: ParsedAggregate): QueryField[] => listFields(parsed, ['min', 'max'])

/** Converts a row of the database into the figures of a group. */
export function toGroup(row: StepRow, parsed: ParsedAggregate): GroupFigures {
  return {
    values: parsed.groups.map((group, nth) => toGroupValue(row[`v${nth}`] ?? null, group)),
    count: row.n,
    sums: listSummedFields(parsed).map((_, nth) => [Number(row[`t${nth}`] ?? Number.NaN), 0, Number(row[`c${nth}`])]),
    extremes: listExtremeFields(parsed).map((field, nth) => {
      const [least, greatest] = [row[`l${nth}`] ?? null, row[`h${nth}`] ?? null]
      return isCreation(field) ? [toTime(least), toTime(greatest)] : [least, greatest]
    }),
  }
}

const toTime = (rid: string | number | null): number | null => (rid === null ? null : readCreatedAt(Number(rid)))

/** Converts a value into that of a response. A field without a column of its own comes as JSON. */
function toGroupValue(raw: string | number | null, { field, calendar, type, isJson }: GroupField): GroupValue {
  if (raw === null) return null
  if (calendar !== null) return formatFirstDay(calendar.unit, raw)
  if (field.root === 'status') return toStatus(Number(raw))
  if (isJson) return JSON.parse(String(raw)) as GroupValue
  return type === 'boolean' && typeof raw === 'number' ? raw === 1 : raw
}

/** The figures so far, by the values of each group. */
export type Figures = Map<string, GroupFigures>

const toKey = ({ values }: GroupFigures): string => JSON.stringify(values)

export function addGroup(figures: Figures, group: GroupFigures): void {
  const existing = figures.get(toKey(group))
  if (existing === undefined) {
    figures.set(toKey(group), group)
    return
  }
  existing.count += group.count
  existing.sums = existing.sums.map((sum, nth) => addSums(sum, group.sums[nth]))
  existing.extremes = existing.extremes.map(([least, greatest], nth) => {
    const [low = null, high = null] = group.extremes[nth] ?? []
    return [chooseFirst(least, low), chooseFirst(high, greatest, true)]
  })
}

/** Adds sums by Neumaier's algorithm: what rounding loses of the total is added at the end. */
function addSums([total, lost, numbers]: Sum, [more, moreLost, moreNumbers]: Sum = [0, 0, 0]): Sum {
  const sum = total + more
  const rounding = Math.abs(total) >= Math.abs(more) ? total - sum + more : more - sum + total
  return [sum, lost + moreLost + rounding, numbers + moreNumbers]
}

function chooseFirst<Value extends string | number | null>(one: Value, other: Value, isLast = false): Value {
  if (one === null || other === null) return one ?? other
  return isAbove(one, other) === isLast ? one : other
}

/** Counts processes that have no index entry, and so no value of any field that is read. */
export function addRest(figures: Figures, parsed: ParsedAggregate, count: number): void {
  if (count <= 0) return
  addGroup(figures, { ...createEmptyGroup(parsed), count })
}

export const createEmptyGroup = (parsed: ParsedAggregate): GroupFigures => ({
  values: parsed.groups.map(() => null),
  count: 0,
  sums: listSummedFields(parsed).map(() => [0, 0, 0]),
  extremes: listExtremeFields(parsed).map(() => [null, null]),
})

/** Counts the characters of the texts of all groups. */
export function countCharacters(figures: Figures): number {
  let count = 0
  for (const { values, extremes } of figures.values())
    for (const value of [...values, ...extremes.flat()]) if (typeof value === 'string') count += value.length
  return count
}

/** Drops all but the largest groups and the one that may still grow. Returns the number dropped; nothing may be added to those later. */
export function dropSmallest(figures: Figures, growing: GroupFigures | undefined): number {
  if (figures.size <= GROUPS_MAX) return 0
  const kept = growing && toKey(growing)
  const smallest = sortGroups(figures).slice(GROUPS_MAX).map(toKey)
  const dropped = smallest.filter(key => key !== kept)
  for (const key of dropped) figures.delete(key)
  return dropped.length
}

/** Sorts groups: the largest first, then by their values, with unset values last. */
export function sortGroups(figures: Figures): GroupFigures[] {
  return [...figures.values()].sort((one, other) => other.count - one.count || compareValues(one.values, other.values))
}

function compareValues(values: readonly GroupValue[], others: readonly GroupValue[]): number {
  for (const [nth, value] of values.entries()) {
    const other = others[nth] ?? null
    if (value === other) continue
    if (value === null) return 1
    if (other === null) return -1
    return isAbove(toOrdered(value), toOrdered(other)) ? 1 : -1
  }
  return 0
}

const toOrdered = (value: string | number | boolean): string | number =>
  typeof value === 'boolean' ? Number(value) : value

export type GroupResponse = { group: Record<string, GroupValue>; count?: number } & {
  [Name in MetricName]?: Record<string, string | number | null>
}

/** Converts figures into a group of a response. */
export function viewGroup(group: GroupFigures, parsed: ParsedAggregate): GroupResponse {
  const [numbers, ordered] = [listSummedFields(parsed), listExtremeFields(parsed)]
  const figure = (metric: MetricName, field: QueryField): string | number | null => {
    const [total, lost, count] = group.sums[numbers.findIndex(each => isSameField(each, field))] ?? [0, 0, 0]
    if (metric === 'sum') return toFinite(total + lost)
    if (metric === 'avg') return count === 0 ? null : toFinite((total + lost) / count)
    const [least, greatest] = group.extremes[ordered.findIndex(each => isSameField(each, field))] ?? [null, null]
    return metric === 'min' ? least : greatest
  }
  const view: GroupResponse = {
    group: Object.fromEntries(parsed.groups.map(({ name }, nth) => [name, group.values[nth] ?? null])),
    ...(parsed.counts ? { count: group.count } : {}),
  }
  for (const { metric, name, field } of parsed.metrics)
    view[metric] = { ...view[metric], [name]: figure(metric, field) }
  return view
}

/** Replaces what a JSON number cannot hold by null. */
const toFinite = (number: number): number | null => (Number.isFinite(number) ? number : null)
