/** The target of a call. */
export type Kind = 'database' | 'replica' | 'object' | 'queue' | 'provider' | 'media'

/** The cause of an invocation. */
export type Trigger = 'request' | 'message' | 'cron' | 'object'

/** "before" and "after" say whether the call takes effect although it fails. */
export type Fault =
  | 'lost before'
  | 'lost after'
  | 'hangs before'
  | 'hangs after'
  | 'overloaded'
  | 'queued too long'
  | 'reset before'
  | 'reset after'
  | 'unreachable'
  | 'memory'
  | 'full'

export interface FaultRule {
  kind: Kind
  fault: Fault
  /** Only calls about this: a part of the SQL and its values, of an object's method and arguments, of a body. */
  about?: string
  trigger?: Trigger
  /** The number of such calls before the first that fails, and of those that fail then. `times` is 1 if absent. */
  skip?: number
  times?: number
}

/** Cloudflare's own texts, from "Debug D1" and from what objects and queues were seen to throw. */
const DATABASE: Record<Fault, string> = {
  'lost before': 'Network connection lost.',
  'lost after': 'Network connection lost.',
  'hangs before': '',
  'hangs after': '',
  overloaded: 'D1 DB is overloaded. Too many requests queued.',
  'queued too long': 'D1 DB is overloaded. Requests queued for too long.',
  'reset before': 'D1 DB storage operation exceeded timeout which caused object to be reset.',
  'reset after': 'D1 DB storage operation exceeded timeout which caused object to be reset.',
  unreachable: 'Cannot resolve D1 DB due to transient issue on remote node.',
  memory: "D1 DB's isolate exceeded its memory limit and was reset.",
  full: 'Exceeded maximum DB size.',
}
const OBJECT: Partial<Record<Fault, string>> = {
  overloaded: 'Durable Object is overloaded. Too many requests queued.',
  'queued too long': 'Durable Object is overloaded. Requests queued for too long.',
  'reset before': 'Durable Object reset because its code was updated.',
  'reset after': 'Durable Object reset because its code was updated.',
  memory: "Durable Object's isolate exceeded its memory limit and was reset.",
}
const QUEUE: Partial<Record<Fault, string>> = { overloaded: 'Queue is overloaded. Please back off.' }

export function databaseError(fault: Fault): Error {
  const text = DATABASE[fault]
  return new Error(`D1_ERROR: ${text}`, { cause: new Error(text) })
}

export function createError(kind: Kind, fault: Fault): Error {
  if (kind === 'database' || kind === 'replica') return databaseError(fault)
  const text = (kind === 'object' ? OBJECT[fault] : kind === 'queue' ? QUEUE[fault] : undefined) ?? DATABASE[fault]
  const isOverloaded = fault === 'overloaded' || fault === 'queued too long'
  return Object.assign(new Error(text), kind === 'object' ? { retryable: !isOverloaded, overloaded: isOverloaded } : {})
}

/** Returns whether the call takes effect before it fails. */
export const takesEffect = (fault: Fault): boolean => fault.endsWith('after') || fault === 'memory'

export interface CallNamed {
  kind: Kind
  about: string
  trigger: Trigger
}

/** Chooses the calls that fail. Without rules none does. */
export class Faults {
  #rules: { rule: FaultRule; seen: number }[] = []

  add(...rules: FaultRule[]): void {
    this.#rules.push(...rules.map(rule => ({ rule, seen: 0 })))
  }

  clear(): void {
    this.#rules = []
  }

  /** The fault of this call, by the first rule that it fits. */
  of(call: CallNamed): Fault | undefined {
    for (const each of this.#rules) {
      const { kind, about, trigger, skip = 0, times = 1, fault } = each.rule
      if (kind !== call.kind || (trigger && trigger !== call.trigger) || (about && !call.about.includes(about)))
        continue
      each.seen += 1
      if (each.seen > skip && each.seen <= skip + times) return fault
    }
    return undefined
  }
}
