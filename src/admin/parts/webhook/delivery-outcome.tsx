import type { WebhookDelivery } from 'caseworker'
import { Badge } from '../badge.tsx'

export const DeliveryOutcome = ({ delivery: { isDelivered, status, error } }: { delivery: WebhookDelivery }) => (
  <Badge tone={isDelivered ? 'good' : 'bad'}>{status ?? error ?? 'No response'}</Badge>
)
