import { getRouteApi } from '@tanstack/react-router'
import { OfProcedure } from './of-procedure.tsx'
import { ProcessTable } from './process-table.tsx'

const route = getRouteApi('/frame/procedure/$procedureShortId/process')

/** The processes of a procedure: filtered, sorted, changed, exported. */
export function ProcessesPage() {
  const { procedureShortId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <OfProcedure shortId={procedureShortId}>
      {procedure => (
        <ProcessTable
          key={procedure.shortId}
          procedure={procedure}
          search={search}
          onSearch={(next, isStep = false) => void navigate({ search: next, replace: !isStep })}
        />
      )}
    </OfProcedure>
  )
}
