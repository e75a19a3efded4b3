import type { Process, Query } from 'caseworker'

/** What is open and somebody's. */
export const buildOpenQuery = (user: string): Query => ({ status: 'OPEN', assignedTo: user })

/** Whose next action comes first; what has none is last, the newest of it first. */
export const sortByNextAction = <Of extends { process: Pick<Process, 'nextActionAt' | 'createdAt'> }>(
  listed: readonly Of[],
): Of[] =>
  listed.toSorted(
    ({ process: one }, { process: other }) =>
      (one.nextActionAt ?? Number.POSITIVE_INFINITY) - (other.nextActionAt ?? Number.POSITIVE_INFINITY) ||
      other.createdAt - one.createdAt,
  )
