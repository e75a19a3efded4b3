import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router'
import type { Procedure, Query } from 'caseworker'
import { useState } from 'react'
import { useConfig, useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Badge } from '../parts/badge.tsx'
import { LinkButton } from '../parts/button.tsx'
import { Days } from '../parts/chart.tsx'
import { CHART_DAYS, CHART_STALE_MS, lastDays, timeZone } from '../parts/chart-days.ts'
import { Card, Tabs } from '../parts/page.tsx'
import { Empty, Loaded, Loading } from '../parts/states.tsx'
import { getDayStart } from '../parts/times.ts'
import { type DueProcesses, useDue } from './due.ts'

const route = getRouteApi('/frame/')

/** The figures of one procedure: those of all at once would read every process of the team at each look. */
export function ProcedureFigures() {
  const { procedure } = route.useSearch()
  const may = useMay()
  const config = useConfig()
  const { due, isReading } = useDue()
  if (!config) return <Loading />
  const chosen = config.procedures.find(({ shortId }) => shortId === procedure)
  if (!chosen) {
    if (isReading) return <Loading />
    // The procedure with most due processes is chosen first.
    const first = due[0]?.procedure ?? config.procedures[0]
    if (first) return <Navigate from="/" to="/" search={{ procedure: first.shortId }} replace />
    return (
      <Empty
        icon="procedure"
        title="No procedures yet"
        action={
          may('config:write') && (
            <LinkButton tone="main" icon="plus" to="/procedure/new">
              New procedure
            </LinkButton>
          )
        }
      >
        A procedure says which states and attributes a kind of work has: leads, tickets, visits.
      </Empty>
    )
  }
  return (
    <>
      <Tabs
        label="Procedures"
        tabs={config.procedures.map(({ shortId, name }) => ({
          label: name,
          to: '/' as const,
          search: { procedure: shortId },
        }))}
      />
      <div key={chosen.shortId} className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <ByState procedure={chosen} due={due.find(each => each.procedure.shortId === chosen.shortId)} />
        <NewByDay procedure={chosen} />
      </div>
    </>
  )
}

/** The figures are read rarely, since each reads every process of the procedure. */
const SELDOM_MS = 2 * 60_000

/** Shows the number of processes in each state, in the order of the definition; each leads to their list. */
function ByState({ procedure, due }: { procedure: Procedure; due: DueProcesses | undefined }) {
  const path = { procedureShortId: procedure.shortId }
  const groups = useQuery({
    ...read('aggregateProcesses', { path, body: { groupBy: ['state'] } }),
    staleTime: SELDOM_MS,
  })
  return (
    <Card
      title="By state"
      actions={
        <>
          {due && (
            <Link
              to="/procedure/$procedureShortId/process"
              params={{ procedureShortId: procedure.shortId }}
              search={{ where: due.where }}
            >
              <Badge tone="warn">{`${due.count.toLocaleString()} due`}</Badge>
            </Link>
          )}
          <Link
            to="/procedure/$procedureShortId/board"
            params={{ procedureShortId: procedure.shortId }}
            className="text-[13px] text-ink-2 hover:underline"
          >
            Board
          </Link>
        </>
      }
    >
      <Loaded query={groups}>
        {({ data, meta }) => {
          const getCount = (state: string) => data.find(({ group }) => group.state === state)?.count ?? 0
          const most = Math.max(1, ...data.map(({ count = 0 }) => count))
          return (
            <>
              <ul className="flex flex-col gap-2">
                {procedure.states.map(({ shortId, name }) => (
                  <li key={shortId}>
                    <Link
                      to="/procedure/$procedureShortId/process"
                      params={{ procedureShortId: procedure.shortId }}
                      search={{ where: { state: shortId } }}
                      className="grid grid-cols-[9rem_1fr_4rem] items-center gap-3 rounded px-1 hover:bg-hover"
                    >
                      <span className="truncate">{name}</span>
                      <span className="h-2 rounded-full bg-hover">
                        <span
                          className="block h-2 rounded-full bg-chart-1"
                          style={{ width: `${(100 * getCount(shortId)) / most}%` }}
                        />
                      </span>
                      <span className="text-right font-medium">{getCount(shortId).toLocaleString()}</span>
                    </Link>
                  </li>
                ))}
              </ul>
              {!meta.isComplete && (
                <p className="mt-3 text-[13px] text-ink-2">There are more: only part of them was counted in time.</p>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

/**
 * Shows how many processes were created on each of the last thirty days, in the reader's zone, beside the thirty days
 * before.
 */
function NewByDay({ procedure }: { procedure: Procedure }) {
  const [now] = useState(() => Date.now())
  const navigate = useNavigate()
  const days = lastDays(now, 2 * CHART_DAYS)
  const groups = useQuery({
    ...read('aggregateProcesses', {
      path: { procedureShortId: procedure.shortId },
      body: {
        where: { createdAt: { '>=': getDayStart(days[0]) } },
        groupBy: [{ field: 'createdAt', by: 'day', timeZone }],
        limit: days.length + 2,
      },
    }),
    staleTime: CHART_STALE_MS,
  })
  const toListLink = (where: Query) => ({
    to: '/procedure/$procedureShortId/process' as const,
    params: { procedureShortId: procedure.shortId },
    search: { where },
  })
  const shown = days.slice(CHART_DAYS)
  return (
    <Card title={`New in the last ${CHART_DAYS} days`}>
      <Loaded query={groups}>
        {({ data }) => {
          const getCount = (day: string) =>
            data.find(({ group }) => String(group.createdAt).startsWith(day))?.count ?? 0
          const sumDays = (of: readonly string[]) => of.reduce((sum, day) => sum + getCount(day), 0)
          const [total, before] = [sumDays(shown), sumDays(days.slice(0, CHART_DAYS))]
          return (
            <div className="flex flex-col gap-3">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <Link
                  {...toListLink({ createdAt: { '>=': getDayStart(shown[0]) } })}
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
                onDay={day =>
                  void navigate(toListLink({ createdAt: { '>=': getDayStart(day), '<': getDayStart(day, 1) } }))
                }
                days={shown.map(day => ({ day, parts: [{ label: 'new', value: getCount(day), color: 1 }] }))}
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
