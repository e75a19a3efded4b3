import { withTimeout } from '../../timeout.ts'
import type { SendStep } from './kind.ts'
import type { Granted } from './pace-rules.ts'
import type { PlannedMessage, SendPlan } from './plan.ts'

/** Access to the objects that hold the pace of each number. */
export interface SenderPaces {
  of: (number: string) => {
    take: (phones: string[], perSecond: number) => Promise<Granted>
    giveBack: (phones: string[]) => Promise<void>
    hold: (ms: number) => Promise<void>
  }
  /** Of a number that has no limit of its own. */
  perSecond: number
}

const TIME_LIMIT_MS = 3_000
/** So short a wait is spent here; a longer one is another turn. */
const SHORT_WAIT_MS = 2_000
const SHORT_WAITS_MAX = 5

/** As much of a plan as may be sent now: what its customer has to wait for is deferred, what its number has to is left. */
export async function applyPace(step: SendStep, plan: SendPlan): Promise<SendPlan> {
  for (let waits = 0; ; waits++) {
    const { deferred, stop } = await askPace(step, plan.toSend)
    const end = stop?.place ?? plan.outcomes.length
    const toSend = plan.toSend.filter(({ place }) => place < end && !deferred.has(place))
    const now = Date.now()
    const outcomes = plan.outcomes.slice(0, end).map((outcome, place) => {
      const ms = deferred.get(place)
      return ms === undefined ? outcome : ({ status: 'DEFERRED', at: now + ms } as const)
    })
    if (!stop) return { ...plan, outcomes, toSend }
    if (toSend.length > 0 || outcomes.some(outcome => outcome?.status === 'DEFERRED'))
      return { ...plan, outcomes, toSend, wait: undefined }
    if (stop.ms > SHORT_WAIT_MS || waits === SHORT_WAITS_MAX)
      return { ...plan, outcomes, toSend, wait: { ms: stop.ms } }
    await scheduler.wait(stop.ms)
  }
}

/**
 * Which of the messages their customers have to wait for, and the first one that its number has to wait for. The numbers
 * are asked one after the other, each only for what is sent before that; what was granted beyond it is given back.
 */
async function askPace({ sender: { pace } }: SendStep, toSend: readonly PlannedMessage[]) {
  const deferred = new Map<number, number>()
  const granted: PlannedMessage[] = []
  let stop: { place: number; ms: number } | undefined
  for (const [number, all] of Map.groupBy(toSend, ({ draft }) => draft.sender)) {
    const before = stop?.place ?? Number.POSITIVE_INFINITY
    const asked = all.filter(({ place }) => place < before)
    if (asked.length === 0) continue
    const { waits, waitMs } = await take(pace, number, asked)
    for (const [index, message] of asked.entries()) {
      const ms = waits[index]
      if (ms === 0) granted.push(message)
      else if (ms !== undefined) deferred.set(message.place, ms)
      else {
        stop = { place: message.place, ms: waitMs }
        break
      }
    }
  }
  const end = stop?.place ?? Number.POSITIVE_INFINITY
  await giveBackGrants(
    pace,
    granted.filter(({ place }) => place > end),
  )
  return { deferred, stop }
}

/** If the object does not answer, everything is granted: the provider has limits of its own. */
async function take(pace: SenderPaces, number: string, toSend: readonly PlannedMessage[]): Promise<Granted> {
  const perSecond = toSend[0]?.draft.plugin.phoneNumbers.find(({ id }) => id === number)?.messagesPerSecond
  const phones = toSend.map(({ draft }) => draft.phone)
  try {
    const asking = (async () => pace.of(number).take(phones, perSecond ?? pace.perSecond))()
    return await withTimeout(TIME_LIMIT_MS, asking)
  } catch (error) {
    console.warn(JSON.stringify({ pace: 'unknown', cause: String(error) }))
    return { waits: toSend.map(() => 0), waitMs: 0 }
  }
}

/** Gives back grants of messages that are not sent, so that others do not wait for them. */
export const giveBackGrants = (pace: SenderPaces, unused: readonly PlannedMessage[]): Promise<unknown> =>
  Promise.all(
    [...Map.groupBy(unused, ({ draft }) => draft.sender)].map(([number, messages]) =>
      tell('not given back', async () => pace.of(number).giveBack(messages.map(({ draft }) => draft.phone))),
    ),
  )

/** The provider's limit for a number was exceeded: all jobs that send from it wait. */
export const holdSender = (pace: SenderPaces, number: string, ms: number): Promise<unknown> =>
  tell('not held', async () => pace.of(number).hold(ms))

const tell = (what: string, act: () => Promise<unknown>): Promise<unknown> =>
  withTimeout(TIME_LIMIT_MS, act()).catch((error: unknown) =>
    console.warn(JSON.stringify({ pace: what, cause: String(error) })),
  )
