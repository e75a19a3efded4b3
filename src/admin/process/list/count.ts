import { useQuery } from '@tanstack/react-query'
import type { Query } from 'caseworker'
import { call } from '../../api/client.ts'

/** Builds the query of the number of matches; a count that takes long is continued until it is complete. */
const countQuery = (procedureShortId: string, where: Query | undefined) => ({
  queryKey: ['countProcesses', { procedureShortId, where }] as const,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<number> => {
    const path = { procedureShortId }
    const filter = where === undefined ? {} : { where: JSON.stringify(where) }
    for (let cursor: string | undefined; ; ) {
      const query = { ...filter, ...(cursor === undefined ? {} : { cursor }) }
      const { data, meta } = await call('countProcesses', { path, query }, { signal })
      if (meta.isComplete || meta.next === null) return data.count
      cursor = meta.next
    }
  },
})

export const useCount = (procedureShortId: string, where: Query | undefined, isWanted = true) =>
  useQuery({ ...countQuery(procedureShortId, where), enabled: isWanted })

/** Builds the query of the number of processes in each state. */
export const stateCountsQuery = (procedureShortId: string, where: Query | undefined) => ({
  queryKey: ['aggregateProcesses', { procedureShortId, where }] as const,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Record<string, number>> => {
    const path = { procedureShortId }
    const body = { groupBy: ['state'], limit: STATES_MAX, ...(where && { where }) }
    for (let cursor: string | undefined; ; ) {
      const { data, meta } = await call('aggregateProcesses', { path, body: { ...body, cursor } }, { signal })
      if (meta.isComplete || meta.next === null)
        return Object.fromEntries(data.map(({ group, count }) => [String(group.state), count ?? 0]))
      cursor = meta.next
    }
  },
})

/** The most states of a procedure. */
const STATES_MAX = 200
