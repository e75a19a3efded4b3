import { SECOND_MS } from '../../time-units.ts'
import { sleep, withTimeout } from '../../timeout.ts'
import type { Reservation } from '../send/rate-limit-rules.ts'
import type { EntryDecision, RateLimiters, SendStep } from './batch.ts'
import type { PlannedMessage, SendPlan } from './plan.ts'

/** A message with the start that its number's rate limiter has reserved. */
export interface ReservedMessage extends PlannedMessage {
  startAt: number
  /** The same by the clock of the rate limiter. */
  start: number
}

export interface ReservedPlan extends SendPlan {
  toSend: ReservedMessage[]
}

const TIME_LIMIT_MS = 3_000
/** So short a wait is spent here; a longer one is for another run slice. */
const SHORT_WAIT_MS = 2_000
const SHORT_WAITS_MAX = 5
/** The way to the senders, where they have to be made first. */
const SENDERS_MS = 100
/** A claim takes about twice as long as the read before it. */
const CLAIM_READS = 2
const CLAIM_MS = 50

/** How long entries are skipped at least, so that a number has a step for about a second's messages, not for each. */
const SKIPPED_MS_MIN = 1_000

/**
 * As much of a plan as may be sent now. What its customer has to wait for is delayed. What its number has to wait for is
 * left to the next step, unless messages of other numbers are behind it: then it is delayed as well; or skipped, if it is
 * much, or has to wait long.
 */
export async function reserveStarts(step: SendStep, plan: SendPlan): Promise<ReservedPlan> {
  for (let waits = 0; ; waits++) {
    const { toSend, delayed, held } = await askLimiters(step, plan.toSend)
    const lastToGo = Math.max(-1, ...toSend.map(({ place }) => place))
    const waiting = new Map([...held].filter(([, ms]) => !maySkip(step, ms)))
    const soonest = Math.min(...waiting.values())
    const isStuck = toSend.length === 0 && delayed.size === 0 && held.size > 0 && waiting.size === held.size
    if (isStuck && soonest <= SHORT_WAIT_MS && waits < SHORT_WAITS_MAX) {
      await sleep(soonest)
      continue
    }
    const isDelayed = isStuck && hasOtherNumbers(step, plan.toSend)
    const left = [...waiting.keys()].filter(place => place > lastToGo)
    const end = isDelayed ? plan.decisions.length : Math.min(plan.decisions.length, ...left)
    const now = Date.now()
    const decisions = plan.decisions.slice(0, end).map((decision, place): EntryDecision => {
      const ms = delayed.get(place) ?? waiting.get(place)
      const skippedMs = held.get(place)
      if (ms !== undefined) return { mode: 'delayed', at: now + ms }
      if (skippedMs === undefined) return decision
      return { mode: 'skipped', at: now + Math.max(skippedMs, SKIPPED_MS_MIN) }
    })
    const isCut = end < plan.decisions.length
    if (isStuck && isCut) return { ...plan, decisions, toSend, wait: { ms: soonest } }
    return isCut ? { ...plan, decisions, toSend, wait: undefined } : { ...plan, decisions, toSend }
  }
}

/** Whether the job skips all messages of a number that has to wait so long. */
const maySkip = ({ othersRemain, mayDelay, source }: SendStep, ms: number): boolean =>
  othersRemain && (ms > SHORT_WAIT_MS || !mayDelay || source === 'skipped')

/** Whether the job goes on to messages of other numbers, if these are delayed. */
function hasOtherNumbers({ othersRemain, source, entriesAfter }: SendStep, held: readonly PlannedMessage[]): boolean {
  const numbers = new Set(held.map(({ draft }) => draft.sender))
  return (
    othersRemain &&
    (source !== 'cursor' || entriesAfter.some(({ apiData }) => !numbers.has(String(apiData.whatsappPhoneNumberId))))
  )
}

/** Which messages may go; for how long the others have to wait: for their customer (`delayed`), or for their number. */
async function askLimiters({ scope, sender: { limiters } }: SendStep, planned: readonly PlannedMessage[]) {
  const leadMs = CLAIM_READS * (Date.now() - scope.now) + CLAIM_MS + SENDERS_MS
  const toSend: ReservedMessage[] = []
  const [delayed, held] = [new Map<number, number>(), new Map<number, number>()]
  const askNumber = async (number: string, messages: readonly PlannedMessage[]) => {
    const { now, waits, starts, waitMs } = await reserve(limiters, { team: scope.team.no, number }, messages, leadMs)
    const answeredAt = Date.now()
    for (const [index, message] of messages.entries()) {
      const [ms, start = now] = [waits[index], starts[index]]
      if (ms === 0) toSend.push({ ...message, start, startAt: answeredAt + start - now })
      else if (ms === undefined) held.set(message.place, waitMs)
      else delayed.set(message.place, ms)
    }
  }
  const numbers = Map.groupBy(planned, ({ draft }) => draft.sender)
  await Promise.all([...numbers].map(([number, messages]) => askNumber(number, messages)))
  return { toSend: toSend.sort((one, other) => one.place - other.place), delayed, held }
}

/** If the rate limiter does not answer, all messages go, at the number's rate: the provider has limits of its own. */
async function reserve(
  limiters: RateLimiters,
  { team, number }: { team: number; number: string },
  toSend: readonly PlannedMessage[],
  leadMs: number,
): Promise<Reservation> {
  const own = toSend[0]?.draft.plugin.phoneNumbers.find(({ id }) => id === number)?.messagesPerSecond
  const perSecond = own ?? limiters.perSecond
  const phones = toSend.map(({ draft }) => draft.phone)
  try {
    return await withTimeout(TIME_LIMIT_MS, () => limiters.get(team, number).reserve(phones, perSecond, leadMs))
  } catch (error) {
    console.warn(JSON.stringify({ rateLimiter: 'no answer', cause: String(error) }))
    const starts = toSend.map((_, index) => leadMs + (index * SECOND_MS) / perSecond)
    return { now: 0, waits: toSend.map(() => 0), starts, waitMs: 0 }
  }
}

/** Releases the starts of messages that are not sent, so that others do not wait for them. */
export const releaseUnused = (
  { scope, sender: { limiters } }: Pick<SendStep, 'scope' | 'sender'>,
  unused: readonly ReservedMessage[],
): Promise<unknown> =>
  Promise.all(
    [...Map.groupBy(unused, ({ draft }) => draft.sender)].map(([number, messages]) => {
      const phones = messages.map(({ draft }) => draft.phone)
      const starts = messages.map(({ start }) => start)
      return tryCall('not released', async () => limiters.get(scope.team.no, number).release(phones, starts))
    }),
  )

/**
 * Messages that were claimed too late for their starts go later, all of them, and what is reserved next goes behind them:
 * otherwise more would go out at once than the provider allows.
 */
export async function delayLate<M extends ReservedMessage>(
  { scope, sender: { limiters } }: SendStep,
  claimed: M[],
): Promise<M[]> {
  const lateMs = Date.now() + SENDERS_MS - Math.min(...claimed.map(({ startAt }) => startAt))
  if (lateMs <= 0) return claimed
  const numbers = new Set(claimed.map(({ draft }) => draft.sender))
  await Promise.all(
    [...numbers].map(number => tryCall('not delayed', async () => limiters.get(scope.team.no, number).delay(lateMs))),
  )
  return claimed.map(each => ({ ...each, startAt: each.startAt + lateMs }))
}

/** The provider's limit for a number was exceeded: all jobs of the team that send from it wait. */
export const blockNumber = ({ scope, sender: { limiters } }: SendStep, number: string, ms: number): Promise<unknown> =>
  tryCall('not blocked', async () => limiters.get(scope.team.no, number).block(ms))

const tryCall = (what: string, act: () => Promise<unknown>): Promise<unknown> =>
  withTimeout(TIME_LIMIT_MS, act).catch((error: unknown) =>
    console.warn(JSON.stringify({ rateLimiter: what, cause: String(error) })),
  )
