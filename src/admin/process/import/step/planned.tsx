import { attributeWords } from '../../../parts/attribute/fault-words.ts'
import { Button } from '../../../parts/button.tsx'
import { PlanDetails } from '../../../parts/job/plan-details.tsx'
import { countChanging } from '../../../parts/job/use-plan.ts'
import { Card } from '../../../parts/page.tsx'
import { howMany } from '../../../parts/text/how-many.ts'
import { MENDED_HERE_ROWS_MAX, MendTable } from '../mend/mend-table.tsx'
import type { Plan } from '../reading.ts'
import type { PlannedImport } from '../run.ts'
import { Arrival } from './arrival.tsx'
import { FailuresCard } from './failures-card.tsx'

interface PlannedProps {
  plan: Plan
  planned: PlannedImport
  onApply: () => void
  onMended: (file: File) => void
}

/**
 * Shows what the whole file would change, before and after, and which rows would fail and why. Nothing is changed yet.
 */
export function Planned({ plan, planned, onApply, onMended }: PlannedProps) {
  const { plans, failures } = planned
  const changing = countChanging(plans)
  const isCancelled = plans.some(({ plan: each }) => each.job.completionStatus === 'CANCELLED')
  return (
    <>
      <Arrival label="What would change">
        <Card title="What would change">
          <div className="flex flex-col gap-3">
            <PlanDetails
              plans={plans}
              procedure={plan.procedure}
              words={attributeWords(plan.procedure)}
              hasFailures={failures.size > 0}
            />
            <p className="text-[13px] text-ink-2">
              Nothing has been changed yet. What somebody changes before you do stays as it is.
            </p>
            <div>
              <Button tone="main" icon="upload" disabled={changing === 0 || isCancelled} onClick={onApply}>
                {changing === 0 ? 'Import' : `Import ${howMany(changing, 'row', 'rows')}`}
              </Button>
            </div>
          </div>
        </Card>
      </Arrival>
      {failures.size > 0 && <FailuresCard plan={plan} failures={failures} title="What would fail" />}
      {changing === 0 && failures.size > 0 && failures.size <= MENDED_HERE_ROWS_MAX && (
        <MendTable plan={plan} failures={failures} onMended={onMended} />
      )}
    </>
  )
}
