import { DurableObject } from 'cloudflare:workers'
import { signalCommit } from '../../event/signal/signal.ts'
import { isPaused } from '../../http/pause.ts'
import { describeError } from '../../http/request-log.ts'
import { objectNamed } from '../../objects.ts'
import { addTold, nextLookAt, retryAfterMs, stillAwaited, type ToldTime } from './due-rules.ts'
import { type DuePass, tellDueActions } from './pass.ts'

/** An alarm that is later than this was lost. */
const LATE_MS = 10_000
/** In a pause nothing is told; so soon after it, it is. */
const PAUSE_MS = 15_000

interface KnownTimes {
  team: number
  /** In the order of time. */
  told: ToldTime[]
}

/**
 * One for each team whose feed is on: it looks for next actions that are due at the times that it was told before they
 * were committed, and at the next one that the database has. Its alarm is the schedule; what it stores are those times.
 */
export class DueActions extends DurableObject<Env> {
  #known: KnownTimes | undefined
  #alarmAt: number | null = null
  #failures = 0
  /** A pass that had more to tell than one invocation may. */
  #pass: DuePass | undefined

  /** Somebody is about to commit times that come in these seconds. */
  async tell(team: number, seconds: number[]): Promise<void> {
    const known = await this.#load()
    known.team = team
    known.told = addTold(known.told, seconds, Date.now())
    await Promise.all([this.ctx.storage.put('known', known), this.#wakeAt(nextLookAt(known.told, null, Date.now()))])
  }

  /** It never fails, because the platform gives up an alarm that has failed six times. */
  override async alarm(): Promise<void> {
    const known = await this.#load()
    this.#alarmAt = null
    if (isPaused(this.env)) return this.#wakeAt(Date.now() + PAUSE_MS)
    try {
      const pass = await tellDueActions({ env: this.env, onTold: this.#signal }, known.team, this.#pass)
      this.#failures = 0
      this.#pass = pass.left.length > 0 ? pass : undefined
      if (this.#pass) return await this.#wakeAt(Date.now())
      known.told = stillAwaited(known.told, pass.upTo)
      await this.ctx.storage.put('known', known)
      await this.#wakeAt(nextLookAt(known.told, pass.next, Date.now()))
    } catch (error) {
      this.#pass = undefined
      this.#failures += 1
      console.error(
        JSON.stringify({
          task: 'next actions',
          team: known.team,
          failures: this.#failures,
          cause: describeError(error),
        }),
      )
      await this.#wakeAt(Date.now() + retryAfterMs(this.#failures))
    }
  }

  /** That the feed is on was a condition of what was told. */
  readonly #signal = (): void => {
    const team = { no: this.#known?.team ?? 0, eventFeedSince: Date.now() }
    this.ctx.waitUntil(signalCommit(this.env, team))
  }

  async #load(): Promise<KnownTimes> {
    if (this.#known) return this.#known
    const [stored, alarmAt] = await Promise.all([
      this.ctx.storage.get<KnownTimes>('known'),
      this.ctx.storage.getAlarm(),
    ])
    // Another call may have loaded it meanwhile.
    if (!this.#known) {
      this.#known = stored ?? { team: 0, told: [] }
      this.#alarmAt = alarmAt
    }
    return this.#known
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

export const dueActionsOf = (env: DueEnv, team: number) => objectNamed(env, 'DUE_ACTIONS', String(team))
