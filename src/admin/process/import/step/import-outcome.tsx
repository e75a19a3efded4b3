import { LinkButton } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { howMany } from '../../../parts/text/how-many.ts'
import { toListLink } from '../../one/list-link.ts'
import { ChooseFile } from '../choose-file.tsx'
import { MENDED_HERE_ROWS_MAX, MendTable } from '../mend/mend-table.tsx'
import type { Plan } from '../reading.ts'
import type { ImportState } from '../run.ts'
import { FailuresCard } from './failures-card.tsx'

interface ImportOutcomeProps {
  plan: Plan
  state: ImportState
  isWhole: boolean
  onFile: (file: File) => void
  onMended: (file: File) => void
}

/** Shows the outcome of the jobs: all rows are imported, or some have to be corrected. */
export function ImportOutcome({ plan, state: { failures }, isWhole, onFile, onMended }: ImportOutcomeProps) {
  const { label, ...list } = toListLink(plan.procedure)
  const onward = (
    <LinkButton icon="list" {...list}>
      See the processes of {label}
    </LinkButton>
  )
  if (failures.size === 0)
    return isWhole ? (
      <div className="flex flex-wrap items-center gap-4">
        <p role="status" className="flex items-center gap-2 font-medium">
          <Icon name="check" className="text-good" /> All rows are imported.
        </p>
        {onward}
      </div>
    ) : null
  return (
    <>
      <div>{onward}</div>
      <FailuresCard plan={plan} failures={failures} title={`${howMany(failures.size, 'row', 'rows')} to correct`} />
      {failures.size <= MENDED_HERE_ROWS_MAX && <MendTable plan={plan} failures={failures} onMended={onMended} />}
      <ChooseFile title="Bring the corrected file back" onFile={onFile} />
    </>
  )
}
