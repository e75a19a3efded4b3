import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { StoredMessage } from 'caseworker'
import { type FormEvent, useEffect, useState } from 'react'
import { useConfig } from '../api/me.ts'
import { listRows, readPages } from '../api/read.ts'
import { Badge, Status } from '../parts/badge.tsx'
import { Button, LinkButton } from '../parts/button.tsx'
import { useMessageCustomer } from '../parts/customer/use-customer-name.ts'
import { Select, TextInput } from '../parts/field.tsx'
import { Go } from '../parts/go.tsx'
import { Icon } from '../parts/icon.tsx'
import { DELIVERY_STATUSES } from '../parts/message/delivery-status.ts'
import { formatMessage } from '../parts/message/message-text.ts'
import { formatPhone } from '../parts/message/phone-number.ts'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { DayInput, Time } from '../parts/time.tsx'
import { DIRECTIONS, type MessageSearch, toMessageQuery } from './message-search.ts'

const route = getRouteApi('/frame/message')
const LIMIT = 50

/** Lists sent and received messages, newest first. */
export function MessagesPage() {
  const search = route.useSearch()
  const plugins = useConfig()?.plugins
  const messages = useInfiniteQuery(
    readPages('listMessages', cursor => ({
      query: { ...toMessageQuery(search), limit: LIMIT, ...(cursor ? { cursor } : {}) },
    })),
  )
  const getPluginName = (id: string) => plugins?.find(plugin => plugin.id === id)?.name ?? 'a deleted one'
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
          {formatMessage(message)}
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
    { id: 'plugin', header: 'Plugin', from: 'lg', width: 14, cell: ({ plugin }) => getPluginName(plugin) },
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
            rows={listRows(data)}
            columns={columns}
            getKey={({ id }) => id}
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
  const name = useMessageCustomer(message)
  if (number === '') return <span className="text-ink-3">erased</span>
  return (
    <Link to="/message" search={{ phoneNumber: number }} className="hover:underline" title="All with this number">
      {name === undefined || formatPhone(name) === formatPhone(number) ? (
        formatPhone(number)
      ) : (
        <>
          <span dir="auto">{name}</span> <span className="text-ink-2">{formatPhone(number)}</span>
        </>
      )}
    </Link>
  )
}

/** Failed ones come first: readers look for them most. */
const STATUSES = DELIVERY_STATUSES.toReversed().map(({ status, label }) => ({ value: status, label }))
const DIRECTION_WORDS = { OUTBOUND: 'Sent', INBOUND: 'Received' } as const
/** The API takes 7 to 15 digits. */
const DIGITS_MIN = 7
const DIGITS_MAX = 15

/** The number, or the filters: messages of a number are shown whole. */
function Filters({ search }: { search: MessageSearch }) {
  const plugins = useConfig()?.plugins ?? []
  const navigate = useNavigate()
  const go = (next: MessageSearch) => void navigate({ to: '/message', search: next })
  const { phoneNumber, process, backgroundJob } = search
  const isOfAll = phoneNumber === undefined && process === undefined && backgroundJob === undefined
  const set = (change: MessageSearch) => go({ ...(isOfAll ? search : { backgroundJob }), ...change })
  const isFiltered = Object.values(search).some(value => value !== undefined)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <NumberSearch number={phoneNumber ?? ''} onSearch={number => go(number === '' ? {} : { phoneNumber: number })} />
      {(isOfAll || backgroundJob !== undefined) && (
        <Select
          aria-label="Status"
          className="w-auto!"
          value={search.status ?? ''}
          onChange={({ target }) => set({ status: STATUSES.find(({ value }) => value === target.value)?.value })}
          options={[{ value: '', label: 'Any status' }, ...STATUSES]}
        />
      )}
      {isOfAll && (
        <>
          <Select
            aria-label="Direction"
            className="w-auto!"
            value={search.direction ?? ''}
            onChange={({ target }) => set({ direction: DIRECTIONS.find(each => each === target.value) })}
            options={[
              { value: '', label: 'Both directions' },
              ...DIRECTIONS.map(each => ({ value: each, label: DIRECTION_WORDS[each] })),
            ]}
          />
          {plugins.length > 1 && (
            <Select
              aria-label="Plugin"
              className="w-auto! max-w-56"
              value={search.plugin ?? ''}
              onChange={({ target }) => set({ plugin: target.value || undefined })}
              options={[
                { value: '', label: 'All plugins' },
                ...plugins.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
          )}
          <DayInput label="From" day={search.from} onChange={from => set({ from })} />
          <DayInput label="To" day={search.to} onChange={to => set({ to })} />
        </>
      )}
      {process !== undefined && <span className="text-ink-2">Those of one process</span>}
      {backgroundJob !== undefined && (
        <span className="text-ink-2">
          Those of{' '}
          <Go to={`/background-job/${backgroundJob}`} className="text-accent underline">
            one job
          </Go>
        </span>
      )}
      {isFiltered && (
        <Link to="/message" search={{}} className="px-2 text-[13px] text-ink-2 underline">
          All messages
        </Link>
      )}
    </div>
  )
}

function NumberSearch({ number, onSearch }: { number: string; onSearch: (number: string) => void }) {
  const [text, setText] = useState(number && `+${number}`)
  useEffect(() => setText(number && `+${number}`), [number])
  const digits = text.replace(/\D/g, '').replace(/^00/, '')
  const isWhole = digits === '' || (digits.length >= DIGITS_MIN && digits.length <= DIGITS_MAX)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isWhole) onSearch(digits)
  }
  return (
    <search>
      <form onSubmit={submit} className="flex items-center gap-1">
        <TextInput
          type="search"
          inputMode="tel"
          aria-label="Phone number"
          placeholder="+91 94483 00007"
          className="w-52!"
          aria-invalid={isWhole ? undefined : true}
          aria-describedby={isWhole ? undefined : 'number-why'}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <Button icon="search" type="submit" aria-label="Find the messages of this number" disabled={!isWhole} />
        {!isWhole && (
          <span id="number-why" className="text-[13px] text-bad">
            A whole number, with its country code
          </span>
        )}
      </form>
    </search>
  )
}
