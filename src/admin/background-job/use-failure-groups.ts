import { useQuery } from '@tanstack/react-query'
import type { BackgroundJobEntry, EntryCounts } from 'caseworker'
import { api } from '../api/client.ts'

export interface EntryFailures {
  /** Stands in the address of its entries. */
  key: string
  code: string
  /** The words of its first entry. */
  message: string
  status: 'ERROR' | 'INVALID'
  entries: BackgroundJobEntry[]
}

/** So many failures are looked at: their kinds are known long before the last one. */
const LOOKED_AT_MAX = 5_000
/** What differs from entry to entry does not make another kind: ids, numbers, and what is quoted. */
const kindOf = (message: string): string =>
  message
    .replace(/"[^"]*"/g, '“…”')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '…')
    .replace(/\b\d+\b/g, '…')

const codeOf = ({ completionResult, validationResult }: BackgroundJobEntry): string => {
  const result = (completionResult ?? validationResult) as { code?: unknown } | null
  return typeof result?.code === 'string' ? result.code : ''
}

async function groupsOf(jobId: string, signal: AbortSignal): Promise<{ groups: EntryFailures[]; looked: number }> {
  const groups = new Map<string, EntryFailures>()
  let looked = 0
  for (const status of ['ERROR', 'INVALID'] as const) {
    for await (const entry of api.jobs.results(jobId, { completionStatus: status, signal })) {
      if (looked === LOOKED_AT_MAX) break
      looked += 1
      const message = entry.completionMessage || entry.validationMessage
      const code = codeOf(entry)
      const key = `${status} ${code} ${kindOf(message)}`
      const group = groups.get(key) ?? { key, code, message, status, entries: [] }
      group.entries.push(entry)
      groups.set(key, group)
    }
  }
  return { groups: [...groups.values()].sort((one, other) => other.entries.length - one.entries.length), looked }
}

/** Why entries of a job failed, the most frequent reason first; read again when more have failed. */
export function useFailureGroups(jobId: string, { ERROR, INVALID }: EntryCounts) {
  const failed = ERROR + INVALID
  const query = useQuery({
    queryKey: ['failureGroups', jobId, failed],
    queryFn: ({ signal }) => groupsOf(jobId, signal),
    enabled: failed > 0,
    placeholderData: before => before,
  })
  return { query, failed }
}
