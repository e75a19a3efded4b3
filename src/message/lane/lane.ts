import type { Provider } from '../../plugin/provider.ts'
import { NOT_ATTEMPTED, type SettlementMessage } from '../ledger/settle.ts'
import { callProvider } from '../send/call-provider.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import { handOver, type Lanes } from './handover.ts'
import { CONNECTIONS_MAX, type Handover, type LaneMessage, type LaneReply, type LaneResult } from './message.ts'

/** So long a lane remembers what it has sent, from the moment on at which it would refuse to send it. */
const MEMORY_MS = 60_000
/** If nobody says by then that the results are written down, the lane that was handed the messages writes them itself. */
const RELEASE_MS_MAX = 15_000

/** What a lane works with. */
export interface LaneContext {
  provider: Provider
  lanes: Lanes
  settle: (message: SettlementMessage) => Promise<unknown>
  /** Does something later, unless what is returned is called before. */
  after: (ms: number, act: () => void) => () => void
  keepAlive: (work: Promise<unknown>) => void
}

export interface Lane {
  /** Which instance this is: its memory is lost with it. */
  open: () => string
  send: (handover: Handover) => Promise<LaneReply>
  /** The runner has written down the results of a handover that begins with this message. */
  release: (id: string) => void
}

/**
 * Sends messages with connections of its own: up to six itself; more are split among other lanes, which do the same. Each
 * message is sent once, however often it is handed over.
 */
export function newLane(context: LaneContext): Lane {
  const self = crypto.randomUUID()
  const sent = new Map<string, { result: Promise<LaneResult>; lastStart: number }>()
  const unwritten = new Map<string, () => void>()
  const calls = new Set<Promise<unknown>>()

  function begin(name: string, messages: readonly LaneMessage[]): void {
    const remember = ({ settlement: { id }, lastStart }: LaneMessage, result: Promise<LaneResult>) =>
      sent.set(id, { result, lastStart })
    if (messages.length <= CONNECTIONS_MAX) for (const message of messages) remember(message, deliver(message))
    else
      for (const [part, some] of split(messages).entries()) {
        const results = handOver(context.lanes, `${name}/${part}`, some)
        for (const [index, message] of some.entries())
          remember(
            message,
            results.then(all => all[index] ?? null),
          )
      }
  }

  /** The result, if it comes soon enough to be waited for. */
  async function deliver(message: LaneMessage): Promise<LaneResult> {
    const waitMs = Math.max(0, message.startAt - Date.now())
    const called = callWhenDue(message, waitMs)
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(() => {
      const settled = called.then(result => settle([message], [result]))
      context.keepAlive(settled.catch(() => undefined))
      resolve(null)
    }, waitMs + message.answerMs)
    return Promise.race([called.finally(() => clearTimeout(timer)), late])
  }

  async function callWhenDue({ call, lastStart }: LaneMessage, waitMs: number): Promise<ProviderResult> {
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs))
    // A connection that has to be waited for may cost the time in which the provider has to answer.
    while (calls.size >= CONNECTIONS_MAX) await Promise.race(calls)
    // Later than this the sweeper may count the message as lost (`PENDING_MS_MAX`) while it is being sent.
    if (Date.now() > lastStart) return NOT_ATTEMPTED
    const calling = callProvider(context.provider, call)
    calls.add(calling)
    return calling.finally(() => calls.delete(calling))
  }

  async function settle(messages: readonly LaneMessage[], results: readonly LaneResult[]): Promise<void> {
    const settlements = messages.flatMap(({ settlement }, index) => {
      const result = results[index]
      return result ? [{ ...settlement, result, at: Date.now() }] : []
    })
    const [first] = messages
    if (first && settlements.length > 0) await context.settle({ team: first.team, settlements })
  }

  function release(id: string): void {
    unwritten.get(id)?.()
    unwritten.delete(id)
  }

  /** A runner that is gone does not write the results down. Those that were written down already do not change. */
  function keep(messages: readonly LaneMessage[], results: readonly LaneResult[]): void {
    const id = messages[0]?.settlement.id ?? ''
    release(id)
    const write = () => {
      unwritten.delete(id)
      context.keepAlive(settle(messages, results).catch(() => undefined))
    }
    unwritten.set(id, context.after(RELEASE_MS_MAX, write))
  }

  function forget(): void {
    const before = Date.now() - MEMORY_MS
    for (const [id, { lastStart }] of sent) if (lastStart < before) sent.delete(id)
  }

  return {
    open: () => self,
    release,
    async send({ name, instance, messages, isOfRunner }) {
      if (instance !== self) return { instance: self, results: null }
      forget()
      begin(
        name,
        messages.filter(({ settlement: { id } }) => !sent.has(id)),
      )
      const all = messages.map(({ settlement: { id } }) => sent.get(id)?.result ?? NOT_ATTEMPTED)
      const results = await Promise.all(all)
      if (isOfRunner) keep(messages, results)
      return { instance, results }
    },
  }
}

/** At most six parts, each of whole sixes: what goes out one after the other stays together. */
function split(messages: readonly LaneMessage[]): LaneMessage[][] {
  const size = CONNECTIONS_MAX * Math.ceil(messages.length / CONNECTIONS_MAX ** 2)
  return Array.from({ length: Math.ceil(messages.length / size) }, (_, part) =>
    messages.slice(part * size, (part + 1) * size),
  )
}
