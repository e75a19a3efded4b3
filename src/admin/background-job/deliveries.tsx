import { Link } from '@tanstack/react-router'
import type { DeliveryFailure } from 'caseworker'
import { Bar, Legend } from '../parts/chart.tsx'
import { DELIVERY_STATUSES } from '../parts/message/delivery-status.ts'
import { Card } from '../parts/page.tsx'

interface DeliveriesProps {
  jobId: string
  counts: Record<string, number>
  failures: readonly DeliveryFailure[]
}

/** What became of the messages of a job and of its retries, as far as the provider has told, and why some failed. */
export function Deliveries({ jobId, counts, failures }: DeliveriesProps) {
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
        {failures.length > 0 && (
          <ul className="flex flex-col gap-0.5">
            {failures.map(({ code, title, advice, count }) => (
              <li key={code}>
                <Link
                  to="/message"
                  search={{ backgroundJob: jobId, status: 'FAILED' }}
                  className="-mx-2 flex items-baseline gap-3 rounded-md px-2 py-1 hover:bg-hover"
                >
                  <b className="min-w-12 text-right font-semibold">{count.toLocaleString()}</b>
                  <span className="min-w-0 break-words">
                    {title ?? 'Not sent'} {code !== null && <code className="text-xs text-ink-2">{code}</code>}
                    {advice && <span className="block text-[13px] text-ink-2">{advice}</span>}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
