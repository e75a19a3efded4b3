import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { Procedure, ProcessHistoryEntry, StoredMessage } from 'caseworker'
import { useState } from 'react'
import { isComplete, listRows, readPages } from '../../../api/read.ts'
import { Author } from '../../../parts/author/author.tsx'
import { Badge, type BadgeTone } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { fieldNamed } from '../../../parts/process/fields.ts'
import { ShownValue } from '../../../parts/process/shown-value.tsx'
import { Empty } from '../../../parts/states.tsx'
import { ChangeList } from '../../../parts/timeline/change-list.tsx'
import { FilteredTimeline } from '../../../parts/timeline/filter.tsx'
import { getMessageTime } from '../../../parts/timeline/message-moments.ts'
import { MessageRow } from '../../../parts/timeline/message-row.tsx'
import type { TimelineFilter } from '../../../parts/timeline/shown.ts'
import { TimelineList, TimelineRow } from '../../../parts/timeline/timeline-list.tsx'
import { type TimelineSource, useTimeline } from '../../../parts/timeline/use-timeline.ts'
import type { ReadProcess } from '../field/update.ts'
import { RevertDialog } from './revert.tsx'

const ADDRESS = '/procedure/$procedureShortId/process/$id' as const
const LIMIT = 25

type TimelineEntry = { change: ProcessHistoryEntry } | { message: StoredMessage }

const getKey = (item: TimelineEntry): string => ('change' in item ? `change ${item.change.sequence}` : item.message.id)
const getTime = (item: TimelineEntry): number => ('change' in item ? item.change.at : getMessageTime(item.message))

interface ProcessTimelineProps {
  procedure: Procedure
  processId: string
  /** The present process; undefined if nothing can be reverted. */
  now: ReadProcess | undefined
}

/** Shows the history of a process: its changes and its messages, newest first. */
export function ProcessTimeline(props: ProcessTimelineProps) {
  const { show } = useSearch({ from: `/frame${ADDRESS}` })
  return (
    <FilteredTimeline from={ADDRESS} chosen={show}>
      {shown => <Happenings {...props} shown={shown} />}
    </FilteredTimeline>
  )
}

function Happenings({
  procedure,
  processId,
  now,
  shown,
}: ProcessTimelineProps & { shown: TimelineFilter | undefined }) {
  const [version, setVersion] = useState<number>()
  const path = { procedureShortId: procedure.shortId, processId }
  const history = useInfiniteQuery({
    ...readPages('listHistoryById', cursor => ({ path, query: { cursor } })),
    enabled: shown !== 'messages',
  })
  const messages = useInfiniteQuery({
    ...readPages('listMessages', cursor => ({ query: { process: processId, cursor, limit: LIMIT } })),
    enabled: shown !== 'changes',
  })
  const changes = listRows(history.data)
  const sources: TimelineSource<TimelineEntry>[] = [
    ...(shown === 'messages' ? [] : [{ query: history, items: changes.map(change => ({ change })), getTime }]),
    ...(shown === 'changes'
      ? []
      : [{ query: messages, items: listRows(messages.data).map(message => ({ message })), getTime }]),
  ]
  const timeline = useTimeline(sources)
  return (
    <>
      <TimelineList
        timeline={timeline}
        getKey={getKey}
        row={({ item, at }) =>
          'change' in item ? (
            <ChangeRow
              procedure={procedure}
              entry={item.change}
              isNewest={item.change.version === changes[0]?.version}
              onRevert={now && setVersion}
            />
          ) : (
            <MessageRow message={item.message} at={at} />
          )
        }
        end={shown !== 'messages' && !isComplete(history.data) && 'Older changes are not kept any more.'}
        empty={
          shown === 'messages' ? (
            <Empty icon="message" title="No messages">
              What is sent for this process, and what its customer answers, is shown here.
            </Empty>
          ) : (
            <Empty icon="event" title="No changes are kept">
              The history begins with the next change.
            </Empty>
          )
        }
      />
      {now && version !== undefined && (
        <RevertDialog procedure={procedure} now={now} version={version} onClose={() => setVersion(undefined)} />
      )}
    </>
  )
}

const KINDS: Record<ProcessHistoryEntry['type'], { label: string; tone: BadgeTone }> = {
  'process.created': { label: 'Created', tone: 'good' },
  'process.updated': { label: 'Changed', tone: 'info' },
  'process.deleted': { label: 'Deleted', tone: 'bad' },
  'process.restored': { label: 'Restored', tone: 'good' },
  'record.updated': { label: 'Customer changed', tone: 'plain' },
}

interface ChangeRowProps {
  procedure: Procedure
  entry: ProcessHistoryEntry
  /** True for the present version, which has no revert. */
  isNewest: boolean
  /** Reverts to the version; undefined if nothing can be reverted. */
  onRevert: ((version: number) => void) | undefined
}

/** A change of a process: who, what, and the way back to it. */
function ChangeRow({ procedure, entry, isNewest, onRevert }: ChangeRowProps) {
  const { type, by, at, version, changes, forced } = entry
  return (
    <TimelineRow>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
        <Badge tone={KINDS[type].tone}>{KINDS[type].label}</Badge>
        {forced && <Badge tone="warn">Against the allowed moves</Badge>}
        <span className="text-ink-2">
          <Author by={by} at={at} version={version} />
        </span>
        {type !== 'process.deleted' && !isNewest && (
          <span className="ml-auto flex gap-1">
            <Link
              from="/procedure/$procedureShortId/process/$id"
              search={before => ({ ...before, asOf: String(version) })}
              className="inline-flex h-7 items-center rounded-md px-2 text-ink-2 hover:bg-hover hover:text-ink"
            >
              Show it as of then
            </Link>
            {onRevert && (
              <Button tone="quiet" icon="undo" className="h-7!" onClick={() => onRevert(version)}>
                Revert to this …
              </Button>
            )}
          </span>
        )}
      </div>
      {changes.length > 0 ? (
        <ChangeList
          changes={changes}
          getLabel={field => fieldNamed(procedure, field).label}
          shown={(field, value) => <ShownValue procedure={procedure} path={field} value={value} />}
          isCreation={type === 'process.created'}
        />
      ) : (
        type === 'process.updated' && <p className="mt-1.5 text-[13px] text-ink-2">Nothing had another value.</p>
      )}
    </TimelineRow>
  )
}
