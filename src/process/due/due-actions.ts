import { DurableObject } from 'cloudflare:workers'
import { describeError } from '../../describe-error.ts'
import { getDurableObject } from '../../durable-objects.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import { isInstallationPaused } from '../../http/pause.ts'
import { addScheduled, getNextScanAt, keepAwaited, retryAfterMs, type ScheduledTime } from './due-rules.ts'
import { type DueScan, scanDueActions } from './scan.ts'

/** An alarm that is later than this was lost. */
const LATE_MS = 10_000
/** In a pause the alarm rings again after this time, and nothing is scanned. */
const PAUSE_MS = 15_000
/** The object of a suspended team looks so often whether it was resumed. */
const SUSPENDED_MS = 60_000

interface StoredSchedule {
  team: number
  /** The earliest comes first. */
  times: ScheduledTime[]
}

/**
 * Each team whose feed is on has one. It scans for next actions that are due: at the times that were scheduled before they
 * were committed, and at the next time that the database has. It stores the scheduled times; its alarm rings at the first.
 */
export class DueActions extends DurableObject<Env> {
  #schedule: StoredSchedule | undefined
  #alarmAt: number | null = null
  #failures = 0
  /** A scan that one invocation could not finish. */
  #scan: DueScan | undefined

  /** Is called before a transaction commits times that come in these seconds. */
  async schedule(team: number, seconds: number[]): Promise<void> {
    const schedule = await this.#load()
    schedule.team = team
    schedule.times = addScheduled(schedule.times, seconds, Date.now())
    await Promise.all([
      this.ctx.storage.put('schedule', schedule),
      this.#wakeAt(getNextScanAt(schedule.times, null, Date.now())),
    ])
  }

  /** It never fails, because the platform gives up an alarm that has failed six times. */
  override async alarm(): Promise<void> {
    const schedule = await this.#load()
    this.#alarmAt = null
    if (isInstallationPaused(this.env)) return this.#wakeAt(Date.now() + PAUSE_MS)
    try {
      const scan = await scanDueActions({ env: this.env, onNotified: this.#signal }, schedule.team, this.#scan)
      this.#failures = 0
      if (scan.isSuspended) {
        this.#scan = undefined
        return await this.#wakeAt(Date.now() + SUSPENDED_MS)
      }
      this.#scan = scan.left.length > 0 ? scan : undefined
      if (this.#scan) return await this.#wakeAt(Date.now())
      schedule.times = keepAwaited(schedule.times, scan.upTo)
      await this.ctx.storage.put('schedule', schedule)
      await this.#wakeAt(getNextScanAt(schedule.times, scan.next, Date.now()))
    } catch (error) {
      this.#scan = undefined
      this.#failures += 1
      console.error(
        JSON.stringify({
          task: 'next actions',
          teamNo: schedule.team,
          failures: this.#failures,
          cause: describeError(error),
        }),
      )
      await this.#wakeAt(Date.now() + retryAfterMs(this.#failures))
    }
  }

  /** Events were only inserted if the feed was on. */
  readonly #signal = (): void => {
    const team = { no: this.#schedule?.team ?? 0, eventFeedSince: Date.now() }
    this.ctx.waitUntil(signalCommit(this.env, team))
  }

  async #load(): Promise<StoredSchedule> {
    if (this.#schedule) return this.#schedule
    const [stored, alarmAt] = await Promise.all([
      this.ctx.storage.get<StoredSchedule>('schedule'),
      this.ctx.storage.getAlarm(),
    ])
    // Another call may have loaded it meanwhile.
    if (!this.#schedule) {
      this.#schedule = stored ?? { team: 0, times: [] }
      this.#alarmAt = alarmAt
    }
    return this.#schedule
  }

  /** An alarm that is earlier stays, unless it should have rung. */
  async #wakeAt(time: number | null): Promise<void> {
    const planned = this.#alarmAt !== null && this.#alarmAt > Date.now() - LATE_MS ? this.#alarmAt : null
    if (time === null || (planned !== null && planned <= time)) return
    this.#alarmAt = time
    await this.ctx.storage.setAlarm(time)
  }
}

export type DueEnv = Pick<Env, 'DUE_ACTIONS'>

export const getDueActions = (env: DueEnv, team: number) => getDurableObject(env, 'DUE_ACTIONS', String(team))
