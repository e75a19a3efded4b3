import { Link } from '@tanstack/react-router'
import { Bar, Legend } from '../parts/chart.tsx'
import { DELIVERY_STATUSES } from '../parts/message/delivery-status.ts'
import { Card } from '../parts/page.tsx'

/** What became of the messages of a job, as far as the provider has told. */
export function Deliveries({ jobId, counts }: { jobId: string; counts: Record<string, number> }) {
  const parts = DELIVERY_STATUSES.map(({ status, label, color }) => ({ label, color, value: counts[status] ?? 0 }))
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  return (
    <Card
      title="Messages"
      actions={
        <Link to="/message" search={{ backgroundJob: jobId }} className="text-[13px] text-ink-2 hover:underline">
          See them
        </Link>
      }
    >
      <div className="flex flex-col gap-3">
        {total === 0 && <p className="text-ink-2">None has been taken by the provider yet.</p>}
        <Bar parts={parts} total={total} label="Messages" />
        <Legend parts={parts.filter(({ value }) => value > 0)} />
      </div>
    </Card>
  )
}
