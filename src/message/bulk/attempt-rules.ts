import { type Outcome, toOutcome } from '../../background-job/entry.ts'
import { AppError } from '../../errors.ts'
import type { ProviderError } from '../../plugin/codes.ts'
import { DAY_MS, SECOND_MS } from '../../time-units.ts'
import { type DeliveryReason, PENDING_MS_MAX, toDeliveryStatus, toSendFailure } from '../rules.ts'
import type { ProviderResult } from '../send/provider-result.ts'

/** How often a job tries an entry that the provider defers, and how long it waits for that at most. */
const ATTEMPTS_MAX = 5
const WAIT_MS_MAX = 60_000
const BACKOFF = 4
/** The provider was slow, or the way to it was. */
const NOT_ATTEMPTED_WAIT_SECONDS = 10

/** What is known of one attempt at an entry. */
export interface Attempt extends AttemptRow {
  attempt: number
  sourceId: string
  resentAs: string | null
  updatedAt: number
}

/** What a job is to do with an entry, given what became of it so far. */
type AttemptState =
  | { kind: 'to-send'; attempt: number; resendOf: string | null }
  | { kind: 'decided'; outcome: Outcome }
  /** Claimed so long ago that its runner is gone: the provider may have it. */
  | { kind: 'unknown' }
  /** Another sender is sending it. */
  | { kind: 'busy' }
  | { kind: 'wait'; ms: number }

/** Attempts in their order. Those of an earlier job are what this one is the retry of. */
export function toAttemptState(attempts: readonly Attempt[], jobId: string, now: number): AttemptState {
  const last = attempts.at(-1)
  if (!last) return { kind: 'to-send', attempt: 1, resendOf: null }
  const again = { kind: 'to-send', attempt: last.attempt + 1, resendOf: last.id } as const
  const own = attempts.filter(each => each.sourceId === jobId).length
  switch (toDeliveryStatus(last.delivery)) {
    case 'PENDING':
      return now - last.updatedAt < PENDING_MS_MAX ? { kind: 'busy' } : { kind: 'unknown' }
    case 'FAILED': {
      if (last.resentAs !== null) return { kind: 'decided', outcome: toOutcome(resentByHandError(last)) }
      if (own === 0) return again
      const ms = retryDelayMs({ error: last.error, ...(last.reason ? { reason: last.reason } : {}) }, own)
      if (last.externalId !== null || ms === undefined) return { kind: 'decided', outcome: toMessageOutcome(last) }
      return now >= last.updatedAt + ms ? again : { kind: 'wait', ms: last.updatedAt + ms - now }
    }
    default:
      return { kind: 'decided', outcome: toMessageOutcome(last) }
  }
}

/** Clocks differ, and a step takes its time: an entry counts as forgotten a day before its messages are removed. */
const FORGOTTEN_MARGIN_MS = DAY_MS

/**
 * Whether the messages of an entry may have been removed because of their age (`createMessageExpiryTask`): then nobody knows
 * any more whether it was sent. The entries of a job that has not ended keep theirs, so this is asked of retries only.
 */
export const isForgotten = (
  attempts: readonly Attempt[],
  originAt: number,
  retentionMs: number,
  now: number,
): boolean => attempts.length === 0 && originAt < now - retentionMs + FORGOTTEN_MARGIN_MS

export const createForgottenOutcome = (): Outcome =>
  toOutcome(
    new AppError('conflict', [
      {
        message: 'the first attempt is so long ago that its messages were removed: whether it was sent is not known',
        hint: 'send it in a new job',
      },
    ]),
  )

const resentByHandError = ({ id, resentAs }: Attempt) =>
  new AppError('conflict', [{ message: `message ${id} was sent again already, as ${resentAs}`, detail: { resentAs } }])

type Refusal = Pick<ProviderResult, 'reason'> & { error?: ProviderError | null | undefined }

/** The provider's own wait, longer with each attempt; undefined where another attempt is no use. */
function backoffMs({ error, reason }: Refusal, attempts: number): number | undefined {
  const isRetried = reason === 'NOT_ATTEMPTED' ? !error : error?.class === 'retry'
  if (!isRetried) return undefined
  const first = (error ? (error.waitSeconds ?? 1) : NOT_ATTEMPTED_WAIT_SECONDS) * SECOND_MS
  return first > WAIT_MS_MAX ? undefined : Math.min(WAIT_MS_MAX, first * BACKOFF ** (attempts - 1))
}

/**
 * How long after a refusal the entry is tried again; undefined where it ends. What is stopped is not waited for here: the
 * next attempt finds it stopped, and waits for that.
 */
export function retryDelayMs(refusal: Refusal, attempts: number): number | undefined {
  const { error } = refusal
  if (error?.class === 'stop-plugin' || error?.class === 'stop-sender') return 0
  return attempts >= ATTEMPTS_MAX ? undefined : backoffMs(refusal, attempts)
}

/** How long a number that has sent too much is blocked, however often it was refused. */
export const blockMs = (error: ProviderError, attempts: number): number => backoffMs({ error }, attempts) ?? WAIT_MS_MAX

interface AttemptRow {
  id: string
  process: string | null
  externalId: string | null
  delivery: number
  error: ProviderError | null
  reason: DeliveryReason | null
}

/** Accepted is a success, whatever comes later: the message itself tells that. */
export function toMessageOutcome(state: AttemptRow): Outcome {
  const failure = state.externalId === null ? toSendFailure(state) : undefined
  if (failure) return toOutcome(failure)
  const { process, id, externalId } = state
  return { status: 'SUCCESS', result: { ...(process === null ? {} : { id: process }), messageId: id, externalId } }
}
