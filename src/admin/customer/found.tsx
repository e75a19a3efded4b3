import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useConfig } from '../api/me.ts'
import { read } from '../api/read.ts'
import { nameOfCustomer } from '../parts/customer/customer-name.ts'
import { CustomerValue } from '../parts/customer/customer-value.tsx'
import { Card, Facts } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { soughtBy } from './identity.ts'

/** Who is known by a number or an address; of other words, where they are searched. */
export function FoundCustomer({ find }: { find: string }) {
  const sought = soughtBy(find)
  return 'words' in sought ? <ByWords words={sought.words} /> : <ByIdentity find={find} query={sought} />
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

/** Customers have no search by words; procedures have one, of attributes that they declare as searchable. */
function ByWords({ words }: { words: string }) {
  const procedures = (useConfig()?.procedures ?? []).filter(({ attributes }) =>
    attributes.some(each => each.searchable),
  )
  return (
    <Empty icon="search" title={`“${words}” is no phone number and no e-mail address`}>
      <p>These are what customers are found by.</p>
      {procedures.length > 0 && (
        <>
          <p className="mt-2">Words, a name for example, are searched among processes:</p>
          <ul className="mt-1">
            {procedures.map(({ shortId, name }) => (
              <li key={shortId}>
                <Link
                  to="/procedure/$procedureShortId/process"
                  params={{ procedureShortId: shortId }}
                  search={{ search: words }}
                  className="text-accent underline underline-offset-2"
                >
                  {`“${words}” in ${name}`}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </Empty>
  )
}
