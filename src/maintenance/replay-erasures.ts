import { sql } from 'drizzle-orm'
import { team } from '../auth/table.ts'
import { keepLostArchives } from '../background-job/archive/tasks.ts'
import { eraseRecord } from '../customer/erasure/erase.ts'
import { countErasures } from '../customer/erasure/erasure-rows.ts'
import type { Db } from '../db/client.ts'
import type { Cost } from '../db/cost.ts'
import { type Statement, select } from '../db/statement.ts'
import { moveWalk } from '../db/walk.ts'
import { type ErasureNote, listErasureNotes } from '../erasure-sweep/note.ts'
import { AppError } from '../errors.ts'
import { expireAgain } from '../event/expire.ts'
import { keepLostObjects } from '../event/object/lost.ts'
import { toRowNo } from '../ids.ts'
import { change } from '../maintenance-task.ts'
import { loadProcedures } from '../procedure/personal.ts'
import { purgeProcess } from '../process/purge.ts'
import { process, processTrash } from '../process/table.ts'
import { record } from '../record/table.ts'
import { type Scope, teamScope } from '../scope.ts'
import { REPLAY, REPLAYED } from './replayed.ts'

// After a restore: what was erased since the time that the database went back to is there again. Each note of the last month
// is looked at, and what it names is erased once more where it is there. So it does not matter what that time was.

interface ReplayContext {
  env: Pick<Env, 'ARCHIVE' | 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'>
  /** Each call gives a connection with a time limit of its own. */
  db: () => Db
  cost: Cost
  now: number
  /** After so many statements the rest is left to the next minute. */
  statementsMax: number
}

/**
 * Erases what there is time for; a run that finds nothing to erase says that all is done. Resolves to how many customers and
 * processes were erased.
 */
export async function replayErasures(context: ReplayContext): Promise<number> {
  let replayed = 0
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const { notes, next }: Awaited<ReturnType<typeof listErasureNotes>> = await listErasureNotes(
      context.env.ARCHIVE,
      after,
    )
    for (const target of await findTargets(context.db(), notes)) {
      if (context.cost.statements >= context.statementsMax) return replayed
      await eraseAgain(context, target)
      replayed += 1
    }
    after = next
  }
  const [[left]] = await context.db().read(countErasures(1))
  if (replayed === 0 && left?.left === 0)
    await change(
      context.db,
      moveWalk(REPLAY, REPLAYED, context.now),
      keepLostObjects(context.now),
      keepLostArchives(context.now),
      expireAgain(),
    )
  return replayed
}

/** What a note names, and the database has. */
interface Target {
  note: ErasureNote
  id: string
  /** The number of a process's procedure; null of a customer. */
  procedure: number | null
}

async function findTargets(db: Db, notes: readonly ErasureNote[]): Promise<Target[]> {
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
async function eraseAgain({ env, db, now }: ReplayContext, { note, id, procedure: no }: Target): Promise<void> {
  const { user, origin, what } = note
  const [[found]] = await db().read(selectTeam(note.team))
  if (!found) return
  const scope: Scope = teamScope(db(), { team: found, user, origin }, now)
  try {
    if (no === null) {
      const request = { id, ifVersion: undefined, everywhere: what === 'customer everywhere' }
      // Webhooks are woken once the pause is over.
      await eraseRecord(scope, env, request, { bucket: env.ARCHIVE, committed: async () => {}, archive: null })
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
