import { type SQL, sql } from 'drizzle-orm'
import type { Chore } from '../chore.ts'
import type { Db } from '../db/client.ts'
import { type Statement, select, statement } from '../db/statement.ts'
import { moveWalk, selectWalk, type WalkPosition } from '../db/walk.ts'
import { write } from '../db/write.ts'
import { record, recordList } from './table.ts'

const CHORE = 'list customers'
const ROWS_PER_STEP = 2_000
/** Below it there are no records: all are listed. */
const END = 0

/** How far down the records of before `record_list` are in it. */
export const selectListedDownTo = (): Statement<WalkPosition> => selectWalk(CHORE)

export const areAllListed = (walk: WalkPosition | undefined): boolean => walk?.position === String(END)

/**
 * Adds the records that were there before `record_list`, newest first, once. Those that are made meanwhile are added by a
 * trigger, so that nothing is looked for again.
 */
export const recordListChore = (db: () => Db, now: number): Chore => ({
  async step() {
    const [[walk]] = await db().read(selectListedDownTo())
    if (areAllListed(walk)) return { done: 0, hasMore: false }
    const below = walk === undefined ? Number.MAX_SAFE_INTEGER : Number(walk.position)
    const [[page]] = await db().read(selectOldestOf(nextBelow(below)))
    const next = page?.rid ?? END
    const effect = [addToList(next, below), moveWalk(CHORE, String(next), now)] as const
    const [{ changes }] = await write({ db: db(), idempotency: null }, { effect, outcome: null })
    return { done: changes, hasMore: next !== END }
  },
})

const nextBelow = (below: number): SQL =>
  sql`SELECT ${record.rid} AS rid FROM ${record} WHERE ${record.rid} < ${below} ORDER BY ${record.rid} DESC LIMIT ${ROWS_PER_STEP}`

const selectOldestOf = (page: SQL): Statement<{ rid: number | null }> =>
  select({ rid: sql<number | null>`min(rid)` }, sql`FROM (${page})`)

const addToList = (from: number, below: number): Statement =>
  statement(sql`INSERT OR IGNORE INTO ${recordList} (${sql.identifier('team')}, ${sql.identifier('record')})
    SELECT ${record.team}, ${record.rid} FROM ${record} WHERE ${record.rid} >= ${from} AND ${record.rid} < ${below}`)
