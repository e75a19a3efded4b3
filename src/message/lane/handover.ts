import { withTimeout } from '../../timeout.ts'
import { NOT_ATTEMPTED } from '../ledger/settle.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import { CONNECTIONS_MAX, type Handover, type LaneMessage, type LaneReply, type LaneResult } from './message.ts'

/** How long a message is waited for from its start on; what takes longer is settled by its lane. */
export const ANSWER_MS_MAX = 3_000
const OPEN_MS_MAX = 3_000
/** For the way to a lane and back, and for each level of lanes below it. */
const LEVEL_MS = 1_000
const TRIES_MAX = 3

/** The lanes by name, and the instances of those that were met. */
export interface Lanes {
  of: (name: string) => {
    open: () => Promise<string>
    send: (handover: Handover) => Promise<LaneReply>
    release: (id: string) => Promise<void>
  }
  instances: Map<string, string>
}

/** A message without a known result is never sent again automatically. */
const NO_RESPONSE: ProviderResult = { status: 'UNKNOWN', reason: 'INTERRUPTED' }

/**
 * Hands messages to a lane, and resolves to their results; it never rejects. A handover whose answer is lost is repeated:
 * an instance of a lane sends a message once, however often it is told to. If the lane was restarted since, nobody knows
 * what it has sent: what was to start later was certainly not sent, the others are UNKNOWN.
 */
export async function handOver(
  lanes: Lanes,
  name: string,
  messages: readonly LaneMessage[],
  isOfRunner = false,
): Promise<LaneResult[]> {
  const all = (result: ProviderResult) => messages.map(() => result)
  const known = await instanceOf(lanes, name).catch(() => undefined)
  if (known === undefined) return all(NOT_ATTEMPTED)
  let instance: string = known
  let isLost = false
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    try {
      const handover: Handover = { name, instance, messages: [...messages], isOfRunner }
      const reply: LaneReply = await withTimeout(answerMsMax(messages), (async () => lanes.of(name).send(handover))())
      lanes.instances.set(name, reply.instance)
      if (reply.results) return reply.results
      if (isLost) return messages.map(({ startAt }) => (startAt > Date.now() ? NOT_ATTEMPTED : NO_RESPONSE))
      instance = reply.instance
    } catch (error) {
      console.warn(JSON.stringify({ lane: name, attempt, cause: String(error) }))
      // Refused before it was let in.
      if (!isLost && isOverloaded(error)) return all(NOT_ATTEMPTED)
      isLost = true
    }
  }
  lanes.instances.delete(name)
  return all(isLost ? NO_RESPONSE : NOT_ATTEMPTED)
}

/** Says that the results of a handover are written down. If that is not heard, the lane writes them as well. */
export async function releaseLane(lanes: Lanes, name: string, [first]: readonly LaneMessage[]): Promise<void> {
  try {
    if (first) await withTimeout(OPEN_MS_MAX, (async () => lanes.of(name).release(first.settlement.id))())
  } catch {
    // See above.
  }
}

async function instanceOf({ of, instances }: Lanes, name: string): Promise<string> {
  const opening = async () => of(name).open()
  return (
    instances.get(name) ?? (await withTimeout(OPEN_MS_MAX, opening()).catch(() => withTimeout(OPEN_MS_MAX, opening())))
  )
}

/** When the answer to a handover is overdue. */
function answerMsMax(messages: readonly LaneMessage[]): number {
  const last = Math.max(...messages.map(({ startAt, answerMs }) => startAt + answerMs))
  const levels = Math.ceil(Math.log(messages.length) / Math.log(CONNECTIONS_MAX) + 1)
  return Math.max(0, last - Date.now()) + levels * LEVEL_MS
}

const isOverloaded = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && Reflect.get(error, 'overloaded') === true
