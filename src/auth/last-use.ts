import { sql } from 'drizzle-orm'
import { apiKey } from '../api-key/table.ts'
import type { Db } from '../db/client.ts'
import { openDatabase } from '../db/databases.ts'
import { assignments, statement } from '../db/statement.ts'
import { write } from '../db/write.ts'
import { isInstallationPaused } from '../http/pause.ts'
import { SESSION_IDLE_MS_MAX } from '../session/session-rules.ts'
import { session } from '../session/table.ts'
import { MINUTE_MS } from '../time-units.ts'
import type { Owner } from './store.ts'

/** The time of the last use is saved once in this time: a write with each call would cost more than the call. */
const LAST_USED_COARSE_MS = 10 * MINUTE_MS

/** Saves that a key or a session was used. By this a session stays open for longer. */
export async function recordUse(env: Env, owner: Owner, now: number): Promise<void> {
  if (isInstallationPaused(env)) return
  if (owner.lastUsedAt === null || owner.lastUsedAt < now - LAST_USED_COARSE_MS)
    await saveLastUsed(openDatabase(env), owner, now)
}

/** Saves the time of the last use. A session that has ended meanwhile is not prolonged. */
async function saveLastUsed(db: Db, { kind, id, teamNo }: Owner, now: number): Promise<void> {
  const table = kind === 'key' ? apiKey : session
  const isAlive = kind === 'key' ? sql`1` : sql`${session.lastUsedAt} > ${now - SESSION_IDLE_MS_MAX}`
  const isCoarse = sql`coalesce(${table.lastUsedAt} < ${now - LAST_USED_COARSE_MS}, 1)`
  const change = sql`UPDATE ${table} SET ${assignments(table, { lastUsedAt: now })}
    WHERE ${table.id} = ${id} AND ${table.team} = ${teamNo} AND ${isCoarse} AND ${isAlive}`
  await write({ db, idempotency: null }, { effect: [statement(change)], outcome: null })
}
