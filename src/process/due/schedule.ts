import type { SQL } from 'drizzle-orm'
import { createCache } from '../../cache.ts'
import type { Statement } from '../../db/statement.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope, Team } from '../../scope.ts'
import { withTimeout } from '../../timeout.ts'
import { toStatusNumber } from '../fields.ts'
import type { Change } from '../rules.ts'
import { type DueEnv, getDueActions } from './due-actions.ts'
import {
  addScheduled,
  COMMIT_MS_MAX,
  findUnscheduled,
  getFirstScanTimes,
  keepRemembered,
  type ScheduledTime,
} from './due-rules.ts'
import { notifyPastDue } from './store.ts'

const SCHEDULE_MS_MAX = 3_000
const SCHEDULED_BYTES_MAX = 1_000_000
const TIME_BYTES = 50

/** The times that this isolate has scheduled, by team: what they cover costs no call. */
const scheduledByTeam = createCache<ScheduledTime[]>(SCHEDULED_BYTES_MAX, scheduled => scheduled.length * TIME_BYTES)

/** Schedules scans at times that are about to be committed. */
export type ScheduleTimes = (team: number, times: readonly number[]) => Promise<void>

export const createScheduler =
  (env: DueEnv): ScheduleTimes =>
  async (team, times) => {
    const now = Date.now()
    const scheduled = keepRemembered(scheduledByTeam.get(String(team)) ?? [], now)
    const seconds = findUnscheduled(scheduled, times, now)
    if (seconds.length === 0) return
    if (await schedule(env, team, seconds)) scheduledByTeam.set(String(team), addScheduled(scheduled, seconds, now))
  }

/** If the object can't be reached, a maintenance task finds what was missed a minute later. */
const schedule = (env: DueEnv, team: number, seconds: number[]): Promise<boolean> =>
  withTimeout(SCHEDULE_MS_MAX, () => getDueActions(env, team).schedule(team, seconds)).then(
    () => true,
    (error: unknown) => {
      console.warn(JSON.stringify({ task: 'next actions', teamNo: team, unscheduled: String(error) }))
      return false
    },
  )

/** Is called before the event feed of a team may be switched on. */
export async function scheduleFirstScans(env: DueEnv, { no, eventFeedSince }: Team): Promise<void> {
  if (eventFeedSince === null) await schedule(env, no, getFirstScanTimes(Date.now()))
}

/** Has the object scan at once, because a scheduled scan may have been missed. */
export const scheduleScan = async (env: DueEnv, team: number): Promise<void> =>
  void (await schedule(env, team, [Date.now()]))

type TimedChange = { [Name in 'status' | 'nextActionAt']?: Change[Name] | undefined }

/** Whether the time of a process may be past when the change takes effect. */
function mayBePastDue({ status, nextActionAt }: TimedChange, now: number): boolean {
  const isOpen = status === toStatusNumber('OPEN')
  if (nextActionAt === undefined) return isOpen
  return nextActionAt !== null && nextActionAt <= now + COMMIT_MS_MAX && (isOpen || status === undefined)
}

/**
 * Is called before each transaction that gives processes a time, or opens them: schedules the times that are to come.
 * Resolves to the statements that notify of past times, which have to follow in the transaction. `which` are the changed ones.
 */
export async function scheduleDueTimes<Changed extends TimedChange>(
  scope: Scope,
  procedure: Procedure,
  scheduleTimes: ScheduleTimes,
  changes: readonly Changed[],
  which: (changed: readonly Changed[]) => SQL,
): Promise<Statement[]> {
  const { team, now } = scope
  if (team.eventFeedSince === null) return []
  const times = changes.flatMap(({ nextActionAt }) => (nextActionAt != null && nextActionAt > now ? nextActionAt : []))
  if (times.length > 0) await scheduleTimes(team.no, times)
  const pastDue = changes.filter(change => mayBePastDue(change, now))
  return pastDue.length > 0 ? notifyPastDue(scope, procedure, which(pastDue)) : []
}
