import { DurableObject } from 'cloudflare:workers'
import { getDurableObject } from '../../durable-objects.ts'
import { countMessage, createLimiter, type Reservation, releaseStarts, reserveStarts } from './rate-limit-rules.ts'

/**
 * The rate limiter of one phone number of a team: nobody proves that a number is theirs, so that one team's calls never
 * delay another's messages. Runners ask it before they send. Its state is in memory only. If that is lost, or several teams
 * send from one number, the provider's own limits apply, and messages that those refuse are sent later.
 */
export class NumberRateLimiter extends DurableObject<Env> {
  #state = createLimiter()

  reserve(phones: string[], perSecond: number, leadMs = 0): Reservation {
    return reserveStarts(this.#state, phones, { perSecond, now: Date.now(), leadMs })
  }

  /** Counts a message that was sent by itself. */
  count(perSecond: number): void {
    countMessage(this.#state, perSecond, Date.now())
  }

  /** What is reserved behind present reservations starts so much later, as their messages do. */
  delay(ms: number): void {
    this.#state.next += ms
  }

  /** Takes back starts that were not used. */
  release(phones: string[], starts: number[]): void {
    releaseStarts(this.#state, phones, starts)
  }

  /** Reserves nothing for a while, because the provider's limit for this number was exceeded. */
  block(ms: number): void {
    this.#state.blockedUntil = Math.max(this.#state.blockedUntil, Date.now() + ms)
  }
}

export const getRateLimiter = (env: Pick<Env, 'NUMBER_RATE_LIMITER'>, team: number, number: string) =>
  getDurableObject(env, 'NUMBER_RATE_LIMITER', `${team}/${number}`)
