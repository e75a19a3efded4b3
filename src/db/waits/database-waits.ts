import { DurableObject } from 'cloudflare:workers'
import { objectNamed } from '../../objects.ts'
import { doOthersWait, noteWait, type Waits } from './wait-rules.ts'

/**
 * One object for the database: isolates tell it that calls had to wait, and who could do with less of the database asks.
 * What it knows is in memory only, and true for some seconds.
 */
export class DatabaseWaits extends DurableObject<Env> {
  readonly #waits: Waits = new Map()

  note(team: number): void {
    noteWait(this.#waits, team, Date.now())
  }

  /** Whether calls of others than this team have to wait; without a team, whether anybody's have. */
  doOthersWait(team: number | null): boolean {
    return doOthersWait(this.#waits, team, Date.now())
  }
}

export type WaitsEnv = Pick<Env, 'DATABASE_WAITS'>

export const databaseWaits = (env: WaitsEnv) => objectNamed(env, 'DATABASE_WAITS', 'database')
