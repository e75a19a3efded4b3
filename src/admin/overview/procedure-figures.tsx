import { getRouteApi, Navigate } from '@tanstack/react-router'
import { useConfig, useMay } from '../api/me.ts'
import { LinkButton } from '../parts/button.tsx'
import { Tabs } from '../parts/page.tsx'
import { Empty, Loading } from '../parts/states.tsx'
import { ByState } from './by-state.tsx'
import { useDue } from './due.ts'
import { NewByDay } from './new-by-day.tsx'

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
    // Where most is to be done, without a choice.
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
