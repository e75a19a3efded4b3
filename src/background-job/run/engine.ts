import type { Db } from '../../db/client.ts'
import { type ContentionEnv, getContention } from '../../db/contention/database-contention.ts'
import type { Cost } from '../../db/cost.ts'
import { openDatabase } from '../../db/databases.ts'
import type { Team } from '../../scope.ts'
import { withTimeout } from '../../timeout.ts'
import type { EntryKinds } from '../kind.ts'
import { getQueues, type JobQueueEnv, type JobQueues } from '../queue.ts'
import { type JobSettings, readJobSettings } from '../settings.ts'
import { getProgress, type ProgressEnv } from './report-progress.ts'

const ASK_TIMEOUT_MS = 1_000

export type CommittedTeam = Pick<Team, 'no' | 'eventFeedSince'>

/** What jobs are run with. */
export interface JobEngine {
  kinds: EntryKinds
  settings: JobSettings
  queues: JobQueues
  progress: (team: number, job: number) => ReturnType<typeof getProgress>
  /** Whether calls of people have to wait for the database. */
  arePeopleWaiting: () => Promise<boolean>
  /** Called after each transaction that changed something of a team. It never fails. */
  committed: (team: CommittedTeam) => Promise<void>
  /** Where the entries of large jobs and of ended ones are. */
  archive: Pick<R2Bucket, 'get' | 'put' | 'delete'>
  /** A connection with a time limit of its own. */
  openDb: (cost: Cost) => Db
}

export function createEngine(
  env: ProgressEnv & JobQueueEnv & ContentionEnv & Pick<Env, 'DB' | 'ARCHIVE'> & Parameters<typeof readJobSettings>[0],
  kinds: EntryKinds,
  committed: JobEngine['committed'],
): JobEngine {
  const settings = readJobSettings(env)
  return {
    kinds,
    settings,
    committed,
    queues: getQueues(env),
    archive: env.ARCHIVE,
    progress: (team, job) => getProgress(env, team, job),
    arePeopleWaiting: () =>
      withTimeout(ASK_TIMEOUT_MS, () => getContention(env).areOthersWaiting(null)).catch(() => false),
    openDb: cost => openDatabase(env, cost, settings.timeLimitMs),
  }
}
