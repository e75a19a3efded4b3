import { useQueries } from '@tanstack/react-query'
import type { Procedure, Query } from 'caseworker'
import { useConfig } from '../api/me.ts'
import { read } from '../api/read.ts'

/** Each procedure costs a count. */
const PROCEDURES_LOOKED_AT_MAX = 12

export interface DueProcesses {
  procedure: Procedure
  where: Query
  count: number
}

/** The open processes whose next action has come, by procedure: the most first. */
export function useDue(): { due: DueProcesses[]; isReading: boolean; error: unknown } {
  const config = useConfig()
  const procedures = (config?.procedures ?? []).slice(0, PROCEDURES_LOOKED_AT_MAX)
  const where = { status: 'OPEN', nextActionAt: { '<=': { now: 'P0D' } } }
  const counts = useQueries({
    queries: procedures.map(({ shortId }) =>
      read('countProcesses', { path: { procedureShortId: shortId }, query: { where: JSON.stringify(where) } }),
    ),
  })
  const due = procedures
    .map((procedure, nth) => ({ procedure, where, count: counts[nth]?.data?.data.count ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
  return {
    due,
    isReading: config === undefined || counts.some(({ isLoading }) => isLoading),
    error: counts.find(({ error }) => error)?.error,
  }
}
