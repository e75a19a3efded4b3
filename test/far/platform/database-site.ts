import { sleep } from '../../support/sleep.ts'
import { databaseError } from './faults.ts'
import type { FarOptions } from './options.ts'

interface Queued {
  endsAt: number
}

/** A transaction that has ended: on whose behalf it was, and when it had the database for itself. */
export interface Held {
  by: string
  about: string
  arrivedAt: number
  startedAt: number
  endedAt: number
}

type Meta = Pick<D1Meta, 'rows_read' | 'rows_written'>

/**
 * The place of the database. It runs one transaction at a time: each waits for those before it, until the time at which
 * the last one ends. No request ever awaits a promise of another, which workerd would not allow.
 */
export class DatabaseSite {
  #busyUntil = 0
  #resets = 0
  #queued: Queued[] = []
  /** If set, all transactions are added to it. */
  held: Held[] | undefined

  /** Returns the number of transactions that wait or run. */
  get depth(): number {
    const now = Date.now()
    this.#queued = this.#queued.filter(({ endsAt }) => endsAt > now)
    return this.#queued.length
  }

  /** Fails all that wait or run, whether they took effect or not. */
  reset(): void {
    this.#resets += 1
    this.#busyUntil = 0
    this.#queued = []
  }

  /** Runs a transaction, and returns when it would have ended had it taken as long as it costs. */
  async run<T extends { meta: Meta }>(
    options: FarOptions,
    { isRead, by, about }: { isRead: boolean; by: string; about: string },
    act: () => Promise<T[]>,
  ): Promise<T[]> {
    const resets = this.#resets
    const arrivedAt = Date.now()
    if (this.depth >= options.databaseQueueMax) throw databaseError('overloaded')
    if (this.#busyUntil - arrivedAt > options.databaseQueueMs) {
      this.#queued.push({ endsAt: arrivedAt + options.databaseQueueMs })
      await until(() => arrivedAt + options.databaseQueueMs)
      throw databaseError('queued too long')
    }
    const own = { endsAt: Math.max(arrivedAt, this.#busyUntil) + (isRead ? options.readMs : options.writeMs) }
    this.#busyUntil = own.endsAt
    this.#queued.push(own)
    const outcome = await act().then(
      results => ({ results, metas: results.map(({ meta }) => meta) }),
      (error: unknown) => ({ error, metas: [] }),
    )
    // The cost of the rows is known now, and delays all that came later.
    const rowsMs = outcome.metas.reduce((sum, meta) => sum + rowsCost(options, meta), 0)
    const isTooLong = rowsMs > options.transactionMsMax
    if (resets === this.#resets) this.#prolong(own, isTooLong ? options.transactionMsMax : rowsMs)
    const tookMs = (isRead ? options.readMs : options.writeMs) + rowsMs
    this.held?.push({ by, about, arrivedAt, startedAt: own.endsAt - tookMs, endedAt: own.endsAt })
    await until(() => own.endsAt)
    if (isTooLong && resets === this.#resets) this.reset()
    if (resets !== this.#resets) throw databaseError('reset after')
    if ('error' in outcome) throw outcome.error
    const baseMs = (isRead ? options.readMs : options.writeMs) / Math.max(1, outcome.results.length)
    return outcome.results.map(result => ({
      ...result,
      meta: { ...result.meta, duration: baseMs + rowsCost(options, result.meta) },
    }))
  }

  #prolong(own: Queued, ms: number): void {
    const now = Date.now()
    own.endsAt = Math.max(own.endsAt, now)
    this.#busyUntil = Math.max(this.#busyUntil, now) + ms
    // A transaction that has really taken longer than its share is no longer in the list.
    const later = this.#queued.includes(own) ? this.#queued.slice(this.#queued.indexOf(own)) : [own, ...this.#queued]
    for (const each of later) each.endsAt += ms
  }
}

const rowsCost = ({ rowsReadPerMs, rowsWrittenPerMs }: FarOptions, meta: Meta): number =>
  meta.rows_read / rowsReadPerMs + meta.rows_written / rowsWrittenPerMs

async function until(time: () => number): Promise<void> {
  for (let ms = time() - Date.now(); ms > 0; ms = time() - Date.now()) await sleep(Math.ceil(ms))
}
