import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { guard } from '../db/guard.ts'
import {
  assignments,
  insertInto,
  type Placeholders,
  prepared,
  type RowOf,
  type Statement,
  select,
  statement,
} from '../db/statement.ts'
import { write } from '../db/write.ts'
import type { RoleShortId } from '../roles.ts'
import type { Scope, Team } from '../scope.ts'
import { apiKey, team } from './table.ts'

export type ApiKeyRow = typeof apiKey.$inferSelect

/** Whom a token speaks for. */
const OWNER_FIELDS = {
  keyId: apiKey.id,
  role: sql<RoleShortId>`${apiKey.role}`,
  userId: apiKey.user,
  expiresAt: apiKey.expiresAt,
  revokedAt: apiKey.revokedAt,
  lastUsedAt: apiKey.lastUsedAt,
  teamNo: team.no,
  teamId: team.id,
  teamShortId: team.shortId,
  teamName: team.name,
}
export type Owner = RowOf<typeof OWNER_FIELDS>

const selectOwner = prepared(['hash'], ({ hash }: Placeholders<{ hash: string }>) =>
  select(OWNER_FIELDS, sql`FROM ${apiKey} JOIN ${team} ON ${team.no} = ${apiKey.team} WHERE ${apiKey.hash} = ${hash}`),
)

/** Something of the caller's team that is read in the same round trip as the token, and remembered. */
export interface Preload<Row> {
  statement: Statement<Row>
  keep: (rows: Row[], team: Pick<Team, 'no' | 'id'>) => void
}

/** The one look-up that can't be bound to a team: it is what proves the team. */
export async function findOwner<Row>(db: Db, hash: string, preload?: Preload<Row>): Promise<Owner | undefined> {
  if (!preload) {
    const [[owner]] = await db.read(selectOwner({ hash }))
    return owner
  }
  const [[owner], rows] = await db.read(selectOwner({ hash }), preload.statement)
  if (owner) preload.keep(rows, { no: owner.teamNo, id: owner.teamId })
  return owner
}

export type TeamOfToken = SQL<number>

/** The number of the team whose token this is. */
export const teamOfToken = (hash: string): TeamOfToken =>
  sql`(SELECT ${apiKey.team} FROM ${apiKey} WHERE ${apiKey.hash} = ${hash})`

export async function saveLastUsed(db: Db, keyId: string, now: number, coarseMs: number): Promise<void> {
  const isCoarse = sql`coalesce(${apiKey.lastUsedAt} < ${now - coarseMs}, 1)`
  const change = sql`UPDATE ${apiKey} SET ${assignments(apiKey, { lastUsedAt: now })} WHERE ${apiKey.id} = ${keyId} AND ${isCoarse}`
  await write({ db, idempotency: null }, { effect: [statement(change)], outcome: null })
}

const ownedBy = (scope: Scope, id: string) => and(eq(apiKey.team, scope.team.no), eq(apiKey.id, id))

export const insertKey = (row: ApiKeyRow): Statement => statement(insertInto(apiKey, row))

export const listKeyRows = (scope: Scope): Promise<ApiKeyRow[]> =>
  scope.db.select().from(apiKey).where(eq(apiKey.team, scope.team.no)).orderBy(desc(apiKey.createdAt), desc(apiKey.id))

export async function findKey(scope: Scope, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await scope.db.select().from(apiKey).where(ownedBy(scope, id))
  return row
}

export const revokeStatement = (scope: Scope, id: string): Statement =>
  statement(sql`UPDATE ${apiKey} SET ${assignments(apiKey, { revokedAt: scope.now })}
    WHERE ${ownedBy(scope, id)} AND ${apiKey.revokedAt} IS NULL`)

/** The key that took over, and how the old one ends. */
type Replacement = { replacedBy: string } & ({ revokedAt: number } | { expiresAt: number })

export const replaceKey = (scope: Scope, id: string, replacement: Replacement): Statement =>
  statement(sql`UPDATE ${apiKey} SET ${assignments(apiKey, replacement)} WHERE ${ownedBy(scope, id)}`)

export const KEY_ENDED = 'the key was revoked, has expired or was rotated'

/** A revocation is not survived by a rotation that began before it. */
export const guardKeyInForce = (scope: Scope, id: string): Statement =>
  guard(
    KEY_ENDED,
    sql`EXISTS (SELECT 1 FROM ${apiKey} WHERE ${ownedBy(scope, id)} AND ${apiKey.revokedAt} IS NULL
      AND ${apiKey.replacedBy} IS NULL AND coalesce(${apiKey.expiresAt} > ${scope.now}, 1))`,
  )
