import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Navigate, useParams, useSearch } from '@tanstack/react-router'
import { formatCurl } from '../api/curl.ts'
import { useConfig, useMay } from '../api/me.ts'
import { read, readPages } from '../api/read.ts'
import { Code, Json } from '../parts/code.tsx'
import { formatCustomerName } from '../parts/customer/customer-name.ts'
import { isCode } from '../parts/failure.ts'
import { MessageList } from '../parts/message/message-list.tsx'
import { Card, Page, Tabs } from '../parts/page.tsx'
import { CustomerProcesses } from '../parts/process/customer-processes.tsx'
import { Empty, FailureNote, Loading } from '../parts/states.tsx'
import { DataCard } from './data-card.tsx'
import { EraseCustomer } from './erase.tsx'
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
