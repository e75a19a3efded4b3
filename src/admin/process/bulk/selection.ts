import type { Process, Query } from 'caseworker'
import type { BulkTarget } from './target.ts'

/** Rows that were chosen one by one, or all that match but some. Chosen rows are kept whole: their pages may be dropped. */
export type Selection =
  | { kind: 'some'; rows: ReadonlyMap<string, Process> }
  | { kind: 'all'; except: ReadonlySet<string> }

export const NOTHING_SELECTED: Selection = { kind: 'some', rows: new Map() }
export const ALL_SELECTED: Selection = { kind: 'all', except: new Set() }
/** Left out of all that match: each is a value of the query. */
export const EXCEPTIONS_MAX = 100
/** Of one stretch: the rows between are read. */
export const RANGE_ROWS_MAX = 1_000

export const isChosen = (selection: Selection, id: string): boolean =>
  selection.kind === 'some' ? selection.rows.has(id) : !selection.except.has(id)

/** With some rows more, or without them. */
export function withRows(selection: Selection, rows: readonly Process[], isOn: boolean): Selection {
  if (selection.kind === 'some') {
    const chosen = new Map(selection.rows)
    for (const row of rows) {
      if (isOn) chosen.set(row.id, row)
      else chosen.delete(row.id)
    }
    return { kind: 'some', rows: chosen }
  }
  const except = new Set(selection.except)
  for (const { id } of rows) {
    if (isOn) except.delete(id)
    else except.add(id)
  }
  return { kind: 'all', except }
}

/** How many are chosen; `matching` is how many match, as far as that is known. */
export const chosenCount = (selection: Selection, matching: number | undefined): number =>
  selection.kind === 'some' ? selection.rows.size : Math.max(0, (matching ?? 0) - selection.except.size)

const isEmptyQuery = (where: Query | undefined): boolean => where === undefined || Object.keys(where).length === 0

/** A filter, and none of these processes. */
export function without(where: Query | undefined, ids: readonly string[]): Query | undefined {
  if (ids.length === 0) return where
  const others: Query = { id: { '!=': [...ids] } }
  return isEmptyQuery(where) ? others : { and: [where ?? {}, others] }
}

/** What a bulk request is for. */
export const targetOf = (selection: Selection, where: Query | undefined): BulkTarget =>
  selection.kind === 'some'
    ? { kind: 'some', processes: [...selection.rows.values()] }
    : { kind: 'all', where: without(where, [...selection.except]) }
