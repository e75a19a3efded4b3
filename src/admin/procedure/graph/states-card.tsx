import type { Procedure } from 'caseworker'
import { nameOfState } from '../../api/procedure.ts'
import { Badge } from '../../parts/badge.tsx'
import { Card } from '../../parts/page.tsx'
import { StateGraph } from './state-graph.tsx'

/** The states as a drawing, and as a list for those who do not see it. */
export function StatesCard({ procedure }: { procedure: Procedure }) {
  const { states, startState, completedState } = procedure
  return (
    <Card title="States">
      <div className="grid grid-cols-1 gap-6 md:grid-cols-[minmax(0,auto)_minmax(0,1fr)]">
        <figure className="min-w-0">
          <StateGraph procedure={procedure} />
          <figcaption className="mt-3 text-center text-[13px] text-ink-2">
            Round: start. Double line: completed.
          </figcaption>
        </figure>
        <ol aria-label="States" className="min-w-0">
          {states.map(({ shortId, name, next, status, startsHere }) => (
            <li key={shortId} className="border-b border-line py-2 first:pt-0 last:border-0">
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="font-medium">{name}</span>
                <code className="text-xs break-all text-ink-2">{shortId}</code>
                {shortId === startState && <Badge tone="info">Start</Badge>}
                {(shortId === completedState || status === 'COMPLETED') && <Badge tone="good">Completed</Badge>}
                {status === 'CANCELLED' && <Badge>Cancelled</Badge>}
              </div>
              <p className="mt-0.5 text-[13px] break-words text-ink-2">
                {followers(procedure, next)}
                {startsHere === false && '. No process is created here'}
              </p>
            </li>
          ))}
        </ol>
      </div>
    </Card>
  )
}

function followers(procedure: Procedure, next: string[] | undefined): string {
  if (next === undefined) return 'Then any state'
  if (next.length === 0) return 'The last one: nothing follows'
  return `Then ${next.map(each => nameOfState(procedure, each)).join(', ')}`
}
