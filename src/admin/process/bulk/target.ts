import type { BulkUpdateProcessesBody, Process, Query, UpdateProcessByIdBody } from 'caseworker'

/** Which processes a bulk request is for: some, or all that the filter matches. */
export type BulkTarget = { kind: 'some'; processes: readonly Process[] } | { kind: 'all'; where: Query | undefined }

type Wanted = UpdateProcessByIdBody | { isDeleted: true }

/** The body of the request, exactly as it is shown before it is sent. */
export function bulkBodyOf(target: BulkTarget, update: Wanted): BulkUpdateProcessesBody {
  if (target.kind === 'some') return { processes: target.processes.map(({ id }) => ({ id, update })) }
  // A query that matches everything is refused unless it says that it is meant: the reader has seen the count.
  return { where: target.where ?? {}, update, ...(target.where === undefined ? { all: true } : {}) }
}

/** Chosen by hand, they stand in the address of the page that sends: longer ones are cut off on the way. */
export const SENT_BY_HAND_MAX = 200

/** The same as a filter; undefined where there are too many. */
export function queryOfTarget(target: BulkTarget): { where: Query | undefined } | undefined {
  if (target.kind === 'all') return { where: target.where }
  if (target.processes.length > SENT_BY_HAND_MAX) return undefined
  return { where: { id: target.processes.map(({ id }) => id) } }
}
