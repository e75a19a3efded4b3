import { env } from 'cloudflare:workers'

import type { Dispatch, MessageSender } from '../../src/message/sender/message-sender.ts'

import { newMessageSender } from './message-senders.ts'
import { withSessions } from './sessions.ts'

/** The calls that a test can watch, count, and let fail. */
export type Kind =
  | 'database'
  | 'queue'
  | 'object'
  | 'limiter'
  | 'sender'
  | 'provider'
  | 'endpoint'
  | 'alarm'
  | 'receiver'
/** A call can fail or never respond, each before or after it took effect. */
export const FAULTS = ['fails before', 'fails after', 'hangs before', 'hangs after'] as const
/** The errors of D1 itself, besides a lost connection. */
export const DATABASE_FAULTS = ['overloaded', 'reset after'] as const
export type Fault = (typeof FAULTS)[number] | (typeof DATABASE_FAULTS)[number]

/** The cause of an invocation. */
export type Trigger = 'request' | 'message' | 'cron' | 'sender' | 'endpoint'

export interface Call {
  kind: Kind
  /** The first call of a kind is 1. */
  nth: number
  /** The values that a database call binds; an object's method and its arguments; the body sent to the queue or provider. */
  about: string
  /** The texts of a database call's statements. */
  sql: string
  /** The trigger; undefined outside of any invocation, such as in an object's timer. */
  trigger: Trigger | undefined
}

/** Makes a call, with what a test wants to happen around it. */
export type Inject = <T>(call: Omit<Call, 'nth' | 'trigger'>, act: () => Promise<T>) => Promise<T>

const MESSAGES: Record<Fault, string> = {
  'fails before': 'Network connection lost',
  'fails after': 'Network connection lost',
  'hangs before': '',
  'hangs after': '',
  overloaded: 'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
  'reset after': 'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
}

/** Makes a call that has a fault, or none. */
export async function withFault<T>(kind: Kind, fault: Fault | undefined, act: () => Promise<T>): Promise<T> {
  if (fault === undefined) return act()
  const never = () => new Promise<never>(() => {})
  const error = new Error(`${MESSAGES[fault]} (${kind})`)
  if (fault === 'hangs before') return never()
  if (fault === 'fails before' || fault === 'overloaded') throw error
  await act()
  if (fault === 'hangs after') return never()
  throw error
}

/** D1 lets one invocation make so many queries; each statement of a batch counts. */
export const STATEMENTS_PER_INVOCATION_MAX = 1_000

/** Stands between the statements of a call. */
export const STATEMENT_END = ';\n'

type Bound = { sql: string; params: unknown[] }

/** A database whose every round trip can have a fault. `onResult` hears what each statement has cost. */
export function injectDatabase(inject: Inject, onResult: (meta: D1Meta) => void): D1Database {
  const bindings = new WeakMap<D1PreparedStatement, Bound>()
  const counted = async <T>(trip: Promise<D1Result<T>[]>) => {
    const results = await trip
    for (const { meta } of results) onResult(meta)
    return results
  }
  const trip = <T>(statements: D1PreparedStatement[]) => {
    const bound = statements.flatMap(each => bindings.get(each) ?? [])
    const about = bound.flatMap(({ params }) => params).join(' ')
    const sql = bound.map(each => each.sql).join(STATEMENT_END)
    return inject({ kind: 'database', about, sql }, () => counted(env.DB.batch<T>(statements)))
  }
  const wrap = (sql: string, params: unknown[]): D1PreparedStatement => {
    const statement = env.DB.prepare(sql).bind(...params)
    bindings.set(statement, { sql, params })
    const all = async () => (await trip([statement]))[0]
    return Object.assign(statement, { bind: (...values: unknown[]) => wrap(sql, values), all, run: all })
  }
  const prepare = (sql: string) => ({
    bind: (...params: unknown[]) => wrap(sql, params),
    all: () => wrap(sql, []).all(),
  })
  return withSessions({ prepare: prepare as unknown as D1Database['prepare'], batch: trip })
}

/** A namespace of Durable Objects whose every call can have a fault. */
export function injectObjects(kind: Kind, namespace: unknown, inject: Inject) {
  const objects = namespace as DurableObjectNamespace
  const get = (id: DurableObjectId) =>
    new Proxy<object>(objects.get(id), {
      get(stub, name) {
        const member: unknown = Reflect.get(stub, name)
        // A stub that is awaited must not look like a promise.
        if (typeof name === 'symbol' || name === 'then' || typeof member !== 'function') return member
        return (...values: unknown[]) =>
          inject(
            { kind, about: `${name} ${JSON.stringify(values)}`, sql: '' },
            async (): Promise<unknown> => Reflect.apply(member, stub, values),
          )
      },
    })
  return { idFromName: (name: string) => objects.idFromName(name), get }
}

/** Message senders that work with the bindings of the test: they live in its own isolate, and are called as objects are. */
export function injectSenders(
  inject: Inject,
  bindings: () => Env,
  {
    run,
    waitUntil,
  }: {
    run: <T>(act: () => Promise<T>) => Promise<T>
    waitUntil: (work: Promise<unknown>) => void
  },
) {
  const senders = new Map<string, Promise<MessageSender>>()
  const getSender = (name: string): Promise<MessageSender> => {
    const sender = senders.get(name) ?? newMessageSender(bindings(), waitUntil)
    senders.set(name, sender)
    return sender
  }
  const call = <T>(about: string, name: string, act: (sender: MessageSender) => T | Promise<T>) =>
    inject({ kind: 'sender', about, sql: '' }, () => run(async () => structuredClone(await act(await getSender(name)))))
  return {
    idFromName: (name: string) => name,
    get: (name: string) => ({
      open: () => call(`open ${name}`, name, sender => sender.open()),
      dispatch: (dispatch: Dispatch) =>
        call(`dispatch ${JSON.stringify(dispatch)}`, name, sender => sender.dispatch(structuredClone(dispatch))),
      acknowledge: (id: string) => call(`acknowledge ${name}`, name, sender => sender.acknowledge(id)),
    }),
  }
}

/** The emulated provider. A call that hangs ends when whoever waits for it gives it up. */
export function injectProvider(inject: Inject) {
  const fetch = async (request: Request) => {
    const { signal } = request
    const about = `${request.url} ${await request.clone().text()}`
    const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const act = () => (env.WHATSAPP as Fetcher).fetch(request.clone())
    return Promise.race([aborted, inject({ kind: 'provider', about, sql: '' }, act)])
  }
  return { fetch }
}
