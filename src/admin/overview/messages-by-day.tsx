import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { MessageCount } from 'caseworker'
import { useState } from 'react'
import { Days, Legend } from '../parts/chart.tsx'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../parts/message/delivery-status.ts'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { CHART_DAYS, lastDays } from './days.ts'
import { messageCountsQuery } from './message-counts.ts'

/** They stand behind a number: "12 failed". */
const SHOWN = DELIVERY_STATUSES.map(({ label, ...rest }) => ({ label: label.toLowerCase(), ...rest }))

const sumOf = (counts: readonly MessageCount[], status: DeliveryStatus, day?: string): number =>
  counts
    .filter(each => each.status === status && (day === undefined || each.day === day))
    .reduce((sum, { count }) => sum + count, 0)

/** What became of the messages of the last thirty days; each number and each day leads to the messages. */
export function MessagesByDay() {
  const [now] = useState(() => Date.now())
  const navigate = useNavigate()
  const counts = useQuery(messageCountsQuery(now))
  const days = lastDays(now, CHART_DAYS)
  const listOf = (status: DeliveryStatus) => `/message?status=${status}&direction=OUTBOUND&from=${days[0]}`
  return (
    <Card
      title={`Messages of the last ${CHART_DAYS} days`}
      actions={
        <Link to="/message" search={{}} className="text-[13px] text-ink-2 hover:underline">
          All messages
        </Link>
      }
    >
      <Loaded query={counts}>
        {({ data }) => (
          <div className="flex flex-col gap-3">
            <Legend
              parts={SHOWN.map(({ label, status, color }) => ({
                label,
                color,
                value: sumOf(data, status),
                to: listOf(status),
              })).filter(({ value }) => value > 0)}
            />
            <Days
              label="Messages by day and delivery"
              onDay={day =>
                void navigate({ to: '/message', search: { direction: 'OUTBOUND' as const, from: day, to: day } })
              }
              days={days.map(day => ({
                day,
                parts: SHOWN.map(({ label, status, color }) => ({ label, color, value: sumOf(data, status, day) })),
              }))}
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}
