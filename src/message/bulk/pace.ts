import { DurableObject } from 'cloudflare:workers'
import { type Granted, giveBack, newPace, take } from './pace-rules.ts'

/**
 * One for each phone number that messages go out from, whichever teams have connected it: whoever sends many asks it
 * first. It keeps nothing but in memory. If it is lost, the provider's own limits still stand, and what these refuse is
 * sent later.
 */
export class SenderPace extends DurableObject<Env> {
  #pace = newPace()

  take(phones: string[], perSecond: number): Granted {
    return take(this.#pace, phones, perSecond, Date.now())
  }

  /** What was granted and is not used after all. */
  giveBack(phones: string[]): void {
    giveBack(this.#pace, phones)
  }

  /** The provider has had too much of this number. */
  hold(ms: number): void {
    this.#pace.heldUntil = Math.max(this.#pace.heldUntil, Date.now() + ms)
  }
}

export const paceOf = (env: Pick<Env, 'SENDER_PACE'>, number: string) =>
  env.SENDER_PACE.get(env.SENDER_PACE.idFromName(number))
