import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Customer } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { formatCurl } from '../api/curl.ts'
import { useConfig, useMay } from '../api/me.ts'
import { read, readPages } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { Code, Json } from '../parts/code.tsx'
import { formatCustomerName } from '../parts/customer/customer-name.ts'
import { Question } from '../parts/dialog.tsx'
import { isCode } from '../parts/failure.ts'
import { Checkbox } from '../parts/field.tsx'
import { MessageList } from '../parts/message/message-list.tsx'
import { Card, Page, Tabs } from '../parts/page.tsx'
import { CustomerProcesses } from '../parts/process/customer-processes.tsx'
import { Empty, FailureNote, Loading } from '../parts/states.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { CUSTOMER_READS, DataCard } from './data-card.tsx'
import { MergeCustomer } from './merge.tsx'
import { CustomerTimeline } from './timeline.tsx'

const WITHIN = [{ label: 'Customers', to: '/customer' as const }]

/** A customer: data, what happened, processes of all procedures, messages. */
export function CustomerPage() {
  const { recordId } = useParams({ from: '/frame/customer/$recordId' })
  const { tab } = useSearch({ from: '/frame/customer/$recordId' })
  const may = useMay()
  const procedures = useConfig()?.procedures ?? []
  const found = useQuery(read('getRecord', { path: { recordId } }))
  if (found.isPending) return <Loading />
  if (found.error)
    return (
      <Page title="Customer" within={WITHIN}>
        {isCode(found.error, 'not_found', 'invalid_request') ? (
          <Empty icon="people" title={`There is no customer ${recordId}`}>
            The address may be mistyped, or the customer was erased.
          </Empty>
        ) : (
          <FailureNote error={found.error} onRetry={() => void found.refetch()} />
        )}
      </Page>
    )
  const { data: customer, headers } = found.data
  // The address is that of a customer who was merged into this one.
  if (customer.id !== recordId.toLowerCase())
    return <Navigate to="/customer/$recordId" params={{ recordId: customer.id }} replace />
  const to = (chosen?: NonNullable<typeof tab>) => ({
    to: '/customer/$recordId' as const,
    params: { recordId },
    search: chosen ? { tab: chosen } : {},
  })
  return (
    <Page
      title={formatCustomerName(customer)}
      within={WITHIN}
      actions={
        <>
          <MergeCustomer customer={customer} />
          <EraseCustomer customer={customer} />
        </>
      }
    >
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
        <DataCard read={{ customer, etag: headers.get('etag') ?? '' }} canEdit={may('process:write')} />
        <div className="min-w-0">
          <Tabs
            label="More about the customer"
            tabs={[
              { label: 'Timeline', ...to() },
              { label: 'Processes', ...to('processes') },
              ...(may('message:read') ? [{ label: 'Messages', ...to('messages') }] : []),
              { label: 'JSON and curl', ...to('json') },
            ]}
          />
          <div className="mt-3">
            {tab === undefined && <CustomerTimeline customer={customer} />}
            {tab === 'processes' && <CustomerProcesses recordId={recordId} procedures={procedures} />}
            {tab === 'messages' && may('message:read') && <CustomerMessages recordId={recordId} />}
            {tab === 'json' && (
              <Card>
                <div className="flex flex-col gap-3">
                  <Code label="Fetch with curl" text={formatCurl('GET', `/v1/ext/record/${recordId}`)} />
                  <Json label="JSON" value={customer} />
                </div>
              </Card>
            )}
          </div>
        </div>
      </div>
    </Page>
  )
}

/** The messages to the numbers of a customer, and the answers. */
function CustomerMessages({ recordId }: { recordId: string }) {
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

/** Wherever something of the customer was shown, but for the page that is left. */
const ERASED_READS = [
  ...CUSTOMER_READS.filter(each => each !== 'getRecord' && each !== 'listHistoryOfRecord'),
  'listMessages',
  'getMessage',
  'listMessagesOfRecord',
  'listProcessesOfRecord',
] as const

/** Erases the person, for good: what goes and what stays is said before. */
function EraseCustomer({ customer }: { customer: Customer }) {
  const may = useMay()
  const navigate = useNavigate()
  const [isAsked, setAsked] = useState(false)
  const [isEverywhere, setEverywhere] = useState(false)
  const name = formatCustomerName(customer)
  const erase = useChange('eraseRecord', {
    rereads: ERASED_READS,
    done: ({ data: { isComplete, processes, messages, remains } }) =>
      remains.some(({ what }) => what === 'record')
        ? `${name} is not gone yet: the database is full, so number and address are kept. Erase once more when there is room`
        : isComplete
          ? `${name} is erased: ${howMany(processes, 'process stays', 'processes stay')} without a customer, ${howMany(messages, 'message', 'messages')} lost text and number`
          : `${name} is erased. There is much of it: messages and processes follow within a minute or two`,
    onDone: () => {
      setAsked(false)
      void navigate({ to: '/customer' })
    },
  })
  if (!may('process:delete')) return null
  return (
    <>
      <Button tone="quiet" icon="trash" onClick={() => setAsked(true)}>
        Erase …
      </Button>
      <Question
        title={`Erase ${name}?`}
        confirm="Erase for good"
        typed={name}
        isOpen={isAsked}
        isPending={erase.isPending}
        onClose={() => setAsked(false)}
        onConfirm={() =>
          erase.mutate({
            path: { recordId: customer.id },
            ...(isEverywhere && { query: { everywhere: 'true' as const } }),
          })
        }
      >
        <p>This can’t be undone.</p>
        <p className="mt-2 font-medium text-ink">What is erased</p>
        <ul className="list-disc pl-5">
          <li>all data of the customer, with the number and the address that identify them</li>
          <li>texts, numbers and parameters of the messages to them</li>
          <li>what history and events hold of the customer</li>
        </ul>
        {may('process:purge') && (
          <div className="mt-2">
            <Checkbox
              label="Everywhere: also the personal attributes of the processes, in history and jobs as well"
              checked={isEverywhere}
              onChange={({ target }) => setEverywhere(target.checked)}
            />
          </div>
        )}
        <p className="mt-2 font-medium text-ink">What remains</p>
        <ul className="list-disc pl-5">
          <li>
            {isEverywhere
              ? 'the processes, without a customer and without personal attributes: other attributes stay, also in their history'
              : 'the processes, without a customer: what your team stored in them stays, also in their history'}
          </li>
          <li>that there were messages, with status, template and time</li>
          <li>an opt-out: the number alone, so that nobody writes to it again</li>
          <li>backups, for 30 days, and entries of jobs until these are deleted</li>
        </ul>
        <p className="mt-2">Messages to them that jobs have yet to send are not sent.</p>
      </Question>
    </>
  )
}
