import { type SQL, sql } from 'drizzle-orm'
import { apiKey } from '../api-key/table.ts'
import type { Db } from '../db/client.ts'
import { type Placeholders, prepared, type RowOf, type Statement, select } from '../db/statement.ts'
import type { RoleShortId } from '../roles.ts'
import type { Team } from '../scope.ts'
import { SESSION_IDLE_MS_MAX } from '../session/session-rules.ts'
import { session } from '../session/table.ts'
import { team } from '../team/table.ts'
import { getCountedDay, selectRowsOfDay } from '../team-status/allowance.ts'
import type { StoredToken } from '../token.ts'
import { user } from '../user/table.ts'
import type { CredentialKind } from './credential.ts'

const teamFields = ({ day, firstJob }: Placeholders<{ day: number; firstJob: number }>) => ({
  teamNo: team.no,
  teamId: team.id,
  teamShortId: team.shortId,
  teamName: team.name,
  teamEventFeedSince: team.eventFeedSince,
  teamSuspendedAt: team.suspendedAt,
  rowsPerDay: team.rowsPerDay,
  rowsOfDay: selectRowsOfDay({ day, firstJob }),
  day: sql<number>`CAST(${day} AS INTEGER)`,
})

const IS_USER_ACTIVE = sql<number>`${user.isActive} AND ${user.deletedAt} IS NULL`

const keyFields = (counted: Placeholders<{ day: number; firstJob: number }>) => ({
  id: apiKey.id,
  role: sql<RoleShortId>`${apiKey.role}`,
  userRole: sql<RoleShortId>`${user.role}`,
  userId: apiKey.user,
  isActive: IS_USER_ACTIVE,
  expiresAt: apiKey.expiresAt,
  revokedAt: apiKey.revokedAt,
  lastUsedAt: apiKey.lastUsedAt,
  ...teamFields(counted),
})
type OwnerRow = RowOf<ReturnType<typeof keyFields>>

/** The owner of a token. */
export interface Owner extends OwnerRow {
  kind: CredentialKind
}

const sessionFields = (counted: Placeholders<{ day: number; firstJob: number }>) => ({
  id: session.id,
  role: sql<RoleShortId>`${user.role}`,
  userRole: sql<RoleShortId>`${user.role}`,
  userId: user.id,
  isActive: IS_USER_ACTIVE,
  expiresAt: sql<number>`min(${session.expiresAt}, ${session.lastUsedAt} + ${SESSION_IDLE_MS_MAX})`,
  revokedAt: session.endedAt,
  lastUsedAt: session.lastUsedAt,
  ...teamFields(counted),
})

type ByToken = Placeholders<{ team: number; hash: string; day: number; firstJob: number }>
const BY_TOKEN = ['team', 'hash', 'day', 'firstJob'] as const
const selectOwner = {
  key: prepared(BY_TOKEN, ({ team: no, hash, ...counted }: ByToken) =>
    select(
      keyFields(counted),
      sql`FROM ${apiKey} JOIN ${team} ON ${team.no} = ${apiKey.team}
        JOIN ${user} ON ${user.id} = ${apiKey.user} AND +${user.team} = ${apiKey.team} WHERE ${apiKey.hash} = ${hash}
        AND +${apiKey.team} = ${no}`,
    ),
  ),
  session: prepared(BY_TOKEN, ({ team: no, hash, ...counted }: ByToken) =>
    select(
      sessionFields(counted),
      sql`FROM ${session} JOIN ${team} ON ${team.no} = ${session.team}
        JOIN ${user} ON ${user.id} = ${session.user} AND +${user.team} = ${session.team} WHERE ${session.hash} = ${hash}
        AND +${session.team} = ${no}`,
    ),
  ),
}

/** The stored part of a credential, by which it is found. */
export interface StoredCredential extends StoredToken {
  kind: CredentialKind
}

/** A row of the caller's team that is read in the same round trip as the token, and remembered. */
export interface Preload<Row> {
  statement: Statement<Row>
  keep: (rows: Row[], team: Pick<Team, 'no' | 'id'>) => void
}

/** Finds the owner of a credential, which proves the team: the number in the token says where to look, the row proves whose it is. */
export async function findOwner<Row>(
  db: Db,
  { kind, team: no, hash }: StoredCredential,
  now: number,
  preload?: Preload<Row>,
): Promise<Owner | undefined> {
  const byToken = selectOwner[kind]({ team: no, hash, ...getCountedDay(now) })
  if (!preload) {
    const [[row]] = await db.read(byToken)
    return row && { ...row, kind }
  }
  const [[row], rows] = await db.read(byToken, preload.statement)
  if (row) preload.keep(rows, { no: row.teamNo, id: row.teamId })
  return row && { ...row, kind }
}

export type TeamOfToken = SQL<number>

/** Selects the number of the team of a token. */
export function selectTokenTeam({ kind, team: no, hash }: StoredCredential): TeamOfToken {
  const table = kind === 'key' ? apiKey : session
  return sql`(SELECT ${table.team} FROM ${table} WHERE ${table.hash} = ${hash} AND +${table.team} = ${no})`
}
