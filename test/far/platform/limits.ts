import type { Trigger } from './faults.ts'

/** A row, a text or a blob of D1 is no larger; the local one takes more than twice as much. */
export const ROW_BYTES_MAX = 2_000_000

/** One request, one batch of messages, one run of the cron, or an object: the unit of Cloudflare's limits. */
export class Invocation {
  /** The first is 1. */
  readonly no: number
  readonly trigger: Trigger
  /** The originator: a team's request, a message of a queue. */
  by: string
  statements = 0
  /** True if its process has ended between two lines: no call of it comes back any more. */
  isDead = false
  readonly #death = Promise.withResolvers<never>()
  readonly #statementsMax: number
  readonly #connectionsMax: number
  #open = 0
  readonly #waiting: (() => void)[] = []

  constructor(
    no: number,
    trigger: Trigger,
    { statementsMax, connectionsMax }: { statementsMax: number; connectionsMax: number },
  ) {
    this.no = no
    this.trigger = trigger
    this.by = trigger
    this.#statementsMax = trigger === 'object' ? Number.POSITIVE_INFINITY : statementsMax
    this.#connectionsMax = connectionsMax
    this.#death.promise.catch(() => {})
  }

  die(): void {
    this.isDead = true
    this.#death.reject(new Error('Network connection lost.'))
  }

  /** Returns a result to an outside caller, or the death of the invocation. */
  whileAlive<T>(result: Promise<T>): Promise<T> {
    return Promise.race([result, this.#death.promise])
  }

  countStatements(count: number): void {
    this.statements += count
    if (this.statements > this.#statementsMax) throw new Error('Too many API requests by single Worker invocation.')
  }

  /** Holds one of the connections until its response has begun; waits for one if all are in use. */
  async connected<T>(act: () => Promise<T>): Promise<T> {
    if (this.#open >= this.#connectionsMax) await new Promise<void>(resolve => this.#waiting.push(resolve))
    else this.#open += 1
    try {
      return await act()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#open -= 1
    }
  }
}
