import type { CallInput, StoredMessage } from 'caseworker'
import { dayIn, parseWord, textIn } from '../api/address.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../parts/message/delivery-status.ts'
import { toTimes } from '../parts/times.ts'

export const DIRECTIONS = ['OUTBOUND', 'INBOUND'] as const satisfies readonly StoredMessage['direction'][]

const STATUSES = DELIVERY_STATUSES.map(({ status }) => status)

/** The filter of the list of messages, all of which is in the address. */
export interface MessageSearch {
  /** Digits. Messages of a number or of a process have no other filters, those of a job only a status. */
  phoneNumber?: string | undefined
  process?: string | undefined
  backgroundJob?: string | undefined
  status?: DeliveryStatus | undefined
  direction?: (typeof DIRECTIONS)[number] | undefined
  plugin?: string | undefined
  template?: string | undefined
  /** Days of the reader's zone, the last one included: `2026-11-22`. */
  from?: string | undefined
  to?: string | undefined
}

export function readMessageSearch(raw: Record<string, unknown>): MessageSearch {
  const phoneNumber = textIn(raw.phoneNumber)?.replace(/\D/g, '') || undefined
  const process = textIn(raw.process)
  const backgroundJob = textIn(raw.backgroundJob)
  // The API takes one of the three; of the filters only a status, with a job.
  if (phoneNumber) return { phoneNumber }
  if (process) return { process }
  if (backgroundJob) return { backgroundJob, status: parseWord(STATUSES, raw.status) }
  return {
    status: parseWord(STATUSES, raw.status),
    direction: parseWord(DIRECTIONS, raw.direction),
    plugin: textIn(raw.plugin),
    template: textIn(raw.template),
    from: dayIn(raw.from),
    to: dayIn(raw.to),
  }
}

/** Builds the query of the API. */
export function toMessageQuery({
  from,
  to,
  ...search
}: MessageSearch): NonNullable<CallInput<'listMessages'>['query']> {
  const given = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
  return { ...given, ...toTimes({ from, to }) }
}
