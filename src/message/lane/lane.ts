import type { Provider } from '../../plugin/provider.ts'
import { NOT_ATTEMPTED, type Settlement, type SettlementMessage } from '../ledger/settle.ts'
import { callProvider, type ProviderCall } from '../send/call-provider.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import { handOver, type Lanes } from './handover.ts'

/** Connections that an invocation may have open at once. Calls of other lanes are counted as well. */
export const CONNECTIONS_MAX = 6
/** So long a lane remembers what it has sent, from the moment on at which it would refuse to send it. */
const MEMORY_MS = 60_000

/** If nobody says by then that the results are written down, the lane that was handed the messages writes them itself. */
const RELEASE_MS_MAX = 15_000

/** A claimed message, with what calling the provider and settling the result take. */
export interface LaneMessage {
  call: ProviderCall
  team: number
  settlement: Omit<Settlement, 'result' | 'at'>
  /** Its place in the pace of its number, and the last moment at which it may be sent. */
  startAt: number
  lastStart: number
  /** How long its result is waited for. */
  answerMs: number
}

/** Null: the provider has not answered yet; the lane writes the result itself. */
export type LaneResult = ProviderResult | null

export interface Handover {
  name: string
  /** The instance of the lane that is meant: its memory tells what it has sent. */
  instance: string
  messages: LaneMessage[]
  /** It comes from a runner, not from another lane: the runner says when the results are written down. */
  isOfRunner: boolean
}

export interface LaneReply {
  instance: string
  /** In the order of the messages. Null: another instance was meant, and nothing was sent. */
  results: LaneResult[] | null
}

/** What a lane works with. */
export interface LaneContext {
  provider: Provider
  lanes: Lanes
  settle: (message: SettlementMessage) => Promise<unknown>
  /** Does something later, unless what is returned is called before. */
  after: (ms: number, act: () => void) => () => void
  keepAlive: (work: Promise<unknown>) => void
}

/**
 * Sends messages with connections of its own: up to six itself; more are split among other lanes, which do the same. Each
 * message is sent once, however often it is handed over.
 */
export class Lane {
  readonly #instance = crypto.randomUUID()
  readonly #sent = new Map<string, { result: Promise<LaneResult>; lastStart: number }>()
  /** Handovers of a runner that are not written down yet, by the id of their first message. */
  readonly #unwritten = new Map<string, () => void>()
  readonly #calls = new Set<Promise<unknown>>()
  readonly #context: LaneContext

  constructor(context: LaneContext) {
    this.#context = context
  }

  open(): string {
    return this.#instance
  }

  async send({ name, instance, messages, isOfRunner }: Handover): Promise<LaneReply> {
    if (instance !== this.#instance) return { instance: this.#instance, results: null }
    this.#forget()
    this.#begin(
      name,
      messages.filter(({ settlement: { id } }) => !this.#sent.has(id)),
    )
    const results = messages.map(({ settlement: { id } }) => this.#sent.get(id)?.result ?? NOT_ATTEMPTED)
    const all = await Promise.all(results)
    if (isOfRunner) this.#keep(messages, all)
    return { instance, results: all }
  }

  /** The runner has written down the results of a handover that begins with this message. */
  release(id: string): void {
    this.#unwritten.get(id)?.()
    this.#unwritten.delete(id)
  }

  /** A runner that is gone does not write the results down. Those that were written down already do not change. */
  #keep(messages: readonly LaneMessage[], results: readonly LaneResult[]): void {
    const [first] = messages
    if (!first) return
    const { id } = first.settlement
    this.release(id)
    const settlements = messages.flatMap(({ settlement }, index) => {
      const result = results[index]
      return result ? [{ ...settlement, result, at: Date.now() }] : []
    })
    const write = () => {
      this.#unwritten.delete(id)
      this.#context.keepAlive(this.#context.settle({ team: first.team, settlements }).catch(() => undefined))
    }
    this.#unwritten.set(id, this.#context.after(RELEASE_MS_MAX, write))
  }

  #begin(name: string, messages: readonly LaneMessage[]): void {
    const remember = ({ settlement: { id }, lastStart }: LaneMessage, result: Promise<LaneResult>) =>
      this.#sent.set(id, { result, lastStart })
    if (messages.length <= CONNECTIONS_MAX) for (const message of messages) remember(message, this.#deliver(message))
    else
      for (const [part, some] of split(messages).entries()) {
        const results = handOver(this.#context.lanes, `${name}/${part}`, some)
        for (const [index, message] of some.entries())
          remember(
            message,
            results.then(all => all[index] ?? null),
          )
      }
  }

  /** The result, if it comes soon enough to be waited for. */
  async #deliver(message: LaneMessage): Promise<LaneResult> {
    const waitMs = Math.max(0, message.startAt - Date.now())
    const called = this.#callWhenDue(message, waitMs)
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(() => {
      const settled = called.then(result => this.#settle(message, result))
      this.#context.keepAlive(settled.catch(() => undefined))
      resolve(null)
    }, waitMs + message.answerMs)
    return Promise.race([called.finally(() => clearTimeout(timer)), late])
  }

  async #callWhenDue({ call, lastStart }: LaneMessage, waitMs: number): Promise<ProviderResult> {
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs))
    // A connection that has to be waited for may cost the time in which the provider has to answer.
    while (this.#calls.size >= CONNECTIONS_MAX) await Promise.race(this.#calls)
    // Later than this the sweeper may count the message as lost (`PENDING_MS_MAX`) while it is being sent.
    if (Date.now() > lastStart) return NOT_ATTEMPTED
    const calling = callProvider(this.#context.provider, call)
    this.#calls.add(calling)
    return calling.finally(() => this.#calls.delete(calling))
  }

  #settle({ team, settlement }: LaneMessage, result: ProviderResult): Promise<unknown> {
    return this.#context.settle({ team, settlements: [{ ...settlement, result, at: Date.now() }] })
  }

  #forget(): void {
    const before = Date.now() - MEMORY_MS
    for (const [id, { lastStart }] of this.#sent) if (lastStart < before) this.#sent.delete(id)
  }
}

/** At most six parts, each of whole sixes: what goes out one after the other stays together. */
function split(messages: readonly LaneMessage[]): LaneMessage[][] {
  const size = CONNECTIONS_MAX * Math.ceil(messages.length / CONNECTIONS_MAX ** 2)
  return Array.from({ length: Math.ceil(messages.length / size) }, (_, part) =>
    messages.slice(part * size, (part + 1) * size),
  )
}
