import { DurableObject } from 'cloudflare:workers'
import { count, type Granted, giveBack, newPace, take } from './pace-rules.ts'

/**
 * The pace of one phone number, shared by all teams that have connected it. Runners ask it before they send. Its state is
 * in memory only: if that is lost, the provider's own limits apply, and messages that those refuse are sent later.
 */
export class SenderPace extends DurableObject<Env> {
  #pace = newPace()

  take(phones: string[], perSecond: number, leadMs = 0): Granted {
    return take(this.#pace, phones, perSecond, Date.now(), leadMs)
  }

  /** A message that was sent by itself. */
  count(perSecond: number): void {
    count(this.#pace, perSecond, Date.now())
  }

  /** What was granted starts later than that: what is granted from now on does, too. */
  postpone(ms: number): void {
    this.#pace.next += ms
  }

  /** Takes back grants that were not used. */
  giveBack(phones: string[], starts: number[]): void {
    giveBack(this.#pace, phones, starts)
  }

  /** The provider's limit for this number was exceeded: grants nothing for a while. */
  hold(ms: number): void {
    this.#pace.heldUntil = Math.max(this.#pace.heldUntil, Date.now() + ms)
  }
}

export const paceOf = (env: Pick<Env, 'SENDER_PACE'>, number: string) =>
  env.SENDER_PACE.get(env.SENDER_PACE.idFromName(number))
