import { AppError } from '../errors.ts'
import type { ProviderError } from '../plugin/codes.ts'

/**
 * How far a message has come. Its place only ever grows, whatever arrives in whatever order: nothing is known of an
 * UNKNOWN one, so anything settles it; a failure gives way only to the customer's having it after all.
 */
export const DELIVERY_STATUSES = ['PENDING', 'UNKNOWN', 'SENT', 'FAILED', 'DELIVERED', 'READ'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export const deliveryNumber = (status: DeliveryStatus): number => DELIVERY_STATUSES.indexOf(status)
export const toDeliveryStatus = (number: number): DeliveryStatus => DELIVERY_STATUSES[number] ?? 'UNKNOWN'

/** A message that is still PENDING after this long is no longer being sent by anybody. */
export const PENDING_MS_MAX = 60_000

/** Something that was learnt about a message. */
export interface DeliveryEvent {
  status: DeliveryStatus
  /** When we learnt it, and when it happened, where the provider says so. */
  at: number
  timestamp: number | null
  source: 'REQUEST' | 'PROVIDER' | 'WEBHOOK' | 'SWEEP'
  externalId?: string
  error?: ProviderError
  /** Why nothing is known; or that it is certain that the provider was not asked. */
  reason?: DeliveryReason
}

export type DeliveryReason = 'TIMEOUT' | 'UNAVAILABLE' | 'UNREADABLE' | 'INTERRUPTED' | 'NOT_ATTEMPTED'

const REASONS: Record<DeliveryReason, string> = {
  TIMEOUT: 'the provider did not respond in time',
  UNAVAILABLE: 'the provider or the way to it failed',
  UNREADABLE: "the provider's response could not be read",
  INTERRUPTED: 'sending was interrupted',
  NOT_ATTEMPTED: 'sending was interrupted before the provider was asked',
}

interface DeliveryState {
  id: string
  delivery: number
  error: ProviderError | null
  reason: DeliveryReason | null
}

/** The error for a message that the provider is not known to have accepted; undefined if it has. */
export function toSendFailure({ id, delivery, error, reason }: DeliveryState): AppError | undefined {
  const detail = { messageId: id, deliveryStatus: toDeliveryStatus(delivery) }
  switch (toDeliveryStatus(delivery)) {
    case 'PENDING':
      return new AppError('request_in_progress', [{ message: `message ${id} is still being sent`, detail }])
    case 'UNKNOWN':
      return new AppError(reason === 'TIMEOUT' ? 'provider_timeout' : 'provider_unavailable', [
        {
          message: `${REASONS[reason ?? 'INTERRUPTED']}: whether message ${id} was sent is not known yet`,
          hint: `it is not sent again automatically; GET /v1/ext/message/${id} shows its status when it arrives`,
          detail: { ...detail, ...(error ? { providerCode: error.code, title: error.title } : {}) },
        },
      ])
    case 'FAILED':
      if (reason === 'NOT_ATTEMPTED' && error === null)
        return new AppError('provider_unavailable', [
          { message: `message ${id} was not sent: ${REASONS.NOT_ATTEMPTED}`, hint: 'send it again', detail },
        ])
      return new AppError('provider_refused', [
        {
          message: `the provider refused the message${error ? `: (${error.code}) ${error.title}` : ' without a reason'}`,
          ...(error ? { hint: error.advice } : {}),
          detail: { ...detail, ...(error ? refusalDetail(error) : {}) },
        },
      ])
    default:
      return undefined
  }
}

const refusalDetail = ({ code, title, details, advice, class: kind, waitSeconds }: ProviderError) => ({
  providerCode: code,
  title,
  details,
  advice,
  class: kind,
  ...(waitSeconds === undefined ? {} : { retryAfterSeconds: waitSeconds }),
})
