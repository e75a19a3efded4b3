import { useInfiniteQuery } from '@tanstack/react-query'
import type { StoredMessage } from 'caseworker'
import { readPages, rowsOf } from '../api/read.ts'
import { LinkButton } from '../parts/button.tsx'
import { Timeline } from '../parts/message/timeline.tsx'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'

/** All that was written to and from the number, so that answers stand where they belong. */
export function Conversation({ message: { id, context } }: { message: StoredMessage }) {
  const phoneNumber = context.contactIdentifier
  const messages = useInfiniteQuery(
    readPages('listMessages', cursor => ({ query: { phoneNumber, limit: 25, ...(cursor ? { cursor } : {}) } })),
  )
  return (
    <Card
      title="Conversation with this number"
      isBare
      actions={
        <LinkButton to="/message" search={{ phoneNumber }} tone="quiet">
          As a list
        </LinkButton>
      }
    >
      <Loaded query={messages}>
        {data => (
          <div className="max-h-[40rem] overflow-y-auto">
            <Timeline
              messages={rowsOf(data)}
              current={id}
              hasMore={messages.hasNextPage}
              isReadingMore={messages.isFetchingNextPage}
              onMore={() => void messages.fetchNextPage()}
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}
