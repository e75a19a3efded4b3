import type { WebhookDelivery } from 'caseworker'

const SECOND_MS = 1_000

/** The headers of an attempt that follow from it, as the reference of webhooks says them. The signature is not kept. */
export const sentHeaders = ({ event, at, sequence }: Pick<WebhookDelivery, 'event' | 'at' | 'sequence'>): string =>
  [
    `webhook-id: ${event}`,
    `webhook-timestamp: ${Math.floor(at / SECOND_MS)}`,
    `webhook-sequence: ${sequence}`,
    'webhook-signature: v1,… (made for each attempt, not kept)',
  ].join('\n')
