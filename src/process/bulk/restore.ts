import { type SQL, sql } from 'drizzle-orm'
import { type Outcome, toFailure, toOutcome, UNCHANGED, withNames } from '../../background-job/entry.ts'
import type { Step, StepEntry } from '../../background-job/kind.ts'
import { getPlanned, isPlannedOne, type PlannedChanges } from '../../background-job/planned-changes.ts'
import { countFitting } from '../../bytes.ts'
import { ridList, selectRowValue, splitRowValues } from '../../db/document/values-by-row.ts'
import { type Statement, select, statement } from '../../db/statement.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import { event } from '../../event/table.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { type ScheduleTimes, scheduleDueTimes } from '../due/schedule.ts'
import { finishErasureInTrash } from '../erasure/finish.ts'
import { guardTrashNotBeingErased, isBeingErased } from '../erasure/statements.ts'
import { duplicateKeyError } from '../refusals.ts'
import { buildRestoredProcess, toRestoredAfter } from '../restore.ts'
import type { TrashedProcess } from '../row.ts'
import { insertNewEvents } from '../rows/append-events.ts'
import { deriveInserts, insertProcesses, type NewProcess } from '../rows/insert.ts'
import { whereAmong } from '../rows/target.ts'
import { relinkToSurvivor } from '../rows/trash.ts'
import { process, processTrash as trash } from '../table.ts'
import { findHolders } from './create.ts'
import { loadLastChanges, toChangedSincePlan } from './last-change.ts'
import { guardCount, writeStepWithRetry } from './step-conflict.ts'
import { type ProcessReference, readOwnJobs, readTarget } from './update.ts'
import { isAsPlanned, type UpdatePlan } from './update-rules.ts'

/** As they are stored, in which form they take down to a sixth: all of a step are one value of a statement. */
export const STEP_BYTES_MAX = 250_000

export type RestorePlan = Pick<UpdatePlan, 'entry' | 'target' | 'name' | 'faults' | 'planned'>

/** Restores the processes that the entries of a step name, by the rules of the single route and in their order. */
export const runRestores = (
  scheduleTimes: ScheduleTimes,
  { scope, procedure: reference, entries, commit }: Step,
): Promise<void> =>
  withProcedure(scope, reference, procedure => {
    const plans = planRestores(procedure, entries)
    return writeStepWithRetry(plans.length, async () => {
      const { outcomes, restored } = await decideRestores(scope, procedure, plans)
      const processes = restored.map(({ item }) => item)
      const due = await scheduleDueTimes(scope, procedure, scheduleTimes, processes, some =>
        whereAmong(procedure, some),
      )
      const statements = processes.length === 0 ? [] : [...restoreStatements(scope, procedure, restored), ...due]
      const rids = processes.map(({ rid }) => rid)
      const guards = [guardDefinition(procedure), guardTrashNotBeingErased(procedure, rids)]
      await commit({ outcomes, statements: [...guards, ...statements] }).catch(async (error: unknown) => {
        if (isBeingErased(error)) await finishErasureInTrash(scope, procedure, rids)
        throw error
      })
    })
  })

export const planRestores = (procedure: Procedure, entries: readonly StepEntry[]): RestorePlan[] =>
  entries.map(({ apiData, index }) => ({
    ...readTarget(procedure, apiData as ProcessReference),
    entry: index,
    planned: getPlanned(apiData),
  }))

export interface RestoredItem {
  entry: number
  /** The row of the log with the deletion that it takes back. */
  undid?: number
  item: NewProcess
  trashed: TrashedProcess
}

/** What is in the trash of what the entries name. */
interface TrashCandidate extends LiveProcess {
  bytes: number
}

/** What is not deleted, as an entry can name it. */
interface LiveProcess {
  rid: number
  id: string
  primaryKey: string | null
}

/** What a dry run has projected of what the entries name. */
interface RestoreProjection {
  ofNamed: (found: RestoreCandidates, plans: readonly RestorePlan[]) => Promise<Map<number, TrashedProcess>>
  ofHolders: (holders: Map<string, string>, keys: readonly string[]) => Promise<void>
}

export async function decideRestores(
  scope: Scope,
  procedure: Procedure,
  plans: readonly RestorePlan[],
  project?: RestoreProjection,
) {
  const found = await findNamed(scope, procedure, plans)
  const projected = await project?.ofNamed(found, plans)
  const inTrash = ({ target, name }: RestorePlan) =>
    ('rid' in target ? found.trashed.get(target.id) : undefined) ?? found.trashedByKey.get(name)
  const isLive = ({ target, name }: RestorePlan) =>
    ('rid' in target ? found.live.get(target.id) : undefined) ?? found.liveByKey.get(name)
  const bytes = plans.map(plan => inTrash(plan)?.bytes ?? 0)
  const step = plans.slice(0, countFitting(bytes, STEP_BYTES_MAX))
  const wanted = new Set(step.flatMap(plan => inTrash(plan)?.rid ?? []))
  const rows = await readTrashed(scope, procedure, [...wanted])
  for (const [rid, row] of projected ?? []) rows.set(rid, row)
  const own = await findDeletedBySelf(scope, step, [...rows.values()])
  const isTrashedAsPlanned = ({ rid, id, version }: TrashedProcess, planned: PlannedChanges): boolean =>
    isAsPlanned({ id, version, isOwn: own.has(rid) }, planned)
  const keys = [...rows.values()].flatMap(({ primaryKey }) => primaryKey ?? [])
  const holders = await findHolders(scope, procedure, keys)
  await project?.ofHolders(holders, keys)
  const changed = step.flatMap(plan => {
    const { planned } = plan
    if (!planned || planned.version === null) return []
    const place = inTrash(plan)
    const trashed = place && rows.get(place.rid)
    if (!trashed) return isLive(plan)?.rid ?? []
    const isOlder = trashed.version < planned.version && isPlannedOne(trashed.id, planned)
    return !isOlder && !isTrashedAsPlanned(trashed, planned) ? trashed.rid : []
  })
  const lastChanges = await loadLastChanges(scope, procedure, { rids: changed })
  const restored: RestoredItem[] = []
  const done = new Map<number, LiveProcess>()
  const outcomes = step.map((plan): Outcome => {
    if (plan.faults.length > 0) return toOutcome(invalid(plan.faults))
    const place = inTrash(plan)
    // What is there already, or is by an entry before this one, stays as it is: a repeated request does no harm.
    const there = place ? done.get(place.rid) : isLive(plan)
    const { planned } = plan
    if (there)
      return planned && planned.version !== null && !(place && done.has(place.rid))
        ? withNames(toOutcome(toChangedSincePlan(plan.name, lastChanges.byRid.get(there.rid))), there)
        : withNames({ status: 'SUCCESS', result: UNCHANGED }, there)
    const trashed = place && rows.get(place.rid)
    if (!trashed) return toOutcome(planned ? toChangedSincePlan(plan.name) : notFound(`deleted process ${plan.name}`))
    const { id, primaryKey } = trashed
    if (planned && !isTrashedAsPlanned(trashed, planned))
      return withNames(toOutcome(toChangedSincePlan(plan.name, lastChanges.byRid.get(trashed.rid))), trashed)
    try {
      const item = buildRestoredProcess(procedure, trashed, scope.now)
      const holder = item.primaryKey === null ? undefined : holders.get(item.primaryKey)
      if (item.primaryKey !== null && holder !== undefined) throw duplicateKeyError(procedure, item.primaryKey, holder)
      if (item.primaryKey !== null) holders.set(item.primaryKey, id)
      done.set(item.rid, item)
      restored.push({ entry: plan.entry, item, trashed })
      return withNames({ status: 'SUCCESS', result: {} }, item)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return withNames({ status: 'ERROR', result: toFailure(error) }, { id, primaryKey })
    }
  })
  return { step, outcomes, restored }
}

/** Where an entry relies on a deletion by its own job, or by one that this retries, finds which processes that has deleted. */
async function findDeletedBySelf(
  scope: Scope,
  plans: readonly RestorePlan[],
  rows: readonly TrashedProcess[],
): Promise<Set<number>> {
  const { db, team, origin } = scope
  if (!plans.some(({ planned }) => planned?.isOwn) || !('job' in origin)) return new Set()
  const last = JSON.stringify(rows.map(({ rid, lastEvent }) => ({ rid, lastEvent })))
  const by = sql<string | null>`(SELECT ${event.by} ->> '$.job' FROM ${event} WHERE ${event.team} = ${team.no}
    AND ${event.sequence} = value ->> '$.lastEvent')`
  const [found] = await db.read(select({ rid: sql<number>`value ->> '$.rid'`, by }, sql`FROM json_each(${last})`))
  const isOwn = await readOwnJobs(
    scope,
    origin.job,
    found.map(({ by }) => by),
  )
  return new Set(found.filter(({ by }) => isOwn(by)).map(({ rid }) => rid))
}

export type RestoreCandidates = Awaited<ReturnType<typeof findNamed>>

/** An id may also be the value of a primary key. Of several with one key, the last deleted one is meant. */
async function findNamed(scope: Scope, { no, primaryKey: keyName }: Procedure, plans: readonly RestorePlan[]) {
  const rids = ridList([
    ...new Set(plans.flatMap(({ target }) => ('rid' in target && Number.isSafeInteger(target.rid) ? target.rid : []))),
  ])
  const names = JSON.stringify(keyName === null ? [] : [...new Set(plans.map(({ name }) => name))])
  const columns = {
    rid: trash.rid,
    id: trash.id,
    primaryKey: trash.primaryKey,
    bytes: sql<number>`length(${trash.row})`,
  }
  const lastDeleted = sql`(SELECT ${trash.rid} FROM ${trash} INDEXED BY process_trash_key
    WHERE ${trash.proc} = ${no} AND ${trash.primaryKey} = name.value ORDER BY ${trash.deletedAt} DESC, ${trash.rid} DESC LIMIT 1)`
  const live = { rid: process.rid, id: process.id, primaryKey: process.primaryKey }
  const [trashed, trashedByKey, liveOnes, liveByKey] = await scope.db.read(
    select(columns, sql`FROM ${trash} WHERE ${trash.rid} IN ${rids} AND +${trash.proc} = ${no}`),
    select(columns, sql`FROM json_each(${names}) AS name CROSS JOIN ${trash} ON ${trash.rid} = ${lastDeleted}`),
    select(live, sql`FROM ${process} WHERE ${process.rid} IN ${rids} AND +${process.proc} = ${no}`),
    select(
      live,
      sql`FROM json_each(${names}) AS name CROSS JOIN ${process} ON ${process.proc} = ${no} AND ${process.primaryKey} = name.value`,
    ),
  )
  const byId = <Row extends LiveProcess>(rows: readonly Row[]) => new Map(rows.map(row => [row.id, row]))
  const byKey = <Row extends LiveProcess>(rows: readonly Row[]) => new Map(rows.map(row => [row.primaryKey ?? '', row]))
  return {
    trashed: byId<TrashCandidate>(trashed),
    trashedByKey: byKey<TrashCandidate>(trashedByKey),
    live: byId<LiveProcess>(liveOnes),
    liveByKey: byKey<LiveProcess>(liveByKey),
  }
}

export async function readTrashed(
  scope: Scope,
  { no }: Procedure,
  rids: readonly number[],
): Promise<Map<number, TrashedProcess>> {
  if (rids.length === 0) return new Map()
  const [rows] = await scope.db.read(
    select(
      { rid: trash.rid, row: sql<string>`json(${trash.row})` },
      sql`FROM ${trash} WHERE ${trash.rid} IN ${ridList(rids)} AND +${trash.proc} = ${no}`,
    ),
  )
  return new Map(rows.map(({ rid, row }) => [rid, JSON.parse(row) as TrashedProcess]))
}

export function restoreStatements(scope: Scope, procedure: Procedure, restored: readonly RestoredItem[]): Statement[] {
  const processes = restored.map(({ item }) => item)
  return [
    removeManyFromTrash(procedure, restored),
    guardCount(restored.length),
    insertProcesses(scope, procedure, processes),
    guardCount(restored.length),
    insertNewEvents(scope, procedure, {
      type: 'process.restored',
      after: restored.map(({ entry, undid, item, trashed }) => ({
        ...toRestoredAfter(item, trashed),
        entry,
        ...(undid === undefined ? {} : { undid }),
      })),
    }),
    relinkToSurvivor(whereAmong(procedure, processes)),
    ...deriveInserts(procedure, processes).after,
  ]
}

/** Each may have been restored, changed and deleted again since it was read, or emptied by an erasure. */
function removeManyFromTrash({ no }: Procedure, restored: readonly RestoredItem[]): Statement {
  const read = selectRowValue(
    trash.rid,
    splitRowValues(
      restored.map(({ trashed: { rid, version, record } }) => [rid, JSON.stringify([version, record?.id ?? null])]),
    ),
  )
  const asRead = (place: number): SQL => sql`${read} ->> ${sql.raw(`'$[${place}]'`)}`
  return statement(
    sql`DELETE FROM ${trash} WHERE ${trash.rid} IN ${ridList(restored.map(({ item }) => item.rid))} AND +${trash.proc} = ${no}
      AND ${trash.row} ->> '$.version' = ${asRead(0)} AND ${trash.row} ->> '$.record.id' IS ${asRead(1)}`,
  )
}
