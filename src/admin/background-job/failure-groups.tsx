import { Link } from '@tanstack/react-router'
import type { EntryCounts } from 'caseworker'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { useAttributeWords } from './use-attribute-words.ts'
import { useFailureGroups } from './use-failure-groups.ts'

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
