import { DurableObject } from 'cloudflare:workers'
import { openDatabase } from '../../db/databases.ts'
import { selectFeedTeams } from '../../event/feed-rows.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import { getProvider } from '../../plugin/provider.ts'
import { sleep } from '../../timeout.ts'
import { createSettlementQueue } from '../ledger/queue.ts'
import { NOT_ATTEMPTED, type Settlement, settleMessages } from '../ledger/settle.ts'
import { callProvider, type ProviderCall } from '../send/call-provider.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import { CONNECTIONS_MAX, createSenderPool, dispatch } from './dispatch.ts'

/** A sender remembers a message for so long after the last moment at which it would still send it. */
const MEMORY_MS = 60_000
/** If the runner has not acknowledged the results by then, the sender writes them itself. */
const ACKNOWLEDGE_MS_MAX = 15_000

/** A claimed message, with all that it takes to call the provider and to settle the result. */
export interface OutboundMessage {
  call: ProviderCall
  team: number
  settlement: Omit<Settlement, 'result' | 'at'>
  /** The start that its number's rate limiter has reserved, and the last moment at which it may be sent. */
  startAt: number
  lastStart: number
  /** How long its result is waited for. */
  answerMs: number
}

/** Null: the provider has not answered yet; the sender writes the result itself. */
export type SendResult = ProviderResult | null

export interface Dispatch {
  /** The name of the sender. */
  name: string
  /** The incarnation of the sender that is meant: its memory tells what it has sent. */
  incarnation: string
  messages: OutboundMessage[]
  /** A runner acknowledges the results when it has written them; another sender does not. */
  isFromRunner: boolean
}

export interface DispatchReply {
  incarnation: string
  /** They stand in the order of the messages. Null: another incarnation was meant, and nothing was sent. */
  results: SendResult[] | null
}

/**
 * Sends messages by up to six connections of its own, and splits more among other senders, which do the same. Each message
 * is sent once, however often it is dispatched. A sender stores nothing: what it has sent it remembers for a minute.
 */
export class MessageSender extends DurableObject<Env> {
  readonly #incarnation = crypto.randomUUID()
  readonly #pool = createSenderPool(this.env)
  readonly #provider = getProvider(this.env)
  readonly #sent = new Map<string, { result: Promise<SendResult>; lastStart: number }>()
  readonly #unacknowledged = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #calls = new Set<Promise<unknown>>()

  /** Tells its incarnation, which changes when its memory is lost. */
  open(): string {
    return this.#incarnation
  }

  async dispatch({ name, incarnation, messages, isFromRunner }: Dispatch): Promise<DispatchReply> {
    if (incarnation !== this.#incarnation) return { incarnation: this.#incarnation, results: null }
    this.#forget()
    this.#begin(
      name,
      messages.filter(({ settlement: { id } }) => !this.#sent.has(id)),
    )
    const all = messages.map(({ settlement: { id } }) => this.#sent.get(id)?.result ?? NOT_ATTEMPTED)
    const results = await Promise.all(all)
    if (isFromRunner) this.#awaitAcknowledgement(messages, results)
    return { incarnation, results }
  }

  /** The runner has written the results of a dispatch that begins with this message. */
  acknowledge(id: string): void {
    clearTimeout(this.#unacknowledged.get(id))
    this.#unacknowledged.delete(id)
  }

  #begin(name: string, messages: readonly OutboundMessage[]): void {
    const remember = ({ settlement: { id }, lastStart }: OutboundMessage, result: Promise<SendResult>) =>
      this.#sent.set(id, { result, lastStart })
    if (messages.length <= CONNECTIONS_MAX) for (const message of messages) remember(message, this.#deliver(message))
    else
      for (const [part, some] of split(messages).entries()) {
        const results = dispatch(this.#pool, `${name}/${part}`, some)
        for (const [index, message] of some.entries())
          remember(
            message,
            results.then(all => all[index] ?? null),
          )
      }
  }

  /** The result, if it comes soon enough to be waited for. */
  async #deliver(message: OutboundMessage): Promise<SendResult> {
    const waitMs = Math.max(0, message.startAt - Date.now())
    const called = this.#callWhenDue(message, waitMs)
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(() => {
      const settled = called.then(result => this.#settle([message], [result]))
      this.ctx.waitUntil(settled.catch(() => undefined))
      resolve(null)
    }, waitMs + message.answerMs)
    return Promise.race([called.finally(() => clearTimeout(timer)), late])
  }

  async #callWhenDue({ call, lastStart }: OutboundMessage, waitMs: number): Promise<ProviderResult> {
    if (waitMs > 0) await sleep(waitMs)
    // A connection that has to be waited for may cost the time in which the provider has to answer.
    while (this.#calls.size >= CONNECTIONS_MAX) await Promise.race(this.#calls)
    // Later than this the task 'settle interrupted messages' may count the message as lost (`PENDING_MS_MAX`) while it is being sent.
    if (Date.now() > lastStart) return NOT_ATTEMPTED
    const calling = callProvider(this.#provider, call)
    this.#calls.add(calling)
    return calling.finally(() => this.#calls.delete(calling))
  }

  async #settle(messages: readonly OutboundMessage[], results: readonly SendResult[]): Promise<void> {
    const settlements = messages.flatMap(({ settlement }, index) => {
      const result = results[index]
      return result ? [{ ...settlement, result, at: Date.now() }] : []
    })
    const [first] = messages
    if (!first || settlements.length === 0) return
    const context = { db: openDatabase(this.env), queue: createSettlementQueue(this.env) }
    const teams = await settleMessages(context, { team: first.team, settlements }, [selectFeedTeams([first.team])])
    for (const team of teams) await signalCommit(this.env, team)
  }

  /** A runner that is gone does not write the results. Those that were written already do not change. */
  #awaitAcknowledgement(messages: readonly OutboundMessage[], results: readonly SendResult[]): void {
    const id = messages[0]?.settlement.id ?? ''
    this.acknowledge(id)
    const write = () => {
      this.#unacknowledged.delete(id)
      this.ctx.waitUntil(this.#settle(messages, results).catch(() => undefined))
    }
    this.#unacknowledged.set(id, setTimeout(write, ACKNOWLEDGE_MS_MAX))
  }

  #forget(): void {
    const before = Date.now() - MEMORY_MS
    for (const [id, { lastStart }] of this.#sent) if (lastStart < before) this.#sent.delete(id)
  }
}

/** At most six parts, each of whole sixes: what goes out one after the other stays together. */
function split(messages: readonly OutboundMessage[]): OutboundMessage[][] {
  const size = CONNECTIONS_MAX * Math.ceil(messages.length / CONNECTIONS_MAX ** 2)
  return Array.from({ length: Math.ceil(messages.length / size) }, (_, part) =>
    messages.slice(part * size, (part + 1) * size),
  )
}
