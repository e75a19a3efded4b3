import { and, eq, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, insertInto, type Statement, selectRow, statement } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { apiKey } from './table.ts'

export type ApiKeyRow = typeof apiKey.$inferSelect

const whereKey = (scope: Scope, id: string) => and(eq(apiKey.team, scope.team.no), eq(apiKey.id, id))

export const insertKey = (row: ApiKeyRow): Statement => statement(insertInto(apiKey, row))

export async function listKeyRows(scope: Scope): Promise<ApiKeyRow[]> {
  const [rows] = await scope.db.read(
    selectRow(
      apiKey,
      sql`FROM ${apiKey} WHERE ${apiKey.team} = ${scope.team.no} ORDER BY ${apiKey.createdAt} DESC, ${apiKey.id} DESC`,
    ),
  )
  return rows
}

export async function findKey(scope: Scope, id: string): Promise<ApiKeyRow | undefined> {
  const [[row]] = await scope.db.read(selectRow(apiKey, sql`FROM ${apiKey} WHERE ${whereKey(scope, id)}`))
  return row
}

export const revokeKeyRow = (scope: Scope, id: string): Statement =>
  statement(sql`UPDATE ${apiKey} SET ${assignments(apiKey, { revokedAt: scope.now })}
    WHERE ${whereKey(scope, id)} AND ${apiKey.revokedAt} IS NULL`)

/** The key that replaces another one, and the end of the old one. */
type Replacement = { replacedBy: string } & ({ revokedAt: number } | { expiresAt: number })

export const replaceKey = (scope: Scope, id: string, replacement: Replacement): Statement =>
  statement(sql`UPDATE ${apiKey} SET ${assignments(apiKey, replacement)} WHERE ${whereKey(scope, id)}`)

export const KEY_ENDED = 'the key was revoked, has expired or was rotated'

/** Fails the transaction if the key has ended: a rotation that began before a revocation must not survive it. */
export const guardKeyInForce = (scope: Scope, id: string): Statement =>
  guard(
    KEY_ENDED,
    sql`EXISTS (SELECT 1 FROM ${apiKey} WHERE ${whereKey(scope, id)} AND ${apiKey.revokedAt} IS NULL
      AND ${apiKey.replacedBy} IS NULL AND coalesce(${apiKey.expiresAt} > ${scope.now}, 1))`,
  )
