import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/page.tsx'
import { howMany } from '../../../parts/text/how-many.ts'
import { MENDED_HERE_ROWS_MAX, MendTable } from '../mend/mend-table.tsx'
import type { Plan } from '../reading.ts'
import type { CheckResult } from '../run.ts'
import { Arrival } from './arrival.tsx'
import { FailuresCard } from './failures-card.tsx'

interface CheckedProps {
  plan: Plan
  result: CheckResult
  onPlan: () => void
  onSend: () => void
  onMended: (file: File) => void
}

/** Shows the rows that can be imported, and those that cannot and why. */
export function Checked({ plan, result, onPlan, onSend, onMended }: CheckedProps) {
  const { rows, failures, warnings } = result
  const good = rows - failures.size
  return (
    <>
      <Arrival label={`The check: ${good.toLocaleString()} of ${howMany(rows, 'row', 'rows')} can be imported`}>
        <Card title="The check">
          <div className="flex flex-col gap-3">
            <p>
              {good.toLocaleString()} of {howMany(rows, 'row', 'rows')} can be imported
              {failures.size > 0 && <span className="text-bad">, {failures.size.toLocaleString()} cannot</span>}.
            </p>
            {warnings.map(warning => (
              <p key={warning} className="rounded-md bg-warn-soft px-3 py-2 text-[13px]">
                {warning}. They are imported all the same.
              </p>
            ))}
            <p className="text-[13px] text-ink-2">
              This is by the definition of {plan.procedure.name}. What exists already, and which state may follow, “See
              what changes” finds out, with each value before and after. A row that can’t be imported does not stop the
              others, and can be corrected here afterwards.
            </p>
            <div className="flex flex-wrap gap-2">
              <Button icon="search" disabled={good === 0} onClick={onPlan}>
                See what changes
              </Button>
              <Button tone="main" icon="upload" disabled={good === 0} onClick={onSend}>
                Import {howMany(good, 'row', 'rows')}
              </Button>
            </div>
          </div>
        </Card>
      </Arrival>
      {failures.size > 0 && <FailuresCard plan={plan} failures={failures} title="What can’t be imported" />}
      {good === 0 && failures.size > 0 && failures.size <= MENDED_HERE_ROWS_MAX && (
        <MendTable plan={plan} failures={failures} onMended={onMended} />
      )}
    </>
  )
}
