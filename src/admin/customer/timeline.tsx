import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Customer, Process, RecordHistoryEntry, StoredMessage } from 'caseworker'
import { useConfig } from '../api/me.ts'
import { isComplete, listRows, readPages } from '../api/read.ts'
import { Author } from '../parts/author/author.tsx'
import { Badge } from '../parts/badge.tsx'
import { CustomerValue } from '../parts/customer/customer-value.tsx'
import { Card } from '../parts/page.tsx'
import { ProcessLine } from '../parts/process/customer-processes.tsx'
import { Empty } from '../parts/states.tsx'
import { ChangeList } from '../parts/timeline/change-list.tsx'
import { FilteredTimeline } from '../parts/timeline/filter.tsx'
import { getMessageTime } from '../parts/timeline/message-moments.ts'
import { MessageRow } from '../parts/timeline/message-row.tsx'
import type { TimelineFilter } from '../parts/timeline/shown.ts'
import { TimelineList, TimelineRow } from '../parts/timeline/timeline-list.tsx'
import { type TimelineSource, useTimeline } from '../parts/timeline/use-timeline.ts'

const ADDRESS = '/customer/$recordId' as const
const LIMIT = 25

type TimelineEntry = { change: RecordHistoryEntry } | { process: Process } | { message: StoredMessage }

function getTime(item: TimelineEntry): number {
  if ('change' in item) return item.change.at
  return 'process' in item ? item.process.createdAt : getMessageTime(item.message)
}

function getKey(item: TimelineEntry): string {
  if ('change' in item) return `change ${item.change.sequence}`
  return 'process' in item ? item.process.id : item.message.id
}

/** Shows the history of a customer, newest first: changes of attributes, created processes, and messages. */
export function CustomerTimeline({ customer }: { customer: Customer }) {
  const { show } = useSearch({ from: `/frame${ADDRESS}` })
  return (
    <Card isBare>
      <FilteredTimeline from={ADDRESS} chosen={show}>
        {shown => <Happenings customer={customer} shown={shown} />}
      </FilteredTimeline>
    </Card>
  )
}

function Happenings({ customer, shown }: { customer: Customer; shown: TimelineFilter | undefined }) {
  const path = { recordId: customer.id }
  const page = (cursor: string | undefined) => ({ path, query: { cursor, limit: LIMIT } })
  const ofChanges = { enabled: shown !== 'messages' }
  const history = useInfiniteQuery({ ...readPages('listHistoryOfRecord', page), ...ofChanges })
  const processes = useInfiniteQuery({ ...readPages('listProcessesOfRecord', page), ...ofChanges })
  const messages = useInfiniteQuery({ ...readPages('listMessagesOfRecord', page), enabled: shown !== 'changes' })
  const sources: TimelineSource<TimelineEntry>[] = [
    ...(shown === 'messages'
      ? []
      : [
          { query: history, items: listRows(history.data).map(change => ({ change })), getTime },
          { query: processes, items: listRows(processes.data).map(process => ({ process })), getTime },
        ]),
    ...(shown === 'changes'
      ? []
      : [{ query: messages, items: listRows(messages.data).map(message => ({ message })), getTime }]),
  ]
  const timeline = useTimeline(sources)
  return (
    <TimelineList
      timeline={timeline}
      getKey={getKey}
      row={({ item, at }) => <Row item={item} at={at} />}
      end={shown !== 'messages' && !isComplete(history.data) && 'Older changes are not kept any more.'}
      empty={
        shown === 'messages' ? (
          <Empty icon="message" title="No messages">
            What is sent to the numbers of this customer is shown here, with the answers.
          </Empty>
        ) : (
          <Empty icon="event" title="Nothing has happened yet">
            Changes of the customer, processes and messages are shown here.
          </Empty>
        )
      }
    />
  )
}

function Row({ item, at }: { item: TimelineEntry; at: number }) {
  const procedures = useConfig()?.procedures ?? []
  if ('message' in item) return <MessageRow message={item.message} at={at} />
  if ('process' in item) {
    const procedure = procedures.find(({ id }) => id === item.process.procedure)
    return <ProcessLine process={item.process} procedure={procedure} mark={<Badge tone="good">Begun</Badge>} />
  }
  const { by, version, changes } = item.change
  return (
    <TimelineRow>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
        <Badge tone="info">{item.change.type === 'record.merged' ? 'Merged with another customer' : 'Changed'}</Badge>
        <span className="text-ink-2">
          <Author by={by} at={item.change.at} version={version} />
        </span>
      </div>
      <ChangeList
        changes={changes}
        getLabel={nameIn}
        shown={(field, value) =>
          value === null ? <span className="text-ink-3">–</span> : <CustomerValue name={nameIn(field)} value={value} />
        }
      />
    </TimelineRow>
  )
}

const nameIn = (field: string): string => field.replace(/^data\./, '')
