import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BackgroundJobEntry, EntryCounts } from 'caseworker'
import { createJobsClient } from 'caseworker/jobs'
import { call } from '../api/client.ts'
import { useConfig } from '../api/me.ts'
import { attributeWords, type FaultWords } from '../parts/attribute/fault-words.ts'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'

interface FailureGroupsProps {
  jobId: string
  procedureId: string | null
  counts: EntryCounts
}

/** Why entries failed, by reason, with an example of its words; each leads to its entries. */
export function FailureGroups({ jobId, procedureId, counts }: FailureGroupsProps) {
  const words = useAttributeWords(procedureId)
  const { query, failed } = useFailureGroups(jobId, counts)
  return (
    <Card title="Why entries failed">
      <Loaded query={query} lines={2}>
        {({ groups, looked }) => (
          <>
            <ul className="flex flex-col gap-0.5">
              {groups.map(({ key, code, message, status, entries }) => (
                <li key={key}>
                  <Link
                    to="/background-job/$jobId"
                    params={{ jobId }}
                    search={{ entries: status, why: key }}
                    hash="entries"
                    className="-mx-2 flex items-baseline gap-3 rounded-md px-2 py-1 hover:bg-hover"
                  >
                    <b className="min-w-12 text-right font-semibold">{entries.length.toLocaleString()}</b>
                    <span className="min-w-0 break-words">
                      {words({ message })} {code && <code className="text-xs text-ink-2">{code}</code>}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
            {looked < failed && (
              <p className="mt-2 text-[13px] text-ink-2">{`Of the first ${looked.toLocaleString()} failures.`}</p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

interface EntryFailures {
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
    for await (const entry of createJobsClient(call).results(jobId, { completionStatus: status, signal })) {
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

/** Reasons with the names of the procedure's attributes; entries of several procedures keep theirs. */
export function useAttributeWords(procedureId: string | null): FaultWords {
  const procedure = useConfig()?.procedures.find(({ id }) => id === procedureId)
  return procedure ? attributeWords(procedure) : ({ message }) => message
}
