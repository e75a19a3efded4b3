import { connect, type Db } from './client.ts'
import { type Cost, noCost } from './cost.ts'

/** The only file that names a database binding. There is one database; a team's own would be chosen here. */
export const openDatabase = (env: Pick<Env, 'DB'>, cost: Cost = noCost(), timeLimitMs?: number): Db =>
  connect(env.DB, cost, timeLimitMs)
