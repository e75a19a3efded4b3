import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Procedure, ProcessHistoryEntry, StoredMessage } from 'caseworker'
import { useState } from 'react'
import { isComplete, listRows, readPages } from '../../../api/read.ts'
import { Empty } from '../../../parts/states.tsx'
import { FilteredTimeline } from '../../../parts/timeline/filter.tsx'
import { getMessageTime } from '../../../parts/timeline/message-moments.ts'
import { MessageRow } from '../../../parts/timeline/message-row.tsx'
import type { TimelineFilter } from '../../../parts/timeline/shown.ts'
import { TimelineList } from '../../../parts/timeline/timeline-list.tsx'
import { type TimelineSource, useTimeline } from '../../../parts/timeline/use-timeline.ts'
import type { ReadProcess } from '../field/update.ts'
import { ChangeRow } from './change-row.tsx'
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
    <FilteredTimeline from={ADDRESS} asked={show}>
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
