import { useConfig } from '../../api/me.ts'
import { CustomerProcesses } from '../../parts/process/customer-processes.tsx'

/** What else there is of the customer, in all procedures. */
export function OtherProcesses({ recordId, processId }: { recordId: string; processId: string }) {
  const procedures = useConfig()?.procedures ?? []
  return <CustomerProcesses recordId={recordId} procedures={procedures} current={processId} />
}
