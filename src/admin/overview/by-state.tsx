import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Procedure } from 'caseworker'
import { read } from '../api/read.ts'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import type { DueProcesses } from './due.ts'

/** Each look reads every process of the procedure: so seldom. */
const SELDOM_MS = 2 * 60_000

/** How many processes are in each state, in the order of the definition; each leads to the list of them. */
export function ByState({ procedure, due }: { procedure: Procedure; due: DueProcesses | undefined }) {
  const path = { procedureShortId: procedure.shortId }
  const groups = useQuery({
    ...read('aggregateProcesses', { path, body: { groupBy: ['state'] } }),
    staleTime: SELDOM_MS,
  })
  return (
    <Card
      title="By state"
      actions={
        <>
          {due && (
            <Link
              to="/procedure/$procedureShortId/process"
              params={{ procedureShortId: procedure.shortId }}
              search={{ where: due.where }}
            >
              <Badge tone="warn">{`${due.count.toLocaleString()} due`}</Badge>
            </Link>
          )}
          <Link
            to="/procedure/$procedureShortId/board"
            params={{ procedureShortId: procedure.shortId }}
            className="text-[13px] text-ink-2 hover:underline"
          >
            Board
          </Link>
        </>
      }
    >
      <Loaded query={groups}>
        {({ data, meta }) => {
          const countOf = (state: string) => data.find(({ group }) => group.state === state)?.count ?? 0
          const most = Math.max(1, ...data.map(({ count = 0 }) => count))
          return (
            <>
              <ul className="flex flex-col gap-2">
                {procedure.states.map(({ shortId, name }) => (
                  <li key={shortId}>
                    <Link
                      to="/procedure/$procedureShortId/process"
                      params={{ procedureShortId: procedure.shortId }}
                      search={{ where: { state: shortId } }}
                      className="grid grid-cols-[9rem_1fr_4rem] items-center gap-3 rounded px-1 hover:bg-hover"
                    >
                      <span className="truncate">{name}</span>
                      <span className="h-2 rounded-full bg-hover">
                        <span
                          className="block h-2 rounded-full bg-chart-1"
                          style={{ width: `${(100 * countOf(shortId)) / most}%` }}
                        />
                      </span>
                      <span className="text-right font-medium">{countOf(shortId).toLocaleString()}</span>
                    </Link>
                  </li>
                ))}
              </ul>
              {!meta.isComplete && (
                <p className="mt-3 text-[13px] text-ink-2">There are more: only part of them was counted in time.</p>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}
