import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Procedure, Query } from 'caseworker'
import { useState } from 'react'
import { read } from '../api/read.ts'
import { Days } from '../parts/chart.tsx'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { midnightOf } from '../parts/time/midnight.ts'
import { CHART_DAYS, CHART_STALE_MS, lastDays, timeZone } from './days.ts'

/** How many processes were created on each of the last thirty days, by the reader's days, beside the thirty before. */
export function NewByDay({ procedure }: { procedure: Procedure }) {
  const [now] = useState(() => Date.now())
  const navigate = useNavigate()
  const days = lastDays(now, 2 * CHART_DAYS)
  const groups = useQuery({
    ...read('aggregateProcesses', {
      path: { procedureShortId: procedure.shortId },
      body: {
        where: { createdAt: { '>=': midnightOf(days[0]) } },
        groupBy: [{ field: 'createdAt', by: 'day', timeZone }],
        limit: days.length + 2,
      },
    }),
    staleTime: CHART_STALE_MS,
  })
  const listOf = (where: Query) => ({
    to: '/procedure/$procedureShortId/process' as const,
    params: { procedureShortId: procedure.shortId },
    search: { where },
  })
  const shown = days.slice(CHART_DAYS)
  return (
    <Card title={`New in the last ${CHART_DAYS} days`}>
      <Loaded query={groups}>
        {({ data }) => {
          const countOf = (day: string) => data.find(({ group }) => String(group.createdAt).startsWith(day))?.count ?? 0
          const sumOf = (of: readonly string[]) => of.reduce((sum, day) => sum + countOf(day), 0)
          const [total, before] = [sumOf(shown), sumOf(days.slice(0, CHART_DAYS))]
          return (
            <div className="flex flex-col gap-3">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <Link
                  {...listOf({ createdAt: { '>=': midnightOf(shown[0]) } })}
                  className="text-2xl font-semibold hover:underline"
                >
                  {total.toLocaleString()}
                </Link>
                <span className="text-[13px] text-ink-2">
                  {before === 0 ? 'none' : before.toLocaleString()} in the {CHART_DAYS} days before
                  {before > 0 && ` (${changeWords(total, before)})`}
                </span>
              </p>
              <Days
                label={`New processes by day: ${procedure.name}`}
                onDay={day => void navigate(listOf({ createdAt: { '>=': midnightOf(day), '<': midnightOf(day, 1) } }))}
                days={shown.map(day => ({ day, parts: [{ label: 'new', value: countOf(day), color: 1 }] }))}
              />
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}

function changeWords(total: number, before: number): string {
  const percent = Math.round((100 * (total - before)) / before)
  return percent === 0 ? 'as many' : `${percent > 0 ? '+' : '−'}${Math.abs(percent).toLocaleString()} %`
}
