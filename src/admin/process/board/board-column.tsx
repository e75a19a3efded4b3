import { Link } from '@tanstack/react-router'
import type { Procedure, Process } from 'caseworker'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { formatProcessName, getStateName, statesAfter } from '../../api/procedure.ts'
import { AttributeValue, UserName } from '../../parts/attribute/attribute-value.tsx'
import { Status } from '../../parts/badge.tsx'
import { IconButton, Spinner } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { drawnItems } from '../../parts/table/rows-in-sight.ts'
import { useSight } from '../../parts/table/use-sight.ts'
import { Time } from '../../parts/time.tsx'
import type { ListSearch } from '../list/list-search.ts'
import { useProcessPages } from '../list/use-process-rows.ts'
import { ProcessLink } from '../process-link.tsx'
import { listCards, type Moves } from './moves.ts'

const CARD_PX = 92
const AHEAD_CARDS = 10

interface BoardColumnProps {
  procedure: Procedure
  state: Procedure['states'][number]
  search: ListSearch
  count: number | undefined
  moves: Moves
  /** The card that is being dragged, of any column. */
  dragged: Process | undefined
  /** Missing where the reader may not change processes. */
  onMove?: (process: Process, state: string) => void
  onDrag?: (process: Process | undefined) => void
}

/** The cards of one state, read as they are scrolled to; only those in sight are in the document. */
export function BoardColumn({ procedure, state, search, count, moves, dragged, onMove, onDrag }: BoardColumnProps) {
  const { shortId } = state
  const where = { state: shortId, ...(search.where && { and: [search.where] }) }
  const { pages, rows } = useProcessPages(procedure.shortId, { ...search, where })
  const cards = listCards(shortId, rows, moves)
  const frame = useRef<HTMLUListElement>(null)
  const { sight } = useSight(frame, undefined, cards.length, CARD_PX)
  const inSight = drawnItems(sight, cards.length, undefined).flatMap(item => ('row' in item ? [item.row] : []))
  const { last } = sight
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = pages
  useEffect(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError && last >= cards.length - AHEAD_CARDS) void fetchNextPage()
  }, [hasNextPage, isFetching, isFetchNextPageError, last, cards.length, fetchNextPage])
  const [isOver, setOver] = useState(false)
  const takes = dragged !== undefined && statesAfter(procedure, dragged.state).includes(shortId)
  const isRefused = dragged !== undefined && !takes && dragged.state !== shortId
  const onDragOver = (event: DragEvent) => {
    if (!takes) return
    // A browser allows a drop only where the event was cancelled.
    event.preventDefault()
    setOver(true)
  }
  const drop = () => {
    setOver(false)
    if (dragged && takes) onMove?.(dragged, shortId)
    onDrag?.(undefined)
  }
  return (
    <section
      aria-label={state.name}
      data-state={shortId}
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`flex w-72 shrink-0 snap-start flex-col rounded-card border bg-sunken ${isOver && takes ? 'border-accent ring-2 ring-accent' : 'border-line'} ${isRefused ? 'opacity-40' : ''}`}
    >
      <div className="flex items-center gap-2 px-3 py-2">
        <h2 className="flex min-w-0 flex-1 items-center justify-between gap-2 font-medium">
          <span className="truncate">{state.name}</span>{' '}
          <span className="text-[13px] text-ink-2">
            {count === undefined ? (pages.hasNextPage ? `${cards.length}+` : cards.length) : count.toLocaleString()}
          </span>
        </h2>
        {onMove && (
          <Link
            to="/procedure/$procedureShortId/new"
            params={{ procedureShortId: procedure.shortId }}
            search={{ state: shortId }}
            aria-label={`New in ${state.name}`}
            title={`New in ${state.name}`}
            className="inline-flex size-6 items-center justify-center rounded text-ink-2 hover:bg-hover hover:text-ink"
          >
            <Icon name="plus" />
          </Link>
        )}
      </div>
      <ul ref={frame} className="relative min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {inSight.length > 0 && <li aria-hidden="true" style={{ height: cards.length * CARD_PX }} />}
        {inSight.map(index => {
          const process = cards[index]
          if (!process) return null
          return (
            <li
              key={process.id}
              data-index={index}
              aria-setsize={count ?? -1}
              aria-posinset={index + 1}
              className="absolute inset-x-2 top-0 pb-2"
              style={{ transform: `translateY(${index * CARD_PX}px)`, height: CARD_PX }}
            >
              <BoardCard procedure={procedure} process={process} onMove={onMove} onDrag={onDrag} />
            </li>
          )
        })}
        {isFetching && (
          <li className="flex items-center justify-center gap-2 p-3 text-[13px] text-ink-2">
            <Spinner /> Reading …
          </li>
        )}
        {!isFetching && !pages.error && cards.length === 0 && (
          <li className="p-3 text-center text-[13px] text-ink-3">None</li>
        )}
        {pages.error && !isFetching && (
          <li>
            <FailureNote
              error={pages.error}
              onRetry={() => void (rows.length > 0 ? fetchNextPage() : pages.refetch())}
            />
          </li>
        )}
      </ul>
    </section>
  )
}

interface BoardCardProps {
  procedure: Procedure
  process: Process
  onMove: ((process: Process, state: string) => void) | undefined
  onDrag: ((process: Process | undefined) => void) | undefined
}

function BoardCard({ procedure, process, onMove, onDrag }: BoardCardProps) {
  const name = formatProcessName(procedure, process)
  // The first attribute beside the key says most about a process.
  const first = procedure.attributes.find(({ shortId }) => shortId !== procedure.primaryKey)
  const next = statesAfter(procedure, process.state)
  return (
    <article
      aria-label={name}
      data-card={process.id}
      draggable={onDrag !== undefined && next.length > 0}
      onDragStart={event => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', name)
        onDrag?.(process)
      }}
      onDragEnd={() => onDrag?.(undefined)}
      className={`flex h-full flex-col gap-1 rounded-md border border-line bg-surface p-2 text-[13px] ${onDrag && next.length > 0 ? 'cursor-grab' : ''}`}
    >
      <div className="flex items-center gap-1.5">
        <span className="min-w-0 flex-1 truncate">
          <ProcessLink process={process}>{name}</ProcessLink>
        </span>
        {process.status !== 'OPEN' && <Status of={process.status} />}
        {onMove && next.length > 0 && (
          <Menu
            trigger={<IconButton label={`Move ${name} to …`} icon="more" className="size-6!" />}
            items={next.map(state => ({
              label: `Move to ${getStateName(procedure, state)}`,
              icon: 'right' as const,
              act: () => onMove(process, state),
            }))}
          />
        )}
      </div>
      <p className="truncate text-ink-2">
        {first && <AttributeValue value={process.data[first.shortId]} attribute={first} isPlain />}
      </p>
      <p className="mt-auto flex items-center gap-1.5 text-xs text-ink-2">
        <Icon name="user" className="size-3.5" />
        <span className="min-w-0 flex-1 truncate">
          <UserName id={process.assignedTo} />
        </span>
        {process.nextActionAt !== null && (
          <span className={process.status === 'OPEN' && process.nextActionAt < Date.now() ? 'text-bad' : ''}>
            <Time at={process.nextActionAt} isRelative />
          </span>
        )}
      </p>
    </article>
  )
}
