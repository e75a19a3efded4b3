import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Customer } from 'caseworker'
import { type FormEvent, useEffect, useState } from 'react'
import { listRows, read, readPages } from '../api/read.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { findIdentity, formatCustomerName } from '../parts/customer/customer-name.ts'
import { CustomerValue } from '../parts/customer/customer-value.tsx'
import { TextInput } from '../parts/field.tsx'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time.tsx'
import { parseSearch } from './identity.ts'

/**
 * Lists all customers, newest first, finds some by words of their names, and one by a phone number or an e-mail
 * address.
 */
export function CustomersPage() {
  const { find } = useSearch({ from: '/frame/customer' })
  const navigate = useNavigate({ from: '/customer' })
  const [text, setText] = useState(find ?? '')
  useEffect(() => setText(find ?? ''), [find])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void navigate({ search: text.trim() === '' ? {} : { find: text.trim() } })
  }
  return (
    <Page title="Customers" isFull={find === undefined}>
      <search>
        <form onSubmit={submit} className="flex flex-wrap gap-2">
          <TextInput
            type="search"
            className="max-w-lg min-w-0 flex-[1_1_12rem]"
            aria-label="Name, phone number or e-mail address"
            placeholder="Name, phone number with country code, or e-mail address"
            value={text}
            onChange={event => setText(event.target.value)}
          />
          <Button tone="main" type="submit" icon="search">
            Find
          </Button>
          {find !== undefined && (
            <LinkButton to="/customer" search={{}} tone="quiet">
              All customers
            </LinkButton>
          )}
        </form>
      </search>
      {find === undefined ? <CustomerList /> : <FoundCustomer find={find} />}
    </Page>
  )
}

/** Lists the customers with a number, an address, or words in their name. */
function FoundCustomer({ find }: { find: string }) {
  const sought = parseSearch(find)
  return 'words' in sought ? <CustomerList search={sought.words} /> : <ByIdentity find={find} query={sought} />
}

function ByIdentity({ find, query }: { find: string; query: { phone: string } | { email: string } }) {
  const found = useQuery(read('listRecords', { query }))
  return (
    <Loaded query={found} lines={3}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty icon="people" title={`Nobody is known by ${find}`}>
            The first process with it makes the customer.
          </Empty>
        ) : (
          <div className="flex max-w-xl flex-col gap-3">
            {data.map(customer => (
              <Card key={customer.id}>
                <Link
                  to="/customer/$recordId"
                  params={{ recordId: customer.id }}
                  className="mb-2 inline-block text-[15px] font-semibold text-accent hover:underline"
                >
                  {formatCustomerName(customer)}
                </Link>
                <Facts
                  facts={Object.entries(customer.data).map(([name, value]) => [
                    name,
                    <CustomerValue key={name} name={name} value={value} />,
                  ])}
                />
              </Card>
            ))}
          </div>
        )
      }
    </Loaded>
  )
}

const LIMIT = 50

const identityColumn = (
  kind: 'phone' | 'email',
  header: string,
  { from, width }: Pick<Column<Customer>, 'from' | 'width'>,
): Column<Customer> => ({
  id: kind,
  header,
  ...(from && { from }),
  ...(width && { width }),
  cell: customer => {
    const given = findIdentity(customer, kind)
    return given ? <CustomerValue {...given} /> : <span className="text-ink-3">–</span>
  },
})

const COLUMNS: Column<Customer>[] = [
  {
    id: 'name',
    header: 'Customer',
    cell: customer => (
      <Link
        to="/customer/$recordId"
        params={{ recordId: customer.id }}
        dir="auto"
        className="block max-w-[52vw] truncate font-medium hover:underline sm:max-w-none"
      >
        {formatCustomerName(customer)}
      </Link>
    ),
  },
  identityColumn('phone', 'Phone number', { from: 'sm', width: 12 }),
  identityColumn('email', 'E-mail address', { from: 'md' }),
  {
    id: 'changed',
    header: 'Changed',
    width: 9,
    from: 'lg',
    cell: ({ createdAt, updatedAt }) =>
      updatedAt === createdAt ? <span className="text-ink-3">–</span> : <Time at={updatedAt} isRelative />,
  },
  { id: 'created', header: 'Created', width: 9, cell: ({ createdAt }) => <Time at={createdAt} isRelative /> },
]

interface CustomerListProps {
  /** Words of their names; absent: all, newest first. */
  search?: string
}

/** Read on as it is scrolled. */
function CustomerList({ search }: CustomerListProps) {
  const sought = search === undefined ? {} : { search }
  const customers = useInfiniteQuery(
    readPages('listRecords', cursor => ({ query: { ...sought, cursor, limit: LIMIT } })),
  )
  return (
    <Loaded query={customers} lines={8}>
      {data => (
        <DataTable
          label="Customers"
          rows={listRows(data)}
          columns={COLUMNS}
          getKey={({ id }) => id}
          hasMore={customers.hasNextPage && !customers.isFetchNextPageError}
          isReadingMore={customers.isFetchingNextPage}
          onMore={() => void customers.fetchNextPage()}
          empty={
            search === undefined ? (
              <Empty icon="people" title="No customers yet">
                A process with a phone number or an e-mail address makes its customer.
              </Empty>
            ) : (
              <Empty icon="search" title={`No customer is called “${search}”`}>
                Each word must begin a word of the name. Customers are also found by their phone number with the country
                code, and by their e-mail address.
              </Empty>
            )
          }
        />
      )}
    </Loaded>
  )
}
