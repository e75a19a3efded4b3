import type { Procedure, Process } from 'caseworker'
import { nameOfProcess, nameOfState, statesAfter } from '../../api/procedure.ts'
import { AttributeValue, UserName } from '../../parts/attribute/attribute-value.tsx'
import { Status } from '../../parts/badge.tsx'
import { IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Time } from '../../parts/time/time.tsx'
import { ProcessLink } from '../process-link.tsx'

interface BoardCardProps {
  procedure: Procedure
  process: Process
  onMove: ((process: Process, state: string) => void) | undefined
  onDrag: ((process: Process | undefined) => void) | undefined
}

export function BoardCard({ procedure, process, onMove, onDrag }: BoardCardProps) {
  const name = nameOfProcess(procedure, process)
  // What says most of it: the first attribute beside its key.
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
              label: `Move to ${nameOfState(procedure, state)}`,
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
