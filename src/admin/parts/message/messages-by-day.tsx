import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { MessageCount } from 'caseworker'
import { useState } from 'react'
import { Days, Legend, type Part } from '../chart.tsx'
import { CHART_DAYS, lastDays } from '../chart-days.ts'
import { Card } from '../page.tsx'
import { Loaded } from '../states.tsx'
import { DELIVERY_STATUSES } from './delivery-status.ts'
import { messageCountsQuery } from './message-counts.ts'

/** The messages by status, of one day or of all. */
const toParts = (counts: readonly MessageCount[], day?: string): Part[] =>
  DELIVERY_STATUSES.map(({ status, label, color }) => ({
    // The label follows a number: "12 failed".
    label: label.toLowerCase(),
    color,
    value: counts
      .filter(each => each.status === status && (day === undefined || each.day === day))
      .reduce((sum, { count }) => sum + count, 0),
  }))

/**
 * Shows the delivery of the messages of the last thirty days, of one plugin or of all; each number and each day leads
 * to them.
 */
export function MessagesByDay({ plugin }: { plugin?: string }) {
  const [now] = useState(() => Date.now())
  const navigate = useNavigate()
  const counts = useQuery(messageCountsQuery(now, plugin))
  const days = lastDays(now, CHART_DAYS)
  const filter = { ...(plugin === undefined ? {} : { plugin }) }
  const toListAddress = (status: string) =>
    `/message?${new URLSearchParams({ status, direction: 'OUTBOUND', ...filter, from: days[0] ?? '' })}`
  return (
    <Card
      title={`Messages of the last ${CHART_DAYS} days`}
      actions={
        <Link to="/message" search={filter} className="text-[13px] text-ink-2 hover:underline">
          All messages
        </Link>
      }
    >
      <Loaded query={counts} lines={3}>
        {data => {
          const all = toParts(data)
            .map((part, nth) => ({ ...part, to: toListAddress(DELIVERY_STATUSES[nth]?.status ?? '') }))
            .filter(({ value }) => value > 0)
          return (
            <div className="flex flex-col gap-3">
              {all.length === 0 ? <p className="text-ink-2">None.</p> : <Legend parts={all} />}
              <Days
                label="Messages by day and delivery"
                onDay={day =>
                  void navigate({
                    to: '/message',
                    search: { direction: 'OUTBOUND' as const, ...filter, from: day, to: day },
                  })
                }
                days={days.map(day => ({ day, parts: toParts(data, day) }))}
              />
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}
