import { useQuery } from '@tanstack/react-query'
import type { StoredMessage } from 'caseworker'
import { useMay } from '../../api/me.ts'
import { read } from '../../api/read.ts'
import { formatCustomerName } from './customer-name.ts'

const STALE_MS = 5 * 60_000

/** Returns the name of the customer with this id; undefined where there is none, or while it is being read. */
export function useCustomerName(id: string | null | undefined): string | undefined {
  const may = useMay()
  const customer = useQuery({
    ...read('getRecord', { path: { recordId: id ?? '' } }),
    enabled: typeof id === 'string' && may('process:read'),
    staleTime: STALE_MS,
  })
  return customer.data && formatCustomerName(customer.data.data)
}

/** Returns the name of the customer of a message: a sent message has only the number. */
export function useMessageCustomer(message: StoredMessage | undefined): string | undefined {
  const may = useMay()
  const phone = message?.context.contactIdentifier ?? ''
  const known = useCustomerName(message?.record)
  const found = useQuery({
    ...read('listRecords', { query: { phone } }),
    enabled: message?.record === null && phone !== '' && may('process:read'),
    staleTime: STALE_MS,
  })
  const [customer] = found.data?.data ?? []
  return known ?? (customer && formatCustomerName(customer))
}
