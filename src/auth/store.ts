import { and, desc, eq, isNull, lt, or } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { textStatement } from '../db/text-statement.ts'
import type { RoleShortId } from '../roles.ts'
import type { Scope } from '../scope.ts'
import { apiKey } from './table.ts'

export type ApiKeyRow = typeof apiKey.$inferSelect

export interface Owner {
  keyId: string
  role: RoleShortId
  userId: string
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
  teamNo: number
  teamId: string
  teamShortId: string
  teamName: string
}

const OWNER = `SELECT k.id AS keyId, k.role, k.user AS userId, k.expires_at AS expiresAt, k.revoked_at AS revokedAt,
    k.last_used_at AS lastUsedAt, t.no AS teamNo, t.id AS teamId, t.short_id AS teamShortId, t.name AS teamName
  FROM api_key k JOIN team t ON t.no = k.team WHERE k.hash = ?1`

/** Whom a token speaks for. The one look-up that can't be bound to a team: it is what proves the team. */
export async function findOwner(db: Db, hash: string): Promise<Owner | undefined> {
  const [found] = await db.batch([textStatement(OWNER, hash)])
  return found?.rows[0] as unknown as Owner | undefined
}

export async function saveLastUsed(db: Db, keyId: string, now: number, coarseMs: number): Promise<void> {
  const stale = or(isNull(apiKey.lastUsedAt), lt(apiKey.lastUsedAt, now - coarseMs))
  await db.orm
    .update(apiKey)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKey.id, keyId), stale))
}

const ownedBy = (scope: Scope, id: string) => and(eq(apiKey.team, scope.team.no), eq(apiKey.id, id))

export const insertKey = (scope: Scope, row: ApiKeyRow) => scope.db.orm.insert(apiKey).values(row)

export const listKeyRows = (scope: Scope) =>
  scope.db.orm
    .select()
    .from(apiKey)
    .where(eq(apiKey.team, scope.team.no))
    .orderBy(desc(apiKey.createdAt), desc(apiKey.id))

export async function findKey(scope: Scope, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await scope.db.orm.select().from(apiKey).where(ownedBy(scope, id))
  return row
}

export const endKey = (scope: Scope, id: string, end: { revokedAt: number } | { expiresAt: number }) =>
  scope.db.orm.update(apiKey).set(end).where(ownedBy(scope, id))
