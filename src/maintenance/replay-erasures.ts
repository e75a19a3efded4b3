import { sql } from 'drizzle-orm'
import { keepLostArchives } from '../background-job/archive/tasks.ts'
import { eraseCustomer } from '../customer/erasure/erase.ts'
import { countErasures } from '../customer/erasure/erasure-rows.ts'
import { record } from '../customer-record/table.ts'
import type { Db } from '../db/client.ts'
import type { Cost } from '../db/cost.ts'
import { saveState } from '../db/maintenance-state.ts'
import { type Statement, select } from '../db/statement.ts'
import { describeError } from '../describe-error.ts'
import { type ErasureNote, listErasureNotes, type NotePage } from '../erasure-sweep/note.ts'
import { AppError } from '../errors.ts'
import { expireAgain } from '../event/expire.ts'
import { keepLostObjects } from '../event/object/lost.ts'
import { toRowNo } from '../ids.ts'
import { change } from '../maintenance-task.ts'
import { loadProcedures } from '../procedure/personal.ts'
import { purgeProcess } from '../process/purge.ts'
import { process, processTrash } from '../process/table.ts'
import { createTeamScope, type Scope } from '../scope.ts'
import { team } from '../team/table.ts'
import { type FailedErasure, REPLAY, REPLAYED, type ReplayProgress, readProgress, selectReplayed } from './replayed.ts'

// After a restore: what was erased since the time that the database went back to is there again. Each note of the last month
// is looked at, and what it names is erased once more where it is there. So it does not matter what that time was.

export interface ReplayContext {
  env: Pick<Env, 'ARCHIVE' | 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'>
  /** Each call gives a connection with a time limit of its own. */
  db: () => Db
  cost: Cost
  now: number
  /** After so many statements the rest is left to the next minute. */
  statementsMax: number
}

/** A run ends after so many failures: where R2 or the database is down, each takes its time. */
const FAILURES_PER_RUN = 20
/** So many of them are named, and left to the end of the next run. */
const NAMED_MAX = 200
const CAUSE_CHARACTERS_MAX = 200
/** The rest of a run is for what has failed before: else a run that has only more notes to go through would try none of it. */
const LISTED_SHARE = 3 / 4

/**
 * Erases what there is time for. A pass through all notes takes as many runs as they need, and one that finds nothing to erase says
 * that all is done. What fails stops nothing else: it is named where the command of the restore reads it, and tried again by each
 * pass, behind the others of a run.
 */
export async function replayErasures(
  context: ReplayContext,
): Promise<Pick<ReplayProgress, 'erasedAgain'> & { notErased: number }> {
  const [[stored]] = await context.db().read(selectReplayed())
  const before = readProgress(stored?.value)
  const from = before.after ?? null
  const failedBefore = new Map(before.failed.map(each => [each.id, from === null ? { ...each, isUnseen: true } : each]))
  const again: ErasureTarget[] = []
  const failed: FailedErasure[] = []
  let [erasedAgain, failures] = [0, 0]
  const hasRoom = (share = 1) => context.cost.statements < context.statementsMax * share && failures < FAILURES_PER_RUN
  const tryAll = async (targets: readonly ErasureTarget[]) => {
    for (const target of targets) {
      if (!hasRoom()) return
      const failure = await tryAgain(context, target)
      failedBefore.delete(target.id)
      if (failure) failed.push(failure)
      if (failure) failures += 1
      else erasedAgain += 1
    }
  }
  let [after, isWhole] = [from, false]
  while (!isWhole && hasRoom(LISTED_SHARE)) {
    const page: NotePage = await listErasureNotes(context.env.ARCHIVE, after)
    for (const key of page.unreadable) {
      failedBefore.delete(key)
      failed.push(reportFailure({ team: null, what: 'note', id: key }, 'it cannot be read'))
    }
    const targets = await findTargets(context.db(), page.notes)
    for (const target of targets) {
      const failure = failedBefore.get(target.id)
      if (!failure) continue
      failedBefore.set(target.id, { ...failure, isUnseen: false })
      again.push(target)
    }
    await tryAll(targets.filter(({ id }) => !failedBefore.has(id)))
    // The next run goes on with this page, of which not all may be tried.
    if (!hasRoom()) break
    after = page.next
    isWhole = after === null
  }
  // What has failed before, and was not there in a whole pass, is done.
  if (isWhole) for (const [id, { isUnseen }] of failedBefore) if (isUnseen) failedBefore.delete(id)
  await tryAll(again)
  const [[left]] = await context.db().read(countErasures(LEFT_COUNTED_MAX))
  const named = [...failed, ...failedBefore.values()]
  const erasedInPass = (from === null ? 0 : (before.erasedInPass ?? 0)) + erasedAgain
  const isSettled = isWhole && erasedInPass === 0 && left?.left === 0
  const done = [
    saveState(REPLAY, REPLAYED),
    keepLostObjects(context.now),
    ...keepLostArchives(context.now),
    expireAgain(),
  ]
  const progress: ReplayProgress = {
    erasedAgain: before.erasedAgain + erasedAgain,
    left: left?.left ?? 0,
    failed: named.slice(0, NAMED_MAX),
    failedRuns: isSettled ? before.failedRuns + 1 : isWhole ? 0 : before.failedRuns,
    at: context.now,
    after,
    erasedInPass,
  }
  await change(context.db, ...(isSettled && named.length === 0 ? done : [saveState(REPLAY, JSON.stringify(progress))]))
  return { erasedAgain, notErased: named.length }
}

const LEFT_COUNTED_MAX = 1_000

/** What a page of notes has led to in one team. */
export interface ReplayedNotes {
  erasedAgain: number
  /** Customers of the team of whom the cron has some left to erase. */
  left: number
  failed: FailedErasure[]
  /** Keys of notes that cannot be read: of whichever team they are, they stop none. */
  unreadable: string[]
  /** Where it goes on: at the same page, as long as that has more than one request can erase. Null after the last one. */
  next: string | null
}

/** Erases again what a page of notes names of one team, which was restored. */
export async function replayTeamErasures(
  context: ReplayContext,
  team: number,
  after: string | null,
): Promise<ReplayedNotes> {
  const page = await listErasureNotes(context.env.ARCHIVE, after)
  const failed: FailedErasure[] = []
  const notes = page.notes.filter(note => note.team === team)
  let erasedAgain = 0
  let isWhole = true
  for (const target of await findTargets(context.db(), notes)) {
    isWhole = context.cost.statements < context.statementsMax && failed.length < FAILURES_PER_RUN
    if (!isWhole) break
    const failure = await tryAgain(context, target)
    if (failure) failed.push(failure)
    else erasedAgain += 1
  }
  const [[left]] = await context.db().read(countErasures(LEFT_COUNTED_MAX, team))
  const next = isWhole ? page.next : (after ?? '')
  return { erasedAgain, left: left?.left ?? 0, failed, unreadable: page.unreadable, next }
}

/** Undefined: it is erased. */
async function tryAgain(context: ReplayContext, target: ErasureTarget): Promise<FailedErasure | undefined> {
  try {
    await eraseAgain(context, target)
    return undefined
  } catch (error) {
    const { note, id } = target
    return reportFailure({ team: note.team, what: note.what, id }, describeError(error))
  }
}

function reportFailure(which: Omit<FailedErasure, 'cause'>, cause: string): FailedErasure {
  const failure = { ...which, cause: cause.slice(0, CAUSE_CHARACTERS_MAX) }
  console.error(JSON.stringify({ notErasedAgain: failure }))
  return failure
}

/** What a note names, and the database has. */
interface ErasureTarget {
  note: ErasureNote
  id: string
  /** The number of a process's procedure; null of a customer. */
  procedure: number | null
}

async function findTargets(db: Db, notes: readonly ErasureNote[]): Promise<ErasureTarget[]> {
  const named = notes.flatMap(({ team: no, what, ids }, nth) =>
    ids.map(id => ({ nth, team: no, id, rid: toRowNo(id), isProcess: what === 'process' })),
  )
  if (named.length === 0) return []
  const [rows] = await db.read(selectThere(JSON.stringify(named)))
  return rows.flatMap(({ nth, ...row }) => {
    const note = notes[nth]
    return note ? [{ note, ...row }] : []
  })
}

/** Who was merged into another customer goes with that one. */
const selectThere = (named: string): Statement<{ nth: number; id: string; procedure: number | null }> => {
  const among = (table: typeof record | typeof process | typeof processTrash, isProcess: 0 | 1) =>
    sql`FROM json_each(${named}) named CROSS JOIN ${table} ON ${table.rid} = named.value ->> '$.rid'
      AND ${table.id} = named.value ->> '$.id' AND +${table.team} = named.value ->> '$.team'
      WHERE named.value ->> '$.isProcess' = ${isProcess}`
  return select(
    { nth: sql<number>`nth`, id: sql<string>`id`, procedure: sql<number | null>`procedure` },
    sql`FROM (SELECT named.value ->> '$.nth' AS nth, ${record.id} AS id, NULL AS procedure ${among(record, 0)} AND ${record.mergedInto} = 0
      UNION ALL SELECT named.value ->> '$.nth', ${process.id}, ${process.proc} ${among(process, 1)}
      UNION ALL SELECT named.value ->> '$.nth', ${processTrash.id}, ${processTrash.proc} ${among(processTrash, 1)})`,
  )
}

/** In the name of who has erased it. What has gone meanwhile, with the customer it was merged into for example, is done. */
async function eraseAgain({ env, db, now }: ReplayContext, { note, id, procedure: no }: ErasureTarget): Promise<void> {
  const { user, origin, what } = note
  const [[found]] = await db().read(selectTeam(note.team))
  if (!found) return
  const scope: Scope = createTeamScope(db(), { team: found, user, origin }, now)
  try {
    if (no === null) {
      const request = { id, ifVersion: undefined, everywhere: what === 'customer everywhere' }
      // Webhooks are woken once the pause is over.
      await eraseCustomer(scope, env, request, { bucket: env.ARCHIVE, committed: async () => {}, archive: null })
    } else {
      const procedure = (await loadProcedures(db(), note.team, [no])).get(no)
      if (procedure) await purgeProcess(scope, procedure, { rid: toRowNo(id), id }, undefined)
    }
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error
  }
}

const selectTeam = (no: number) =>
  select(
    { no: team.no, id: team.id, shortId: team.shortId, name: team.name, eventFeedSince: team.eventFeedSince },
    sql`FROM ${team} WHERE ${team.no} = ${no}`,
  )
