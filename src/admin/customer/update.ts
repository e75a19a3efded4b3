import type { Customer, OperationId } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { isCode } from '../parts/failure.ts'

/** What is read again after a change of a customer: processes show their customer, too. */
export const CUSTOMER_READS = [
  'getRecord',
  'listRecords',
  'listHistoryOfRecord',
  'getProcessById',
  'listHistoryById',
  'listProcesses',
  'listNewestProcesses',
] as const satisfies readonly OperationId[]

/** A customer as it was read, with the entity tag that says which version it is. */
export interface ReadCustomer {
  customer: Customer
  etag: string
}

export interface CustomerConflict {
  base: Customer
  data: Record<string, unknown>
}

/** Changes attributes of a customer, only if they are still as they were shown. */
export function useCustomerUpdate({ customer, etag }: ReadCustomer, onDone: () => void) {
  const [conflict, setConflict] = useState<CustomerConflict>()
  const update = useChange('updateRecord', { rereads: CUSTOMER_READS, showsFailure: true, onDone })
  return {
    send: (data: Record<string, unknown>) =>
      update.mutate(
        { path: { recordId: customer.id }, body: { data }, options: { ifMatch: etag } },
        { onError: error => isCode(error, 'precondition_failed') && setConflict({ base: customer, data }) },
      ),
    isPending: update.isPending,
    error: conflict ? null : update.error,
    conflict,
    closeConflict: () => {
      setConflict(undefined)
      update.reset()
    },
  }
}
