import { sleep } from '../../support/sleep.ts'
import { HeldBytes } from './bodies.ts'
import { DatabaseSite } from './database-site.ts'
import { type CallNamed, createError, type Fault, Faults, type Kind, type Trigger, takesEffect } from './faults.ts'
import { Invocation } from './limits.ts'
import type { VirtualObjects } from './objects.ts'
import { FAR, type FarOptions } from './options.ts'
import { Replica } from './replica.ts'
import type { Storm } from './storm.ts'

export interface Call extends CallNamed {
  /** The number of the invocation that made it. */
  invocation: number
  startedAt: number
  endedAt: number | undefined
  fault: Fault | undefined
}

const CALLS_KEPT_MAX = 20_000
/** A statement that writes a part of a large job is a hundred kilobytes long. */
const CALLS_CHARACTERS_MAX = 50_000_000

/**
 * Stands between our Worker and workerd: distances, one database with a queue in front of it, limits, and faults. It
 * uses `setTimeout` and `Date` only, so that tests can let its time pass at once.
 */
export class Platform {
  options: FarOptions
  readonly faults = new Faults()
  /** The random faults, beside those that a test has chosen. */
  storm: Storm | undefined
  /** The Durable Objects, where time is virtual. Elsewhere they are in workerd. */
  objects: VirtualObjects | undefined
  readonly database = new DatabaseSite()
  readonly replica: Replica
  readonly held = new HeldBytes()
  #calls: Call[] = []
  #callsCharacters = 0
  /** Calls to what is really there that have not come back. While there are none, only time is waited for. */
  pending = 0
  #invocations = 0

  constructor(options: Partial<FarOptions> = {}, replica = new Replica()) {
    this.replica = replica
    this.options = { ...FAR, ...options }
  }

  /** The last calls, newest last. */
  get calls(): Call[] {
    return this.#calls
  }

  set calls(calls: Call[]) {
    this.#calls = calls
    this.#callsCharacters = calls.reduce((sum, { about }) => sum + about.length, 0)
  }

  newInvocation(trigger: Trigger): Invocation {
    return new Invocation(++this.#invocations, trigger, this.options)
  }

  /** A call over the network: there, `act`, and back, unless it has a fault. */
  async call<T>(
    invocation: Invocation,
    kind: Kind,
    about: string,
    distanceMs: number,
    act: () => Promise<T>,
  ): Promise<T> {
    const named = { kind, about, trigger: invocation.trigger }
    const fault = this.faults.of(named) ?? this.storm?.findFault(named)
    const call: Call = { ...named, invocation: invocation.no, startedAt: Date.now(), endedAt: undefined, fault }
    this.#keep(call)
    try {
      await pass(Math.ceil(distanceMs / 2))
      await this.#survives(invocation)
      if (fault === 'hangs before') return await never()
      if (fault !== undefined && !takesEffect(fault)) throw await this.#failed(kind, fault, distanceMs)
      const result = await act()
      await this.#survives(invocation)
      if (fault === 'hangs after') return await never()
      if (fault !== undefined) throw await this.#failed(kind, fault, distanceMs)
      await pass(Math.floor(distanceMs / 2))
      return result
    } finally {
      call.endedAt = Date.now()
    }
  }

  #keep(call: Call): void {
    this.#calls.push(call)
    this.#callsCharacters += call.about.length
    if (this.#calls.length > CALLS_KEPT_MAX || this.#callsCharacters > CALLS_CHARACTERS_MAX)
      this.calls = this.#calls.slice(-Math.ceil(this.#calls.length / 2))
  }

  /** Whoever is dead waits here for ever. An object ends otherwise: `VirtualObjects` resets it. */
  async #survives(invocation: Invocation): Promise<void> {
    if (invocation.trigger !== 'object' && this.storm?.kills()) invocation.die()
    if (invocation.isDead) await never()
  }

  async #failed(kind: Kind, fault: Fault, distanceMs: number): Promise<Error> {
    if (kind === 'database' && (fault.startsWith('reset') || fault === 'memory')) this.database.reset()
    await pass(Math.floor(distanceMs / 2))
    return createError(kind, fault)
  }

  /** Something that really happens, however long it takes. */
  async real<T>(act: () => Promise<T>): Promise<T> {
    this.pending += 1
    try {
      return await act()
    } finally {
      this.pending -= 1
    }
  }
}

export const pass = (ms: number): Promise<void> | undefined => (ms > 0 ? sleep(ms) : undefined)

const never = () => new Promise<never>(() => {})
