import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../api/read.ts'
import { Days, Legend } from '../parts/chart.tsx'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { midnightOf } from '../parts/time/midnight.ts'
import { DAYS, daysUpTo, partsOfMessages } from './message-days.ts'

const STALE_MS = 2 * 60_000
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

/** What became of the messages that went out through one account; each number and each day leads to them. */
export function PluginMessages({ pluginId: plugin }: { pluginId: string }) {
  const navigate = useNavigate()
  const [days] = useState(() => daysUpTo(Date.now()))
  const from = days[0] ?? ''
  const counts = useQuery({
    ...read('countMessages', {
      query: { groupBy: 'status', by: 'day', direction: 'OUTBOUND', plugin, timeZone, from: midnightOf(from) },
    }),
    staleTime: STALE_MS,
  })
  const listOf = (status: string) => `/message?${new URLSearchParams({ status, direction: 'OUTBOUND', plugin, from })}`
  const open = (day: string) =>
    void navigate({ to: '/message', search: { direction: 'OUTBOUND' as const, plugin, from: day, to: day } })
  return (
    <Card
      title={`Messages of ${DAYS} days`}
      actions={
        <Link to="/message" search={{ plugin }} className="text-[13px] text-ink-2 hover:underline">
          All of them
        </Link>
      }
    >
      <Loaded query={counts} lines={3}>
        {({ data }) => {
          const all = partsOfMessages(data, { listOf }).filter(({ value }) => value > 0)
          return (
            <div className="flex flex-col gap-3">
              {all.length === 0 ? <p className="text-ink-2">None.</p> : <Legend parts={all} />}
              <Days
                label="Messages by day and delivery"
                onDay={open}
                days={days.map(day => ({ day, parts: partsOfMessages(data, { day }) }))}
              />
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}
