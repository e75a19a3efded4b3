import { type Outcome, outcomeOf } from '../../background-job/entry.ts'
import { AppError } from '../../errors.ts'
import type { ProviderError } from '../../plugin/codes.ts'
import { deliveryOf, failureOf as failureOfMessage, PENDING_MS_MAX, type UnknownReason } from '../rules.ts'

/** How often a job tries an entry that the provider puts off, and how long it waits for that at most. */
const ATTEMPTS_MAX = 5
const WAIT_MS_MAX = 60_000
const SECOND_MS = 1000
const BACKOFF = 4

/** What is known of one attempt at an entry. */
export interface Attempt extends Told {
  attempt: number
  sourceId: string
  resentAs: string | null
  updatedAt: number
}

/** What a job is to do with an entry, given what became of it so far. */
export type AttemptState =
  | { kind: 'to-send'; attempt: number; resendOf: string | null }
  | { kind: 'settled'; outcome: Outcome }
  /** Handed to the provider by somebody who did not say what came of it. */
  | { kind: 'lost' }
  /** Being sent at this moment, by somebody else. */
  | { kind: 'busy' }
  | { kind: 'wait'; ms: number }

/** Attempts in their order. Those of an earlier job are what this one is the retry of. */
export function attemptStateOf(attempts: readonly Attempt[], jobId: string, now: number): AttemptState {
  const last = attempts.at(-1)
  if (!last) return { kind: 'to-send', attempt: 1, resendOf: null }
  const again = { kind: 'to-send', attempt: last.attempt + 1, resendOf: last.id } as const
  const own = attempts.filter(each => each.sourceId === jobId).length
  switch (deliveryOf(last.delivery)) {
    case 'PENDING':
      return now - last.updatedAt < PENDING_MS_MAX ? { kind: 'busy' } : { kind: 'lost' }
    case 'FAILED': {
      if (last.resentAs !== null) return { kind: 'settled', outcome: outcomeOf(resentByHand(last)) }
      if (own === 0) return again
      const ms = waitMs(last.error, own)
      if (last.externalId !== null || ms === undefined) return { kind: 'settled', outcome: outcomeOfMessage(last) }
      return now >= last.updatedAt + ms ? again : { kind: 'wait', ms: last.updatedAt + ms - now }
    }
    default:
      return { kind: 'settled', outcome: outcomeOfMessage(last) }
  }
}

const resentByHand = ({ id, resentAs }: Attempt) =>
  new AppError('conflict', [{ message: `message ${id} was sent again already, as ${resentAs}`, detail: { resentAs } }])

/** How long after a refusal the entry is tried again; undefined where that is no use. A stopped plugin waits for itself. */
export function waitMs(error: ProviderError | null | undefined, attempts: number): number | undefined {
  if (error?.class === 'stop-plugin') return 0
  if (error?.class !== 'retry' || attempts >= ATTEMPTS_MAX) return undefined
  const first = (error.waitSeconds ?? 1) * SECOND_MS
  return first > WAIT_MS_MAX ? undefined : Math.min(WAIT_MS_MAX, first * BACKOFF ** (attempts - 1))
}

interface Told {
  id: string
  process: string | null
  externalId: string | null
  delivery: number
  error: ProviderError | null
  reason: UnknownReason | null
}

/** Accepted is a success, whatever comes later: the message itself tells that. */
export function outcomeOfMessage(told: Told): Outcome {
  const failure = told.externalId === null ? failureOfMessage(told) : undefined
  if (failure) return outcomeOf(failure)
  const { process, id, externalId } = told
  return { status: 'SUCCESS', result: { ...(process === null ? {} : { id: process }), messageId: id, externalId } }
}

/** Of an entry that is sent no more, because its job was cancelled while it was deferred: nothing, if it never was. */
export const outcomeOfCancelled = (last: Attempt | undefined): Outcome | undefined => last && outcomeOfMessage(last)
