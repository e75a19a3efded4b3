import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Procedure, Process } from 'caseworker'
import { useEffect, useState } from 'react'
import { useMay } from '../../api/me.ts'
import { formatProcessName, getStateName, statesAfter } from '../../api/procedure.ts'
import { Page } from '../../parts/page.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import { BothVersions } from '../change/both-versions.tsx'
import { useInPlaceChange } from '../change/in-place-change.ts'
import { stateCountsQuery } from '../list/count.ts'
import type { ListSearch } from '../list/list-search.ts'
import { OfProcedure } from '../list/of-procedure.tsx'
import type { OnSearch } from '../list/process-table.tsx'
import { Toolbar } from '../list/toolbar.tsx'
import { ProcedureSwitch } from '../procedure-switch.tsx'
import { ViewsMenu } from '../view/views-menu.tsx'
import { ViewAs } from '../view-as.tsx'
import { BoardColumn } from './board-column.tsx'
import { countAfter, useMoves } from './moves.ts'

const route = getRouteApi('/frame/procedure/$procedureShortId/board')

/** The processes of a procedure in columns by state. */
export function BoardPage() {
  const { procedureShortId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <OfProcedure shortId={procedureShortId} search={search}>
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

const FOLLOWED_MS = 150

interface BoardProps {
  procedure: Procedure
  search: ListSearch
  onSearch: OnSearch
}

/** A column for each state. A card is moved with the mouse or by its menu, to where the definition lets it go. */
function Board({ procedure, search, onSearch }: BoardProps) {
  const may = useMay()
  const { showToast } = useToasts()
  const { shortId, states } = procedure
  const counts = useQuery({
    ...stateCountsQuery(shortId, search.where),
    // The moves are counted beside it: it stays as it was read, as the cards do (`useProcessPages`).
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    enabled: search.search === undefined,
  })
  const { moves, show, hold, forget } = useMoves()
  const { change, clash, settle } = useInPlaceChange(procedure, show)
  const [dragged, setDragged] = useState<Process>()
  const [moved, setMoved] = useState('')
  const [followed, setFollowed] = useState<string>()
  useEffect(() => {
    if (followed === undefined) return
    // This runs after the menu, which returns the focus to a button that went with the card.
    const timer = setTimeout(() => {
      setFollowed(undefined)
      if (document.activeElement === document.body)
        document.querySelector<HTMLElement>(`[data-card="${followed}"] a`)?.focus()
    }, FOLLOWED_MS)
    return () => clearTimeout(timer)
  }, [followed])
  const mayMove = may('process:write')
  const move = (process: Process, state: string) => {
    if (process.state === state) return
    if (!statesAfter(procedure, process.state).includes(state)) {
      showToast(`${getStateName(procedure, process.state)} can’t become ${getStateName(procedure, state)}`)
      return
    }
    setMoved(`${formatProcessName(procedure, process)} moved to ${getStateName(procedure, state)}`)
    hold(process)
    change(process, { state })
    setFollowed(process.id)
  }
  const go: OnSearch = (next, isStep) => {
    forget()
    onSearch(next, isStep)
  }
  return (
    <Page
      title={procedure.name}
      isFull
      actions={
        <>
          <ProcedureSwitch procedureShortId={shortId} page="board" />
          <ViewsMenu procedure={procedure} search={search} layout="board" />
          <ViewAs procedureShortId={shortId} page="board" search={search} />
        </>
      }
    >
      <Toolbar procedure={procedure} search={search} onSearch={go} onReadAgain={forget} />
      {counts.error && <FailureNote error={counts.error} onRetry={() => void counts.refetch()} />}
      <p role="status" className="sr-only">
        {moved}
      </p>
      <div className="flex min-h-0 flex-1 snap-x short:min-h-56 gap-3 overflow-x-auto pb-1">
        {states.map(state => (
          <BoardColumn
            key={state.shortId}
            procedure={procedure}
            state={state}
            search={search}
            count={counts.data && countAfter(state.shortId, counts.data[state.shortId] ?? 0, moves)}
            moves={moves}
            dragged={dragged}
            {...(mayMove ? { onMove: move, onDrag: setDragged } : {})}
          />
        ))}
      </div>
      <BothVersions procedure={procedure} clash={clash} change={change} onClose={settle} />
    </Page>
  )
}
