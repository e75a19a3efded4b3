import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { StoredMessage } from 'caseworker'
import { listRows } from '../../api/read.ts'
import { Empty, Loaded } from '../states.tsx'
import { Timeline } from './timeline.tsx'

interface MessageListProps {
  query: UseInfiniteQueryResult<InfiniteData<{ data: readonly StoredMessage[] }>>
  /** The text for an empty list. */
  none: string
}

/** The messages of somebody or something, newest first, and the answers. */
export const MessageList = ({ query, none }: MessageListProps) => (
  <Loaded query={query}>
    {data => {
      const rows = listRows(data)
      return rows.length === 0 ? (
        <Empty icon="message" title="No messages">
          {none}
        </Empty>
      ) : (
        <Timeline
          messages={rows}
          hasMore={query.hasNextPage}
          isReadingMore={query.isFetchingNextPage}
          onMore={() => void query.fetchNextPage()}
        />
      )
    }}
  </Loaded>
)
