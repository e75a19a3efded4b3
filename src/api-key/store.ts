import { and, eq, type SQL, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, insertInto, type Statement, selectRow, statement } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { apiKey } from './table.ts'

/** The keys of a team that can be used, and the newest of the others that are listed. */
export const API_KEYS_MAX = 1_000
export const ENDED_KEYS_LISTED_MAX = 1_000

export type ApiKeyRow = typeof apiKey.$inferSelect

const whereKey = (scope: Scope, id: string) => and(eq(apiKey.team, scope.team.no), eq(apiKey.id, id))

export const insertKey = (row: ApiKeyRow): Statement => statement(insertInto(apiKey, row))

const whereInForce = ({ team, now }: Scope): SQL =>
  sql`${apiKey.team} = ${team.no} AND ${apiKey.revokedAt} IS NULL AND coalesce(${apiKey.expiresAt} > ${now}, 1)`

/** Lists all keys in force, and the newest ones that have ended, by the time of creation, which their ids begin with. */
export async function listKeyRows(scope: Scope): Promise<ApiKeyRow[]> {
  const [inForce, ended] = await scope.db.read(
    selectRow(apiKey, sql`FROM ${apiKey} WHERE ${whereInForce(scope)} LIMIT ${API_KEYS_MAX}`),
    selectRow(
      apiKey,
      sql`FROM ${apiKey} INDEXED BY api_key_team WHERE ${apiKey.team} = ${scope.team.no} AND NOT (${whereInForce(scope)})
        ORDER BY ${apiKey.id} DESC LIMIT ${ENDED_KEYS_LISTED_MAX}`,
    ),
  )
  return [...inForce, ...ended].sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1))
}

export const TOO_MANY_KEYS = 'the team has as many keys as it may'

/** Fails the transaction that adds a key to a team which has as many in force as it may. */
export const guardKeyLeft = (scope: Scope): Statement =>
  guard(TOO_MANY_KEYS, sql`(SELECT count(*) FROM ${apiKey} WHERE ${whereInForce(scope)}) < ${API_KEYS_MAX}`)

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
