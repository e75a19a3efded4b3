import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { StoredMessage } from 'caseworker'
import { useConfig } from '../api/me.ts'
import { readPages, rowsOf } from '../api/read.ts'
import { Badge, Status } from '../parts/badge.tsx'
import { LinkButton } from '../parts/button.tsx'
import { useCustomerOfMessage } from '../parts/customer/use-customer-name.ts'
import { Icon } from '../parts/icon.tsx'
import { textOfMessage } from '../parts/message/message-text.ts'
import { written } from '../parts/message/phone-number.ts'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time/time.tsx'
import { Filters } from './filters.tsx'
import { messageQueryOf } from './message-search.ts'

const route = getRouteApi('/frame/message')
const LIMIT = 50

/** What was sent and what customers wrote, newest first. */
export function MessagesPage() {
  const search = route.useSearch()
  const plugins = useConfig()?.plugins
  const messages = useInfiniteQuery(
    readPages('listMessages', cursor => ({
      query: { ...messageQueryOf(search), limit: LIMIT, ...(cursor ? { cursor } : {}) },
    })),
  )
  const nameOf = (id: string) => plugins?.find(plugin => plugin.id === id)?.name ?? 'a deleted one'
  const isAnyFilter = Object.values(search).some(value => value !== undefined)
  const columns: Column<StoredMessage>[] = [
    {
      id: 'text',
      header: 'Message',
      cell: message => (
        <Link
          to="/message/$messageId"
          params={{ messageId: message.id }}
          className="block max-w-[36vw] truncate hover:underline sm:max-w-none"
        >
          {message.direction === 'INBOUND' && <Icon name="left" className="mr-1 align-[-0.15em] text-info" />}
          {textOfMessage(message)}
        </Link>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      width: 7.5,
      cell: ({ direction, deliveryStatus }) =>
        direction === 'INBOUND' ? <Badge tone="info">Received</Badge> : <Status of={deliveryStatus} />,
    },
    {
      id: 'number',
      header: 'Customer',
      width: 17,
      from: 'sm',
      cell: message => <CustomerCell message={message} />,
    },
    { id: 'plugin', header: 'Plugin', from: 'lg', width: 14, cell: ({ plugin }) => nameOf(plugin) },
    { id: 'time', header: 'Time', width: 9, cell: ({ timestamp }) => <Time at={timestamp} isRelative /> },
  ]
  return (
    <Page
      title="Messages"
      isFull
      actions={
        <LinkButton to="/opt-out" tone="quiet">
          Opt-outs
        </LinkButton>
      }
    >
      <Filters search={search} />
      <Loaded query={messages} lines={8}>
        {data => (
          <DataTable
            label="Messages"
            rows={rowsOf(data)}
            columns={columns}
            keyOf={({ id }) => id}
            hasMore={messages.hasNextPage && !messages.isFetchNextPageError}
            isReadingMore={messages.isFetchingNextPage}
            onMore={() => void messages.fetchNextPage()}
            empty={
              isAnyFilter ? (
                <Empty
                  icon="message"
                  title={messages.hasNextPage ? 'None yet: looking further back' : 'No message is like that'}
                  action={
                    <LinkButton to="/message" search={{}}>
                      All messages
                    </LinkButton>
                  }
                />
              ) : (
                <Empty icon="message" title="No messages yet">
                  What is sent by a plugin, and what customers answer, is shown here with its way to the phone.
                </Empty>
              )
            }
          />
        )}
      </Loaded>
    </Page>
  )
}

/** The number, after the name of the customer who has it. */
function CustomerCell({ message }: { message: StoredMessage }) {
  const number = message.context.contactIdentifier
  const name = useCustomerOfMessage(message)
  if (number === '') return <span className="text-ink-3">erased</span>
  return (
    <Link to="/message" search={{ phoneNumber: number }} className="hover:underline" title="All with this number">
      {name === undefined || written(name) === written(number) ? (
        written(number)
      ) : (
        <>
          <span dir="auto">{name}</span> <span className="text-ink-2">{written(number)}</span>
        </>
      )}
    </Link>
  )
}
