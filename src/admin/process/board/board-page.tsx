import { getRouteApi } from '@tanstack/react-router'
import { OfProcedure } from '../list/of-procedure.tsx'
import { Board } from './board.tsx'

const route = getRouteApi('/frame/procedure/$procedureShortId/board')

/** The processes of a procedure in columns by state. */
export function BoardPage() {
  const { procedureShortId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <OfProcedure shortId={procedureShortId}>
      {procedure => (
        <Board
          key={procedure.shortId}
          procedure={procedure}
          search={search}
          onSearch={(next, isStep = false) => void navigate({ search: next, replace: !isStep })}
        />
      )}
    </OfProcedure>
  )
}
