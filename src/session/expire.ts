import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Db } from '../db/client.ts'
import { type Statement, statement } from '../db/statement.ts'
import { createRepeatedWrite, type MaintenanceTask } from '../maintenance-task.ts'
import { session, signInLink } from './table.ts'

const ROWS_PER_STEP = 500

/** Removes expired sessions and links by their indexes, which reads one row if nothing has expired. */
export const createSessionExpiryTask = (db: () => Db, now: number): MaintenanceTask =>
  createRepeatedWrite(db, () => [
    removeExpired(session.id, session.expiresAt, now),
    removeExpired(signInLink.id, signInLink.expiresAt, now),
  ])

const removeExpired = (id: SQLiteColumn, expiresAt: SQLiteColumn, now: number): Statement =>
  statement(sql`DELETE FROM ${id.table} WHERE ${id} IN
    (SELECT ${id} FROM ${id.table} WHERE ${expiresAt} < ${now} ORDER BY ${expiresAt} LIMIT ${ROWS_PER_STEP})`)
