import { type SQL, sql } from 'drizzle-orm'
import type { Db } from './db/client.ts'
import { replaceInto, type Statement, select, statement } from './db/statement.ts'
import { StatementBudgetError } from './db/storage-error.ts'
import { maintenanceState } from './db/table.ts'
import { describeError } from './describe-error.ts'
import { BACKLOG_COUNT_MAX, type Backlog, change, type MaintenanceTask } from './maintenance-task.ts'

// Erasures, and merges, of all teams are gone through by one task each. One that fails is noted, and the others go before it from
// then on: it is tried again once in each run, when nothing else is left.

const PREFIX = 'failing '
/** What follows all names with the prefix. */
const PREFIX_END = 'failing!'
/** A run ends after so many failures: where R2 is down, each takes its time. */
const FAILURES_PER_RUN = 5
/** The one that has waited longest is looked for among so many at most. */
const FAILING_MAX = 1_000
const CAUSE_CHARACTERS_MAX = 200
const UUID_CHARACTERS = 36

/** A piece of work whose last attempt failed. */
export interface FailingWork {
  task: string
  team: number
  /** The id of the customer or process. */
  id: string
  since: number
}

const failingName = (task: string, id: SQL | string): SQL => sql`${`${PREFIX}${task} `} || ${id}`

const whereFailing = (task: string, id: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${maintenanceState} WHERE ${maintenanceState.name} = ${failingName(task, id)})`

const FIELDS = {
  task: sql<string>`substr(${maintenanceState.name}, ${PREFIX.length + 1}, length(${maintenanceState.name}) - ${PREFIX.length + UUID_CHARACTERS + 1})`,
  team: maintenanceState.team,
  id: sql<string>`substr(${maintenanceState.name}, ${-UUID_CHARACTERS})`,
  since: sql<number>`${maintenanceState.value} ->> '$.since'`,
}

const whereBetween = (from: string, to: string): SQL =>
  sql`${maintenanceState.name} > ${from} AND ${maintenanceState.name} < ${to}`

/** Selects what fails, with its task. */
export const selectFailing = (max: number): Statement<FailingWork> =>
  select(FIELDS, sql`FROM ${maintenanceState} WHERE ${whereBetween(PREFIX, PREFIX_END)} LIMIT ${max}`)

/** Selects the one that has waited longest, if it was last tried before this run. */
const selectAgain = (task: string, now: number): Statement<FailingWork> => {
  const prefix = `${PREFIX}${task} `
  return select(
    FIELDS,
    sql`FROM ${maintenanceState} WHERE ${maintenanceState.name} = (
      SELECT task FROM (SELECT task, rest_until FROM ${maintenanceState} WHERE ${whereBetween(prefix, `${prefix}~`)} LIMIT ${FAILING_MAX})
      WHERE rest_until < ${now} ORDER BY rest_until LIMIT 1)`,
  )
}

const selectSince = (task: string): Statement<{ since: number | null }> => {
  const prefix = `${PREFIX}${task} `
  return select(
    { since: sql<number | null>`min(since)` },
    sql`FROM (SELECT ${maintenanceState.value} ->> '$.since' AS since FROM ${maintenanceState}
      WHERE ${whereBetween(prefix, `${prefix}~`)} LIMIT ${FAILING_MAX})`,
  )
}

const keepFailing = ({ task, team, id, since }: FailingWork, now: number, cause: string): Statement =>
  statement(
    replaceInto(maintenanceState, {
      name: failingName(task, id),
      team,
      restUntil: now,
      value: JSON.stringify({ since, cause: cause.slice(0, CAUSE_CHARACTERS_MAX) }),
    }),
  )

const forgetFailing = (task: string, id: string): Statement =>
  statement(sql`DELETE FROM ${maintenanceState} WHERE ${maintenanceState.name} = ${failingName(task, id)}`)

interface MaintenanceRound<Work> {
  task: string
  /** What a line of the log calls the id. */
  noun: 'erasure' | 'merge'
  db: () => Db
  now: number
  /** The next one of all teams, none of which fails: `whereFailing` says so of an id. */
  selectNext: (isFailing: (id: SQL) => SQL) => Statement<Work>
  /** One of a team. No row: it has come to its end. */
  selectOne: (team: number, id: string) => Statement<Work>
  runStep: (work: Work) => Promise<void>
  countLeft: (max: number) => Statement<{ left: number }>
}

/** Goes through the work of all teams, step by step. The backlog is due since the first one fails that does so still. */
export function createMaintenanceRound<Work extends { team: number; id: string }>({
  task,
  noun,
  db,
  now,
  selectNext,
  selectOne,
  runStep,
  countLeft,
}: MaintenanceRound<Work>): MaintenanceTask {
  let failures = 0
  async function run(work: Work, before: FailingWork | undefined): Promise<boolean> {
    const { team, id } = work
    try {
      await runStep(work)
    } catch (error) {
      if (error instanceof StatementBudgetError) throw error
      const cause = describeError(error)
      console.error(JSON.stringify({ task, [noun]: id, teamNo: team, cause }))
      await change(db, keepFailing({ task, team, id, since: before?.since ?? now }, now, cause))
      failures += 1
      return false
    }
    if (before) await change(db, forgetFailing(task, id))
    return true
  }
  return {
    async step() {
      const [[next], [again]] = await db().read(
        selectNext(id => whereFailing(task, id)),
        selectAgain(task, now),
      )
      if (next) {
        const isDone = await run(next, undefined)
        return { done: isDone ? 1 : 0, hasMore: failures < FAILURES_PER_RUN }
      }
      if (!again) return { done: 0, hasMore: false }
      const [[work]] = await db().read(selectOne(again.team, again.id))
      const isDone = work ? await run(work, again) : false
      // It ended by a request, or its team has gone.
      if (!work) await change(db, forgetFailing(task, again.id))
      return { done: isDone ? 1 : 0, hasMore: failures < FAILURES_PER_RUN }
    },
    async backlog(): Promise<Backlog> {
      const [[first], [count]] = await db().read(selectSince(task), countLeft(BACKLOG_COUNT_MAX))
      const left = count?.left ?? 0
      return { left, dueSince: left > 0 ? (first?.since ?? null) : null }
    },
  }
}
