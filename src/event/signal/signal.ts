import type { Team } from '../../scope.ts'
import { sleep, withTimeout } from '../../timeout.ts'
import { getTeamEvents, type TeamEventsEnv } from './team-object.ts'

const SIGNAL_MS_MAX = 3_000
/** Commits within this time share a signal. */
const SHARED_MS = 50
/** The longest time for which one request signals for others. */
const SIGNALLING_MS_MAX = 10_000
/** After the feed is switched on, an isolate may take it for switched off for this long. */
const NOTED_MS = 60_000
const TEAMS_MAX = 10_000

interface SignalState {
  /** The time of the last signal, because a cancelled request never ends its state. */
  at: number
  again: boolean
}

const underWay = new Map<number, SignalState>()
const notedOn = new Map<number, number>()

/** Notes that this isolate has seen the feed of a team switched on. */
export function noteFeedOn(team: number): void {
  if (notedOn.size >= TEAMS_MAX) notedOn.clear()
  notedOn.set(team, Date.now())
}

/** Decides on signals only. What must not be lost asks the database (`whereFeedOn` of `append.ts`). */
const isFeedKnownOn = ({ no, eventFeedSince }: Pick<Team, 'no' | 'eventFeedSince'>): boolean =>
  eventFeedSince !== null || (notedOn.get(no) ?? 0) > Date.now() - NOTED_MS

/**
 * Wakes those who wait for events, after a commit that has some. It never fails, and a lost signal delays events, no more: waiting
 * requests look again at their end, and a maintenance task looks after webhooks.
 */
export async function signalCommit(env: TeamEventsEnv, team: Pick<Team, 'no' | 'eventFeedSince'>): Promise<void> {
  if (!isFeedKnownOn(team)) return
  const { no } = team
  const startedAt = Date.now()
  const other = underWay.get(no)
  if (other && startedAt - other.at < 2 * SIGNAL_MS_MAX) {
    other.again = true
    return
  }
  const mine: SignalState = { at: startedAt, again: false }
  underWay.set(no, mine)
  await sendSignal(env, no)
  while (mine.again && Date.now() - startedAt < SIGNALLING_MS_MAX) {
    await sleep(SHARED_MS)
    Object.assign(mine, { at: Date.now(), again: false })
    await sendSignal(env, no)
  }
  if (underWay.get(no) === mine) underWay.delete(no)
  if (mine.again) await sendSignal(env, no)
}

const sendSignal = (env: TeamEventsEnv, team: number): Promise<void> =>
  withTimeout(SIGNAL_MS_MAX, () => getTeamEvents(env, team).committed(team)).catch((error: unknown) =>
    console.warn(JSON.stringify({ teamNo: team, unsignalled: String(error) })),
  )
