import { DurableObject } from 'cloudflare:workers'
import { getDurableObject } from '../../durable-objects.ts'
import { areOthersWaiting, type ContentionByTeam, noteContention } from './contention-rules.ts'

/**
 * The one Durable Object of the database. Isolates report contention to it, and callers that could use less of the database
 * ask it. Its state is only in memory, and holds for some seconds.
 */
export class DatabaseContention extends DurableObject<Env> {
  readonly #contention: ContentionByTeam = new Map()

  note(team: number): void {
    noteContention(this.#contention, team, Date.now())
  }

  /** Tells whether calls of others than this team have to wait; without a team, whether anybody's have. */
  areOthersWaiting(team: number | null): boolean {
    return areOthersWaiting(this.#contention, team, Date.now())
  }
}

export type ContentionEnv = Pick<Env, 'DATABASE_CONTENTION'>

export const getContention = (env: ContentionEnv) => getDurableObject(env, 'DATABASE_CONTENTION', 'database')
