import type { Process, Query } from 'caseworker'

/** Builds the query of open processes that are assigned to a user. */
export const buildOpenQuery = (user: string): Query => ({ status: 'OPEN', assignedTo: user })

/** Sorts by the next action; processes without one come last, newest first. */
export const sortByNextAction = <Of extends { process: Pick<Process, 'nextActionAt' | 'createdAt'> }>(
  listed: readonly Of[],
): Of[] =>
  listed.toSorted(
    ({ process: one }, { process: other }) =>
      (one.nextActionAt ?? Number.POSITIVE_INFINITY) - (other.nextActionAt ?? Number.POSITIVE_INFINITY) ||
      other.createdAt - one.createdAt,
  )
