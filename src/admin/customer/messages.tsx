import { useInfiniteQuery } from '@tanstack/react-query'
import { readPages } from '../api/read.ts'
import { MessageList } from '../parts/message/message-list.tsx'
import { Card } from '../parts/page.tsx'

/** The messages to the numbers of a customer, and the answers. */
export function CustomerMessages({ recordId }: { recordId: string }) {
  const path = { recordId }
  const messages = useInfiniteQuery(
    readPages('listMessagesOfRecord', cursor => ({ path, query: { cursor, limit: 25 } })),
  )
  return (
    <Card isBare>
      <MessageList
        query={messages}
        none="What is sent to the numbers of this customer is shown here, with the answers."
      />
    </Card>
  )
}
