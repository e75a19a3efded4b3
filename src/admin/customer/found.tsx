import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/read.ts'
import { nameOfCustomer } from '../parts/customer/customer-name.ts'
import { CustomerValue } from '../parts/customer/customer-value.tsx'
import { Card, Facts } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { CustomerList } from './all.tsx'
import { soughtBy } from './identity.ts'

/** Who is known by a number or an address, or is called so. */
export function FoundCustomer({ find }: { find: string }) {
  const sought = soughtBy(find)
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
                  {nameOfCustomer(customer)}
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
