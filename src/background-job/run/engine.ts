import type { Db } from '../../db/client.ts'
import type { Cost } from '../../db/cost.ts'
import { openDatabase } from '../../db/databases.ts'
import type { EntryKinds } from '../kind.ts'
import { type JobQueueEnv, type JobQueues, queuesOf } from '../queue.ts'
import { type JobSettings, settingsOf } from '../settings.ts'
import { type ProgressEnv, progressOf } from './report.ts'

/** What a runner of jobs works with. */
export interface JobEngine {
  kinds: EntryKinds
  settings: JobSettings
  queues: JobQueues
  progress: (team: number, job: number) => ReturnType<typeof progressOf>
  /** A connection with a time limit of its own. */
  openDb: (cost: Cost) => Db
}

export function engineOf(
  env: ProgressEnv & JobQueueEnv & Pick<Env, 'DB'> & Parameters<typeof settingsOf>[0],
  kinds: EntryKinds,
): JobEngine {
  const settings = settingsOf(env)
  return {
    kinds,
    settings,
    queues: queuesOf(env),
    progress: (team, job) => progressOf(env, team, job),
    openDb: cost => openDatabase(env, cost, settings.timeLimitMs),
  }
}
