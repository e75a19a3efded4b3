import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { config } from '../api/me.ts'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { lastProcedure } from '../shell/last-procedure.ts'

/** Redirects from the menu to the processes of the procedure that was used last, or of the first one. */
export function FirstProcedurePage() {
  const read = useQuery(config)
  return (
    <Loaded query={read}>
      {({ data: { procedures } }) => {
        const last = lastProcedure()
        const first = procedures.find(({ id, shortId }) => shortId === last || id === last) ?? procedures[0]
        if (first)
          return (
            <Navigate to="/procedure/$procedureShortId/process" params={{ procedureShortId: first.shortId }} replace />
          )
        return (
          <Page title="Processes">
            <Empty icon="procedure" title="No procedures yet">
              A procedure defines a kind of work: its states and attributes. Its processes are listed here.
            </Empty>
          </Page>
        )
      }}
    </Loaded>
  )
}
