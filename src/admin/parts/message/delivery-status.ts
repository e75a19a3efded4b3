import type { StoredMessage } from 'caseworker'
import type { ChartColor } from '../chart.tsx'

export type DeliveryStatus = StoredMessage['deliveryStatus']

interface ShownStatus {
  status: DeliveryStatus
  label: string
  color: ChartColor
}

/** The statuses from the best to the worst, in the order of a bar. */
export const DELIVERY_STATUSES: readonly ShownStatus[] = [
  { status: 'READ', label: 'Read', color: 1 },
  { status: 'DELIVERED', label: 'Delivered', color: 'good' },
  { status: 'SENT', label: 'Sent', color: 'info' },
  { status: 'PENDING', label: 'Pending', color: 'plain' },
  { status: 'UNKNOWN', label: 'Unknown', color: 'warn' },
  { status: 'FAILED', label: 'Failed', color: 'bad' },
]
