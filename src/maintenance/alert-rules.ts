import { BULK_SHARE_MAX } from '../background-job/accept/storage-limit.ts'
import { MINUTE_MS } from '../time-units.ts'
import type { Metrics } from './metrics.ts'

/** Something that somebody has to look at: the table of the guide for operators says what to do about it. */
interface AlertCondition {
  name: string
  /** For so long it has to be so before anybody is told. */
  minutes: number
  text: string
}

/** A condition that was met, and is remembered until it has not been met for a while. */
export interface AlertState {
  name: string
  text: string
  since: number
  seenAt: number
  isTold: boolean
}

/** What a run of the cron reports: alerts that have begun and ended. `toSave` and `toRemove` are written after the report. */
export interface AlertChanges {
  begun: AlertState[]
  ended: AlertState[]
  toSave: AlertState[]
  toRemove: AlertState[]
}

const FULL_SHARE = 0.7
const WAKE_MINUTES_MAX = 10
/** Until then R2, or the database, may be back. */
const WORK_FAILS_MINUTES = 10
const CRON_SECONDS_MAX = 30
/** As far as the metrics count. */
const OPEN_JOBS_MAX = 1_000
/** Below this a failure or two are no sign. */
const MESSAGES_MIN = 10
const FAILED_SHARE_MAX = 1 / 3
/** A condition that is back within this time is not reported again. */
const QUIET_MS = 10 * MINUTE_MS

const percent = (share: number): string => `${Math.floor(share * 100)} %`

/** Which conditions the metrics of a minute meet. */
export function findConditions(metrics: Metrics): AlertCondition[] {
  const { databaseShare, oldestWakeMs, jobsWithDeadLetters, failingErasures, failingMerges } = metrics
  const { webhooks, openJobs, cron, backlog } = metrics
  const { FAILED = 0, UNKNOWN = 0 } = metrics.messages
  const [messages, failed, jobs] = [
    sum(Object.values(metrics.messages)),
    FAILED + UNKNOWN,
    sum(Object.values(openJobs)),
  ]
  const unfinished = Object.keys(backlog)
  const conditions: [boolean, AlertCondition][] = [
    [
      databaseShare >= BULK_SHARE_MAX,
      {
        name: 'database full',
        minutes: 0,
        text: `${percent(databaseShare)} of the database are used: bulk requests are refused`,
      },
    ],
    [
      databaseShare >= FULL_SHARE,
      { name: 'database fills', minutes: 5, text: `more than ${percent(FULL_SHARE)} of the database are used` },
    ],
    [
      (oldestWakeMs ?? 0) > WAKE_MINUTES_MAX * MINUTE_MS,
      {
        name: 'jobs stand still',
        minutes: 0,
        text: `a job has waited for more than ${WAKE_MINUTES_MAX} minutes for its turn`,
      },
    ],
    [
      jobsWithDeadLetters > 0,
      { name: 'job steps fail', minutes: 0, text: `a step of ${jobsWithDeadLetters} jobs has failed eight times` },
    ],
    [
      failingErasures.count > 0,
      {
        name: 'erasures fail',
        minutes: WORK_FAILS_MINUTES,
        text: `${failingErasures.count} erasures fail: one of them is ${failingErasures.id}, of team ${failingErasures.team}`,
      },
    ],
    [
      failingMerges.count > 0,
      {
        name: 'merges fail',
        minutes: WORK_FAILS_MINUTES,
        text: `${failingMerges.count} merges of customers fail: one of them is ${failingMerges.id}, of team ${failingMerges.team}`,
      },
    ],
    [
      webhooks.stalled > 0,
      {
        name: 'webhooks stand still',
        minutes: 5,
        text: `nothing is sent to ${webhooks.stalled} webhooks although something is due`,
      },
    ],
    [
      messages >= MESSAGES_MIN && failed >= messages * FAILED_SHARE_MAX,
      {
        name: 'messages fail',
        minutes: 3,
        text: `${failed} of ${messages} messages of a minute have failed, or nobody knows of them`,
      },
    ],
    [jobs >= OPEN_JOBS_MAX, { name: 'too many jobs', minutes: 5, text: `${OPEN_JOBS_MAX} jobs are open, or more` }],
    [
      cron.ms > CRON_SECONDS_MAX * 1_000,
      {
        name: 'database slow',
        minutes: 3,
        text: `the database takes more than ${CRON_SECONDS_MAX} seconds for the maintenance of a minute`,
      },
    ],
    [
      unfinished.length > 0,
      {
        name: 'maintenance behind',
        minutes: 60,
        text: `maintenance does not come to its end: ${unfinished.join(', ')}`,
      },
    ],
  ]
  return [...conditions.flatMap(([isMet, condition]) => (isMet ? [condition] : [])), ...findUsedAllowances(metrics)]
}

/** Each team by itself: that it comes to the end of what it may write today, and that it has come there. */
const findUsedAllowances = ({ allowances }: Metrics): AlertCondition[] =>
  allowances.flatMap(({ team, rowsPerDay, rows }) => {
    const written = `the team ${team} has written ${rows} of the ${rowsPerDay} rows that it may write today`
    const nearly = { name: `allowance of ${team}`, minutes: 0, text: written }
    const used = { name: `allowance of ${team} used`, minutes: 0, text: `${written}: what adds to it is refused` }
    return rows < rowsPerDay ? [nearly] : [nearly, used]
  })

/** What is new beside what was known a minute ago. */
export function findAlertChanges(
  known: readonly AlertState[],
  conditions: readonly AlertCondition[],
  now: number,
): AlertChanges {
  const changes: AlertChanges = { begun: [], ended: [], toSave: [], toRemove: [] }
  for (const { name, minutes, text } of conditions) {
    // One that was last seen so long ago was over meanwhile, in a pause of the cron or in the time that a restore has undone.
    const before = known.find(state => state.name === name && now - state.seenAt < QUIET_MS)
    const { since = now, isTold = false } = before ?? {}
    const state = { name, text, since, seenAt: now, isTold }
    const isNew = !isTold && now - since >= minutes * MINUTE_MS
    if (isNew) changes.begun.push(state)
    changes.toSave.push({ ...state, isTold: isTold || isNew })
  }
  for (const state of known) {
    if (conditions.some(({ name }) => name === state.name)) continue
    if (!state.isTold) changes.toRemove.push(state)
    else if (now - state.seenAt >= QUIET_MS) {
      changes.ended.push(state)
      changes.toRemove.push(state)
    }
  }
  return changes
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0)
}
