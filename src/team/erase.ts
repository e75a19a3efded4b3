import { sql } from 'drizzle-orm'
import { apiKey } from '../api-key/table.ts'
import { backgroundJob as job } from '../background-job/table.ts'
import type { Db } from '../db/client.ts'
import { assignments, select, statement } from '../db/statement.ts'
import { write } from '../db/write.ts'
import { plugin } from '../plugin/table.ts'
import { removeWords } from '../procedure/search/index-words.ts'
import { process } from '../process/table.ts'
import type { Team } from '../scope.ts'
import { session } from '../session/table.ts'
import { user } from '../user/table.ts'
import { webhook } from '../webhook/table.ts'
import { eraseObjects } from './objects.ts'
import { parseWalkerPosition, toCursor, type WalkerPosition } from './position.ts'
import { team as teamTable } from './table.ts'
import { deleteFirstRows, firstRows } from './table-rows.ts'
import { WALKED_TABLES } from './tables.ts'

/** Isolates trust a revoked key for up to 25 seconds, and a message may be on its way to the provider for 20. */
export const ERASE_AFTER_MS = 60_000
/** One request takes so many steps, of two statements each. */
const STEPS_MAX = 100
/** What one transaction cancels. */
const JOBS_PER_STEP = 500

/** What is erased last, in one transaction: without them nobody could see that something is left. */
const LAST_TABLES: readonly string[] = ['team', 'api_key']
const FIRST_ERASED = WALKED_TABLES.length - 1

interface EraseProgress {
  done: boolean
  /** With which the next request goes on. One without it begins anew, which does no harm. */
  next?: string
  /** Wait so long before the next request. */
  waitMs?: number
  rows: number
}

/** Where an erasure has come to; `isClean`: the walk over all tables has found nothing so far. */
interface ErasePosition extends WalkerPosition {
  isClean: boolean
}

const CLEAN = 'clean '
const FIRST_POSITION: ErasePosition = { table: FIRST_ERASED, after: null, isClean: true }

const writeErasePosition = ({ isClean, ...at }: ErasePosition): string => `${isClean ? CLEAN : ''}${toCursor(at)}`

const readErasePosition = (cursor: string): ErasePosition => {
  const isClean = cursor.startsWith(CLEAN)
  return { ...parseWalkerPosition(isClean ? cursor.slice(CLEAN.length) : cursor), isClean }
}

/**
 * Erases a team, in steps: nobody can act for it any more, then its rows, its objects, and the team itself. Broken off
 * anywhere, it is begun anew: each part removes what it finds. What was under way may write behind the walk, so the walk
 * is repeated until one has found nothing in any table and bucket.
 */
export async function eraseTeam(
  env: Pick<Env, 'MEDIA' | 'ARCHIVE'>,
  db: () => Db,
  { team, after, now }: { team: Team; after: string | undefined; now: number },
): Promise<EraseProgress> {
  let next: ErasePosition = after === undefined ? FIRST_POSITION : readErasePosition(after)
  await write({ db: db(), idempotency: null }, { effect: stopTeam(team.no, now), outcome: null })
  if (!(await stopJobs(db, team.no, now))) return { done: false, next: writeErasePosition(next), rows: 0 }
  const [[end]] = await db().read(selectLastEnd(team.no))
  const waitMs = (end?.at ?? 0) + ERASE_AFTER_MS - now
  if (waitMs > 0) return { done: false, waitMs, rows: 0 }
  let rows = 0
  for (let step = 0; step < STEPS_MAX; step++) {
    const erased = await eraseStep(db, team.no, next)
    rows += erased.rows
    const isClean: boolean = next.isClean && erased.rows === 0
    if (erased.next) {
      next = { ...erased.next, isClean }
      continue
    }
    next = FIRST_POSITION
    const hadObjects = await eraseObjects(env, team)
    if (!isClean || hadObjects) continue
    const [keys, teams] = await write({ db: db(), idempotency: null }, { effect: removeTeam(team.no), outcome: null })
    return { done: true, rows: rows + keys.changes + teams.changes }
  }
  return { done: false, next: writeErasePosition(next), rows }
}

/** Removes the first rows of a table that are there, until there are none. */
async function eraseStep(db: () => Db, team: number, { table: nth }: WalkerPosition) {
  const following = nth > 0 ? { table: nth - 1, after: null } : undefined
  const table = WALKED_TABLES[nth]
  if (!table || LAST_TABLES.includes(table.name)) return { rows: 0, next: following }
  const words = table.table === process ? [removeWords(sql`${process.rid} IN (${firstRows(table, team)})`)] : []
  const effect = [...words, deleteFirstRows(table, team)]
  const changed = await write({ db: db(), idempotency: null }, { effect, outcome: null })
  const rows = changed.at(-1)?.changes ?? 0
  return { rows, next: rows > 0 ? { table: nth, after: null } : following }
}

/**
 * Nothing is inserted for the team any more that no key proves. No key and no session is valid, nobody signs in, no plugin
 * receives or sends, and no webhook delivers. By `stopJobs` no runner finds its job as it left it.
 */
const stopTeam = (team: number, now: number) =>
  [
    statement(sql`UPDATE ${teamTable} SET ${assignments(teamTable, { erasingAt: now })}
      WHERE ${teamTable.no} = ${team} AND ${teamTable.erasingAt} IS NULL`),
    statement(sql`UPDATE ${apiKey} SET ${assignments(apiKey, { revokedAt: now })}
      WHERE ${apiKey.team} = ${team} AND (${apiKey.revokedAt} IS NULL OR ${apiKey.revokedAt} > ${now})`),
    statement(sql`UPDATE ${session} SET ${assignments(session, { endedAt: now })}
      WHERE ${session.team} = ${team} AND ${session.endedAt} IS NULL`),
    statement(
      sql`UPDATE ${user} SET ${assignments(user, { isActive: 0 })} WHERE ${user.team} = ${team} AND ${user.isActive}`,
    ),
    statement(sql`UPDATE ${plugin} SET ${assignments(plugin, { deletedAt: now })}
      WHERE ${plugin.team} = ${team} AND ${plugin.deletedAt} IS NULL`),
    statement(sql`UPDATE ${webhook} SET ${assignments(webhook, { enabled: 0, version: sql`${webhook.version} + 1` })}
      WHERE ${webhook.team} = ${team} AND ${webhook.enabled} AND ${webhook.deletedAt} IS NULL`),
  ] as const

/** Cancels what has not ended, so many jobs in one transaction; false: there are more. */
async function stopJobs(db: () => Db, team: number, now: number): Promise<boolean> {
  const cancelled = assignments(job, {
    completionStatus: 'CANCELLED',
    completedAt: now,
    revision: sql`${job.revision} + 1`,
  })
  const some = sql`SELECT ${job.no} FROM ${job} INDEXED BY background_job_status WHERE ${job.team} = ${team}
    AND ${job.completionStatus} IN ('NOT_STARTED', 'IN_PROGRESS', 'CANCELLED') AND ${job.completedAt} = 0 LIMIT ${JOBS_PER_STEP}`
  const stop = statement(sql`UPDATE ${job} SET ${cancelled} WHERE ${job.no} IN (${some})`)
  for (let step = 0; step < STEPS_MAX; step++) {
    const [{ changes }] = await write({ db: db(), idempotency: null }, { effect: [stop], outcome: null })
    if (changes < JOBS_PER_STEP) return true
  }
  return false
}

/** When the erasure began, or the last key or session ended. */
const selectLastEnd = (team: number) =>
  select(
    { at: sql<number | null>`max(${sql.identifier('at')})` },
    sql`FROM (SELECT ${apiKey.revokedAt} AS at FROM ${apiKey} WHERE ${apiKey.team} = ${team}
      UNION ALL SELECT ${session.endedAt} FROM ${session} WHERE ${session.team} = ${team}
      UNION ALL SELECT ${teamTable.erasingAt} FROM ${teamTable} WHERE ${teamTable.no} = ${team})`,
  )

const removeTeam = (team: number) =>
  [
    statement(sql`DELETE FROM ${apiKey} WHERE ${apiKey.team} = ${team}`),
    statement(sql`DELETE FROM ${teamTable} WHERE ${teamTable.no} = ${team}`),
  ] as const
