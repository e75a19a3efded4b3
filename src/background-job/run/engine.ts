import type { Db } from '../../db/client.ts'
import type { Cost } from '../../db/cost.ts'
import { openDatabase } from '../../db/databases.ts'
import { databaseWaits, type WaitsEnv } from '../../db/waits/database-waits.ts'
import type { Team } from '../../scope.ts'
import { withTimeout } from '../../timeout.ts'
import type { EntryKinds } from '../kind.ts'
import { type JobQueueEnv, type JobQueues, queuesOf } from '../queue.ts'
import { type JobSettings, settingsOf } from '../settings.ts'
import { type ProgressEnv, progressOf } from './report.ts'

const ASK_TIMEOUT_MS = 1_000

export type CommittedTeam = Pick<Team, 'no' | 'eventFeedSince'>

/** What a runner of jobs works with. */
export interface JobEngine {
  kinds: EntryKinds
  settings: JobSettings
  queues: JobQueues
  progress: (team: number, job: number) => ReturnType<typeof progressOf>
  /** Whether calls of people have to wait for the database. */
  doPeopleWait: () => Promise<boolean>
  /** Told after each transaction that changed something of a team. It never fails. */
  committed: (team: CommittedTeam) => Promise<void>
  /** A connection with a time limit of its own. */
  openDb: (cost: Cost) => Db
}

export function engineOf(
  env: ProgressEnv & JobQueueEnv & WaitsEnv & Pick<Env, 'DB'> & Parameters<typeof settingsOf>[0],
  kinds: EntryKinds,
  committed: JobEngine['committed'],
): JobEngine {
  const settings = settingsOf(env)
  return {
    kinds,
    settings,
    committed,
    queues: queuesOf(env),
    progress: (team, job) => progressOf(env, team, job),
    doPeopleWait: () =>
      withTimeout(ASK_TIMEOUT_MS, (async () => databaseWaits(env).doOthersWait(null))()).catch(() => false),
    openDb: cost => openDatabase(env, cost, settings.timeLimitMs),
  }
}
