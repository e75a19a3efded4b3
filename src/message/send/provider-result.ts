import * as z from 'zod'
import { readProviderError } from '../../plugin/codes.ts'
import type { ProviderReply } from '../../plugin/provider.ts'
import type { DeliveryEvent } from '../rules.ts'

const Accepted = z.object({ messages: z.array(z.object({ id: z.string().min(1) })).min(1) })

export type ProviderResult = Pick<DeliveryEvent, 'status' | 'externalId' | 'error' | 'reason'>

/**
 * What is certain after a response. Accepted only if the provider says so with an id; refused only if it says so with a
 * code and no failure of its own: after a 5xx the message may be on its way all the same.
 */
export function toProviderResult({ status, json }: ProviderReply): ProviderResult {
  const accepted = Accepted.safeParse(json).data?.messages[0]
  if (status >= 200 && status < 300 && accepted) return { status: 'SENT', externalId: accepted.id }
  const error = readProviderError(json)
  if (status >= 500) return { status: 'UNKNOWN', reason: 'UNAVAILABLE', ...(error ? { error } : {}) }
  return error ? { status: 'FAILED', error } : { status: 'UNKNOWN', reason: 'UNREADABLE' }
}

/** No response is no certainty, whatever the reason. */
export const toFailedResult = (thrown: unknown): ProviderResult => ({
  status: 'UNKNOWN',
  reason: thrown instanceof Error && thrown.name === 'TimeoutError' ? 'TIMEOUT' : 'UNAVAILABLE',
})
