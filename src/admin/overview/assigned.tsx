import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Procedure, Process } from 'caseworker'
import { useConfig, useMe } from '../api/me.ts'
import { formatProcessName, getStateName } from '../api/procedure.ts'
import { read } from '../api/read.ts'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/page.tsx'
import { FailureNote, Loading } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { buildOpenQuery, sortByNextAction } from './assigned-processes.ts'

/** Each procedure costs a list, and a count where it has more. */
const PROCEDURES_LOOKED_AT_MAX = 12
const SHOWN = 8

interface AssignedProcess {
  procedure: Procedure
  process: Process
}

/** The open processes of the reader, due soonest first, and how many there are of each procedure. */
function useAssigned() {
  const { user } = useMe()
  const config = useConfig()
  const procedures = (config?.procedures ?? []).slice(0, PROCEDURES_LOOKED_AT_MAX)
  const where = buildOpenQuery(user.id)
  const lists = useQueries({
    queries: procedures.map(({ shortId }) =>
      read('listProcesses', {
        path: { procedureShortId: shortId },
        body: { where, sort: [{ field: 'nextActionAt', order: 'asc' }], limit: SHOWN },
      }),
    ),
  })
  // A complete list has its own count.
  const counts = useQueries({
    queries: procedures.map(({ shortId }, nth) => ({
      ...read('countProcesses', { path: { procedureShortId: shortId }, query: { where: JSON.stringify(where) } }),
      enabled: lists[nth]?.data?.meta.hasMore === true,
    })),
  })
  const assigned = procedures.flatMap((procedure, nth) =>
    (lists[nth]?.data?.data ?? []).map((process): AssignedProcess => ({ procedure, process })),
  )
  const all = [...lists, ...counts]
  return {
    where,
    soonest: sortByNextAction(assigned).slice(0, SHOWN),
    of: procedures
      .map((procedure, nth) => {
        const list = lists[nth]?.data
        return { procedure, count: (list?.meta.hasMore ? counts[nth]?.data?.data.count : list?.data.length) ?? 0 }
      })
      .filter(({ count }) => count > 0),
    isReading: config === undefined || all.some(({ isLoading }) => isLoading),
    error: all.find(({ error }) => error)?.error,
  }
}

/** Lists what the reader has to do next; each procedure leads to all of the reader's processes. */
export function AssignedToMe() {
  const { where, soonest, of, isReading, error } = useAssigned()
  return (
    <Card
      title="Assigned to me"
      actions={
        <span className="flex flex-wrap justify-end gap-x-3 text-[13px] text-ink-2">
          {of.map(({ procedure: { shortId, name }, count }) => (
            <Link
              key={shortId}
              to="/procedure/$procedureShortId/process"
              params={{ procedureShortId: shortId }}
              search={{ where, sort: 'nextActionAt' }}
              className="hover:underline"
            >
              {`${name} ${count.toLocaleString()}`}
            </Link>
          ))}
        </span>
      }
    >
      {error ? (
        <FailureNote error={error} />
      ) : isReading ? (
        <Loading lines={4} />
      ) : soonest.length === 0 ? (
        <p className="py-4 text-ink-2">Nothing that is open is assigned to you.</p>
      ) : (
        <ul className="flex flex-col gap-2.5">
          {soonest.map(each => (
            <AssignedProcess key={each.process.id} {...each} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function AssignedProcess({ procedure, process }: AssignedProcess) {
  const { id, state, nextActionAt } = process
  return (
    <li className="flex items-baseline gap-2">
      <Link
        to="/procedure/$procedureShortId/process/$id"
        params={{ procedureShortId: procedure.shortId, id }}
        className="min-w-0 truncate font-medium hover:underline"
      >
        {formatProcessName(procedure, process)}
      </Link>
      <span className="min-w-0 flex-1 truncate text-[13px] text-ink-2">{procedure.name}</span>
      <Badge>{getStateName(procedure, state)}</Badge>
      <span
        className={`min-w-20 text-right text-[13px] ${nextActionAt !== null && nextActionAt < Date.now() ? 'text-bad' : 'text-ink-2'}`}
      >
        {nextActionAt === null ? 'not due' : <Time at={nextActionAt} isRelative />}
      </span>
    </li>
  )
}
