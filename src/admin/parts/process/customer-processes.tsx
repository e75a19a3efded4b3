import { useInfiniteQuery } from '@tanstack/react-query'
import type { Procedure, Process } from 'caseworker'
import type { ReactNode } from 'react'
import { formatProcessName, getStateName } from '../../api/procedure.ts'
import { listRows, readPages } from '../../api/read.ts'
import { Badge, Status } from '../badge.tsx'
import { Button } from '../button.tsx'
import { Go } from '../go.tsx'
import { Card } from '../page.tsx'
import { Empty, Loaded } from '../states.tsx'
import { Time } from '../time.tsx'

interface CustomerProcessesProps {
  recordId: string
  procedures: readonly Procedure[]
  /** The process whose page it is. */
  current?: string
}

/** The processes of a customer, of all procedures, newest first. */
export function CustomerProcesses({ recordId, procedures, current }: CustomerProcessesProps) {
  const path = { recordId }
  const processes = useInfiniteQuery(
    readPages('listProcessesOfRecord', cursor => ({ path, query: { cursor, limit: 25 } })),
  )
  return (
    <Card isBare>
      <Loaded query={processes}>
        {data => {
          const rows = listRows(data)
          if (rows.length === 0)
            return (
              <Empty icon="list" title="No processes">
                Nothing was begun for this customer.
              </Empty>
            )
          return (
            <>
              <ul>
                {rows.map(process => (
                  <ProcessLine
                    key={process.id}
                    process={process}
                    procedure={procedures.find(({ id }) => id === process.procedure)}
                    isCurrent={process.id === current}
                  />
                ))}
              </ul>
              {processes.hasNextPage && (
                <div className="border-t border-line p-3 text-center">
                  <Button isPending={processes.isFetchingNextPage} onClick={() => void processes.fetchNextPage()}>
                    Older processes
                  </Button>
                </div>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

interface ProcessLineProps {
  process: Process
  procedure: Procedure | undefined
  isCurrent?: boolean
  /** The kind of the event, before the process. */
  mark?: ReactNode
}

/** A process in a list of those of a customer. */
export function ProcessLine({ process, procedure, isCurrent = false, mark }: ProcessLineProps) {
  const name = formatProcessName(procedure, process)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 last:border-0">
      {mark}
      {isCurrent ? (
        <span className="font-medium">{name}</span>
      ) : (
        <Go to={`/procedure/${process.procedureShortId}/process/${process.id}`} className="font-medium hover:underline">
          {name}
        </Go>
      )}
      <span className="text-[13px] text-ink-2">{procedure?.name ?? process.procedureShortId}</span>
      <Status of={process.status} />
      <Badge>{getStateName(procedure ?? { states: [] }, process.state)}</Badge>
      {isCurrent && <span className="text-[13px] text-ink-3">this one</span>}
      <span className="ml-auto text-[13px] text-ink-2">
        <Time at={process.createdAt} isRelative />
      </span>
    </li>
  )
}
