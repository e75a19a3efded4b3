import { useQuery } from '@tanstack/react-query'
import type { Procedure, UpdateProcessByIdBody } from 'caseworker'
import { nameOfState, statesAfter } from '../../api/procedure.ts'
import { Icon } from '../../parts/icon.tsx'
import { stateCountsQuery } from '../list/count.ts'
import type { BulkTarget } from './target.ts'

interface BulkPreviewProps {
  procedure: Procedure
  target: BulkTarget
  count: number
  update: UpdateProcessByIdBody
}

/** What will come of it: how many, and how many of them the definition does not let into the new state. */
export function BulkPreview({ procedure, target, count, update }: BulkPreviewProps) {
  const state = update.state ?? (update.status === 'COMPLETED' ? procedure.completedState : undefined)
  const where = target.kind === 'all' ? target.where : undefined
  const counted = useQuery({
    ...stateCountsQuery(procedure.shortId, where),
    enabled: target.kind === 'all' && state !== undefined,
  })
  const states = target.kind === 'all' ? counted.data : countsOf(target.processes.map(each => each.state))
  const refused =
    state === undefined || !states
      ? []
      : Object.entries(states).filter(([from]) => from !== state && !statesAfter(procedure, from).includes(state))
  const refusedCount = refused.reduce((sum, [, each]) => sum + each, 0)
  return (
    <div role="status" className="flex flex-col gap-1 rounded-md bg-sunken p-3 text-[13px]">
      <p>
        <b className="font-medium">{count.toLocaleString()}</b>{' '}
        {target.kind === 'all' ? 'match now. Those that match when the job runs are changed.' : 'are selected.'}
      </p>
      {state !== undefined && !states && <p className="text-ink-2">Counting by state …</p>}
      {refusedCount > 0 && state !== undefined && (
        <p className="flex items-start gap-1.5">
          <Icon name="alert" className="mt-0.5 text-warn" />
          <span>
            {`${refusedCount.toLocaleString()} will be refused, because they may not become ${nameOfState(procedure, state)}: `}
            {refused.map(([from, each]) => `${nameOfState(procedure, from)} ${each.toLocaleString()}`).join(', ')}
          </span>
        </p>
      )}
      {state !== undefined && states && refusedCount === 0 && (
        <p className="text-ink-2">{`All of them may become ${nameOfState(procedure, state)}.`}</p>
      )}
    </div>
  )
}

function countsOf(states: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
