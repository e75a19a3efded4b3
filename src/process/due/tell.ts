import type { SQL } from 'drizzle-orm'
import { cacheOf } from '../../cache.ts'
import type { Statement } from '../../db/statement.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope, Team } from '../../scope.ts'
import { withTimeout } from '../../timeout.ts'
import { statusNumber } from '../fields.ts'
import type { Change } from '../rules.ts'
import { type DueEnv, dueActionsOf } from './due-actions.ts'
import {
  addTold,
  COMMIT_MS_MAX,
  looksAfterSwitchOn,
  secondsToTell,
  stillRemembered,
  type ToldTime,
} from './due-rules.ts'
import { tellOverdue } from './statements.ts'

const TELL_MS_MAX = 3_000
const TOLD_BYTES_MAX = 1_000_000
const TIME_BYTES = 50

/** What this isolate has told, by team: what that covers costs no call. */
const toldByTeam = cacheOf<ToldTime[]>(TOLD_BYTES_MAX, told => told.length * TIME_BYTES)

/** Tells a team's object of times that are about to be committed. */
export type TellTimes = (team: number, times: readonly number[]) => Promise<void>

export const tellTimesOf =
  (env: DueEnv): TellTimes =>
  async (team, times) => {
    const now = Date.now()
    const told = stillRemembered(toldByTeam.get(String(team)) ?? [], now)
    const seconds = secondsToTell(told, times, now)
    if (seconds.length === 0) return
    if (await tell(env, team, seconds)) toldByTeam.set(String(team), addTold(told, seconds, now))
  }

/** If the object can't be reached, a maintenance task finds what is overdue a minute later. */
const tell = (env: DueEnv, team: number, seconds: number[]): Promise<boolean> =>
  withTimeout(
    TELL_MS_MAX,
    // A binding may throw before there is a promise.
    (async () => dueActionsOf(env, team).tell(team, seconds))(),
  ).then(
    () => true,
    (error: unknown) => {
      console.warn(JSON.stringify({ task: 'next actions', team, untold: String(error) }))
      return false
    },
  )

/** Before whatever may switch the event feed of a team on. */
export async function tellSwitchedOn(env: DueEnv, { no, eventFeedSince }: Team): Promise<void> {
  if (eventFeedSince === null) await tell(env, no, looksAfterSwitchOn(Date.now()))
}

/** There may be something to tell that nobody looked for. */
export const tellOverlooked = async (env: DueEnv, team: number): Promise<void> =>
  void (await tell(env, team, [Date.now()]))

type TimedChange = { [Name in 'status' | 'nextActionAt']?: Change[Name] | undefined }

/** Whether the time of a process may be past when the change takes effect. */
function mayBeOverdue({ status, nextActionAt }: TimedChange, now: number): boolean {
  const isOpen = status === statusNumber('OPEN')
  if (nextActionAt === undefined) return isOpen
  return nextActionAt !== null && nextActionAt <= now + COMMIT_MS_MAX && (isOpen || status === undefined)
}

/**
 * Before each transaction that gives processes a time, or opens them: tells the team's object of the times that are to
 * come. Resolves to what has to follow in the transaction, which tells of those that are past. `which` are the changed ones.
 */
export async function announceTimes<Changed extends TimedChange>(
  scope: Scope,
  procedure: Procedure,
  tellTimes: TellTimes,
  changes: readonly Changed[],
  which: (changed: readonly Changed[]) => SQL,
): Promise<Statement[]> {
  const { team, now } = scope
  if (team.eventFeedSince === null) return []
  const times = changes.flatMap(({ nextActionAt }) => (nextActionAt != null && nextActionAt > now ? nextActionAt : []))
  if (times.length > 0) await tellTimes(team.no, times)
  const overdue = changes.filter(change => mayBeOverdue(change, now))
  return overdue.length > 0 ? tellOverdue(scope, procedure, which(overdue)) : []
}
