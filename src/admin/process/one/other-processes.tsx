import { useConfig } from '../../api/me.ts'
import { ProcessesOfCustomer } from '../../parts/process/of-customer.tsx'

/** What else there is of the customer, in all procedures. */
export function OtherProcesses({ recordId, processId }: { recordId: string; processId: string }) {
  const procedures = useConfig()?.procedures ?? []
  return <ProcessesOfCustomer recordId={recordId} procedures={procedures} current={processId} />
}
