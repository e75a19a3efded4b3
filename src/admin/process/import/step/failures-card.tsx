import { useMemo, useState } from 'react'
import { createFaultText } from '../../../parts/attribute/fault-text.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/page.tsx'
import { useToasts } from '../../../parts/toasts.tsx'
import { saveFile } from '../../save-file.ts'
import { groupFailures, type RowFailures, writeFailedRows } from '../failures.ts'
import type { Plan } from '../reading.ts'

interface FailuresCardProps {
  plan: Plan
  failures: RowFailures
  title: string
}

/** Shows why rows failed, and offers them as a file to correct. */
export function FailuresCard({ plan, failures, title }: FailuresCardProps) {
  const groups = useMemo(() => groupFailures(failures.values()), [failures])
  const [isWriting, setWriting] = useState(false)
  const { showFailure } = useToasts()
  const words = createFaultText(plan.procedure)
  const download = async () => {
    setWriting(true)
    try {
      const name = plan.csv.file.name.replace(/\.[^.]*$/, '')
      saveFile(await writeFailedRows(plan, failures), `${name}-failed.csv`)
    } catch (error) {
      showFailure(error)
    } finally {
      setWriting(false)
    }
  }
  return (
    <Card
      title={title}
      isBare
      actions={
        <Button icon="download" isPending={isWriting} onClick={() => void download()}>
          Download these rows
        </Button>
      }
    >
      <ul>
        {groups.map(({ message, hint, count, lines }) => (
          <li key={message} className="flex gap-4 border-b border-line px-4 py-2 last:border-0">
            <span className="w-16 shrink-0 text-right font-semibold text-bad">{count.toLocaleString()}</span>
            <div className="min-w-0">
              <p className="break-words">{words({ message })}</p>
              {hint && <p className="text-[13px] text-ink-2">{hint}</p>}
              <p className="text-[13px] text-ink-3">
                {lines.length === 1 ? 'Line' : 'Lines'} {lines.join(', ')}
                {count > lines.length && ' …'}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <p className="border-t border-line px-4 py-2 text-[13px] text-ink-2">
        The file has your columns and, for each row, its line, the reason and what may help. Correct it in any
        spreadsheet and bring it back here: columns that begin with _ are ignored.
      </p>
    </Card>
  )
}
