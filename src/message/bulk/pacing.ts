import { withTimeout } from '../../timeout.ts'
import type { SendStep } from './kind.ts'
import type { Granted } from './pace-rules.ts'
import type { PlannedMessage, StepPlan } from './plan.ts'

/** How fast messages go out from a number: asked of the number's object. */
export interface Pace {
  of: (
    team: number,
    number: string,
  ) => { take: (phones: string[], perSecond: number) => Promise<Granted>; hold: (ms: number) => Promise<void> }
  /** Of a number that has no limit of its own. */
  perSecond: number
}

const PATIENCE_MS = 3_000
/** So short a wait is spent here; a longer one is another turn. */
const SHORT_WAIT_MS = 2_000
const SHORT_WAITS_MAX = 5

/** As much of a plan as may be sent now: what its customer has to wait for is deferred, what its number has to is left. */
export async function applyPace(step: SendStep, plan: StepPlan): Promise<StepPlan> {
  for (let waits = 0; ; waits++) {
    const { refused, stop } = await ask(step, plan.toSend)
    const end = stop?.place ?? plan.outcomes.length
    const toSend = plan.toSend.filter(({ place }) => place < end && !refused.has(place))
    const now = Date.now()
    const outcomes = plan.outcomes.slice(0, end).map((outcome, place) => {
      const ms = refused.get(place)
      return ms === undefined ? outcome : ({ status: 'DEFERRED', at: now + ms } as const)
    })
    if (!stop) return { ...plan, outcomes, toSend }
    if (toSend.length > 0 || refused.size > 0) return { ...plan, outcomes, toSend, wait: undefined }
    if (stop.ms > SHORT_WAIT_MS || waits === SHORT_WAITS_MAX)
      return { ...plan, outcomes, toSend, wait: { ms: stop.ms } }
    await scheduler.wait(stop.ms)
  }
}

/** Which of the messages their customers have to wait for, and the first one that its number has to wait for. */
async function ask({ sender: { pace }, scope }: SendStep, toSend: readonly PlannedMessage[]) {
  const refused = new Map<number, number>()
  const stops: { place: number; ms: number }[] = []
  const bySender = [...Map.groupBy(toSend, ({ draft }) => draft.sender)]
  const granted = await Promise.all(bySender.map(([sender, each]) => take(pace, scope.team.no, sender, each)))
  for (const [nth, [, each]] of bySender.entries())
    for (const [index, { place }] of each.entries()) {
      const { waits = [], waitMs = 0 } = granted[nth] ?? {}
      const ms = waits[index]
      if (ms === undefined) stops.push({ place, ms: waitMs })
      else if (ms > 0) refused.set(place, ms)
    }
  const [stop] = stops.sort((one, other) => one.place - other.place)
  return { refused, stop }
}

/** Where nobody can be asked, the provider's own limits are left to decide. */
async function take(pace: Pace, team: number, sender: string, toSend: readonly PlannedMessage[]): Promise<Granted> {
  const perSecond = toSend[0]?.draft.plugin.phoneNumbers.find(({ id }) => id === sender)?.messagesPerSecond
  const phones = toSend.map(({ draft }) => draft.phone)
  try {
    const asking = (async () => pace.of(team, sender).take(phones, perSecond ?? pace.perSecond))()
    return await withTimeout(PATIENCE_MS, asking)
  } catch (error) {
    console.warn(JSON.stringify({ pace: 'unknown', cause: String(error) }))
    return { waits: toSend.map(() => 0), waitMs: 0 }
  }
}

/** The provider has had too much of a number: everybody who sends many from it waits. */
export const holdSender = (pace: Pace, team: number, sender: string, ms: number): Promise<unknown> =>
  withTimeout(PATIENCE_MS, (async () => pace.of(team, sender).hold(ms))()).catch((error: unknown) =>
    console.warn(JSON.stringify({ pace: 'not held', cause: String(error) })),
  )
