import type { Step } from '../background-job/step.ts'
import { within } from '../background-job/within.ts'
import type { Plan, ToSend } from './bulk-plan.ts'
import { paceOf } from './pace.ts'
import type { Granted } from './pace-rules.ts'

const PATIENCE_MS = 3_000
/** So short a wait is spent here; a longer one is another turn. */
const SHORT_WAIT_MS = 2_000
const SHORT_WAITS_MAX = 5

/** As much of a plan as may be sent now, by the limits of the numbers that it goes out from. */
export async function paced(step: Step, plan: Plan): Promise<Plan> {
  for (let waits = 0; ; waits++) {
    const { first, waitMs } = await firstRefused(step, plan.toSend)
    if (first === undefined) return plan
    const toSend = plan.toSend.filter(({ place }) => place < first.place)
    const outcomes = plan.outcomes.slice(0, first.place)
    if (toSend.length > 0) return { ...plan, outcomes, toSend, wait: undefined }
    if (waitMs > SHORT_WAIT_MS || waits === SHORT_WAITS_MAX) return { ...plan, outcomes, toSend, wait: { ms: waitMs } }
    await scheduler.wait(waitMs)
  }
}

async function firstRefused({ env, scope }: Step, toSend: readonly ToSend[]) {
  const bySender = Map.groupBy(toSend, ({ draft }) => draft.sender)
  const refused = await Promise.all(
    [...bySender].map(async ([sender, each]) => {
      const { count, waitMs } = await take(env, scope.team.no, sender, each)
      return { first: each[count], waitMs }
    }),
  )
  const [soonest] = refused
    .flatMap(({ first, waitMs }) => (first ? [{ first, waitMs }] : []))
    .sort((one, other) => one.first.place - other.first.place)
  return soonest ?? { first: undefined, waitMs: 0 }
}

/** Where nobody can be asked, the provider's own limits are left to decide. */
async function take(env: Env, team: number, sender: string, toSend: readonly ToSend[]): Promise<Granted> {
  const perSecond = toSend[0]?.draft.plugin.phoneNumbers.find(({ id }) => id === sender)?.messagesPerSecond
  const phones = toSend.map(({ draft }) => draft.phone)
  try {
    const asking = (async () =>
      paceOf(env, team, sender).take(phones, perSecond ?? Number(env.WHATSAPP_MESSAGES_PER_SECOND)))()
    return await within(PATIENCE_MS, asking)
  } catch (error) {
    console.warn(JSON.stringify({ pace: 'unknown', cause: String(error) }))
    return { count: toSend.length, waitMs: 0 }
  }
}

/** The provider has had too much of a number: everybody who sends many from it waits. */
export const holdSender = (env: Env, team: number, sender: string, ms: number): Promise<unknown> =>
  within(PATIENCE_MS, (async () => paceOf(env, team, sender).hold(ms))()).catch((error: unknown) =>
    console.warn(JSON.stringify({ pace: 'not held', cause: String(error) })),
  )
