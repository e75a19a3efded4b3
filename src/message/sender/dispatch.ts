import { getDurableObject } from '../../durable-objects.ts'
import { withTimeout } from '../../timeout.ts'
import { NOT_ATTEMPTED } from '../ledger/settle.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import type { Dispatch, DispatchReply, MessageSender, OutboundMessage, SendResult } from './message-sender.ts'

/** Connections that an invocation may have open at once. Calls to other senders are counted as well. */
export const CONNECTIONS_MAX = 6
/** How long a message is waited for from its start on; what takes longer is settled by its sender. */
export const ANSWER_MS_MAX = 3_000
const OPEN_MS_MAX = 3_000
/** For the way to a sender and back, and for each level of senders below it. */
const LEVEL_MS = 1_000
const TRIES_MAX = 3
/** So many senders of a job alternate: one that still waits for slow answers is not the next one. */
const SENDERS_PER_JOB = 8

/** The senders by name. */
export interface SenderPool {
  get: (name: string) => Pick<DurableObjectStub<MessageSender>, 'open' | 'dispatch' | 'acknowledge'>
  /** The incarnations of the senders that were met, by their names. */
  incarnations: Map<string, string>
  /** The number of the last sender in turn, and those that have not answered yet. */
  last: number
  busy: Set<number>
}

export const createSenderPool = (env: Pick<Env, 'MESSAGE_SENDER'>): SenderPool => ({
  get: name => getDurableObject(env, 'MESSAGE_SENDER', name),
  incarnations: new Map(),
  last: -1,
  busy: new Set(),
})

/** A message without a known result is never sent again automatically. */
const NO_RESPONSE: ProviderResult = { status: 'UNKNOWN', reason: 'INTERRUPTED' }

/** Dispatches messages of a job to its senders by turns. The promise never rejects. */
export async function dispatchInTurn(
  pool: SenderPool,
  jobId: string,
  messages: readonly OutboundMessage[],
): Promise<{ results: SendResult[]; acknowledge: () => Promise<void> }> {
  const inTurn = Array.from({ length: SENDERS_PER_JOB }, (_, nth) => (pool.last + 1 + nth) % SENDERS_PER_JOB)
  const next = inTurn.find(each => !pool.busy.has(each)) ?? (pool.last + 1) % SENDERS_PER_JOB
  const name = `${jobId}/${next}`
  pool.last = next
  pool.busy.add(next)
  const results = await dispatch(pool, name, messages, true)
  pool.busy.delete(next)
  return { results, acknowledge: () => acknowledge(pool, name, messages) }
}

/**
 * Hands messages to a sender, and resolves to their results; it never rejects. A dispatch whose reply is lost is repeated:
 * an incarnation of a sender sends a message once, however often it is told to. If the sender was restarted since, nobody
 * knows what it has sent: what was to start later was certainly not sent, the others are UNKNOWN.
 */
export async function dispatch(
  pool: SenderPool,
  name: string,
  messages: readonly OutboundMessage[],
  isFromRunner = false,
): Promise<SendResult[]> {
  const all = (result: ProviderResult) => messages.map(() => result)
  const known = await openSender(pool, name).catch(() => undefined)
  if (known === undefined) return all(NOT_ATTEMPTED)
  let incarnation: string = known
  let isLost = false
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    try {
      const sent: Dispatch = { name, incarnation, messages: [...messages], isFromRunner }
      const reply: DispatchReply = await withTimeout(getReplyMsMax(messages), () => pool.get(name).dispatch(sent))
      pool.incarnations.set(name, reply.incarnation)
      if (reply.results) return reply.results
      if (isLost) return messages.map(({ startAt }) => (startAt > Date.now() ? NOT_ATTEMPTED : NO_RESPONSE))
      incarnation = reply.incarnation
    } catch (error) {
      console.warn(JSON.stringify({ messageSender: name, attempt, cause: String(error) }))
      // It was refused before it was let in.
      if (!isLost && isOverloaded(error)) return all(NOT_ATTEMPTED)
      isLost = true
    }
  }
  pool.incarnations.delete(name)
  return all(isLost ? NO_RESPONSE : NOT_ATTEMPTED)
}

/** Says that the results of a dispatch are written. If that is not heard, the sender writes them as well. */
async function acknowledge(pool: SenderPool, name: string, [first]: readonly OutboundMessage[]): Promise<void> {
  try {
    if (first) await withTimeout(OPEN_MS_MAX, () => pool.get(name).acknowledge(first.settlement.id))
  } catch {
    // See above.
  }
}

async function openSender({ get, incarnations }: SenderPool, name: string): Promise<string> {
  const open = () => withTimeout(OPEN_MS_MAX, () => get(name).open())
  return incarnations.get(name) ?? (await open().catch(open))
}

/** After this long the reply to a dispatch counts as lost. */
function getReplyMsMax(messages: readonly OutboundMessage[]): number {
  const last = Math.max(...messages.map(({ startAt, answerMs }) => startAt + answerMs))
  const levels = Math.ceil(Math.log(messages.length) / Math.log(CONNECTIONS_MAX) + 1)
  return Math.max(0, last - Date.now()) + levels * LEVEL_MS
}

const isOverloaded = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && Reflect.get(error, 'overloaded') === true
