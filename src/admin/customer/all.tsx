import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Customer } from 'caseworker'
import { readPages, rowsOf } from '../api/read.ts'
import { givenIdentity, nameOfCustomer } from '../parts/customer/customer-name.ts'
import { CustomerValue } from '../parts/customer/customer-value.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time/time.tsx'

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
    const given = givenIdentity(customer, kind)
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
        {nameOfCustomer(customer)}
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
export function CustomerList({ search }: CustomerListProps) {
  const sought = search === undefined ? {} : { search }
  const customers = useInfiniteQuery(
    readPages('listRecords', cursor => ({ query: { ...sought, cursor, limit: LIMIT } })),
  )
  return (
    <Loaded query={customers} lines={8}>
      {data => (
        <DataTable
          label="Customers"
          rows={rowsOf(data)}
          columns={COLUMNS}
          keyOf={({ id }) => id}
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
