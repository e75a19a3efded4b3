import type { BulkUpdateProcessesBody, Process, Query, UpdateProcessByIdBody } from 'caseworker'

/** Rows that were chosen one by one, or all that match but some. Chosen rows are kept whole: their pages may be dropped. */
export type Selection =
  | { kind: 'some'; rows: ReadonlyMap<string, Process> }
  | { kind: 'all'; except: ReadonlySet<string> }

export const NOTHING_SELECTED: Selection = { kind: 'some', rows: new Map() }
export const ALL_SELECTED: Selection = { kind: 'all', except: new Set() }
/** Left out of all that match: each is a value of the query. */
export const EXCEPTIONS_MAX = 100
/** The largest range of rows that is selected at once, because those in between are loaded. */
export const RANGE_ROWS_MAX = 1_000

export const isChosen = (selection: Selection, id: string): boolean =>
  selection.kind === 'some' ? selection.rows.has(id) : !selection.except.has(id)

/** Returns the selection with these rows added or removed. */
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

/** Counts the selected processes; `matching` is the number of matches, if it is known. */
export const countChosen = (selection: Selection, matching: number | undefined): number =>
  selection.kind === 'some' ? selection.rows.size : Math.max(0, (matching ?? 0) - selection.except.size)

const isEmptyQuery = (where: Query | undefined): boolean => where === undefined || Object.keys(where).length === 0

/** A filter, and none of these processes. */
function without(where: Query | undefined, ids: readonly string[]): Query | undefined {
  if (ids.length === 0) return where
  const others: Query = { id: { '!=': [...ids] } }
  return isEmptyQuery(where) ? others : { and: [where ?? {}, others] }
}

/** Converts a selection for a bulk request. */
export const toTarget = (selection: Selection, where: Query | undefined): BulkTarget =>
  selection.kind === 'some'
    ? { kind: 'some', processes: [...selection.rows.values()] }
    : { kind: 'all', where: without(where, [...selection.except]) }

/** The processes of a bulk request: some, or all matches of the filter. */
export type BulkTarget = { kind: 'some'; processes: readonly Process[] } | { kind: 'all'; where: Query | undefined }

type BulkChange = UpdateProcessByIdBody | { isDeleted: true }

/** The body of the request, exactly as it is shown before it is sent. */
export function buildBulkBody(target: BulkTarget, update: BulkChange): BulkUpdateProcessesBody {
  if (target.kind === 'some') return { processes: target.processes.map(({ id }) => ({ id, update })) }
  // A query that matches everything is refused unless it says that it is meant: the reader has seen the count.
  return { where: target.where ?? {}, update, ...(target.where === undefined ? { all: true } : {}) }
}

/** The most ids of a selection in the address of the page that sends: longer addresses are cut on the way. */
export const SENT_BY_HAND_MAX = 200

/** The same as a filter; undefined where there are too many. */
export function toTargetQuery(target: BulkTarget): { where: Query | undefined } | undefined {
  if (target.kind === 'all') return { where: target.where }
  if (target.processes.length > SENT_BY_HAND_MAX) return undefined
  return { where: { id: target.processes.map(({ id }) => id) } }
}
