import { sql } from 'drizzle-orm'
import { team } from '../auth/table.ts'
import type { Db } from '../db/client.ts'
import { select } from '../db/statement.ts'
import { AppError, notFound } from '../errors.ts'
import type { Team } from '../scope.ts'
import { user } from '../user/table.ts'

/** Whom a sign-in link of the operator is for: a user by username or e-mail address, or the first active admin. */
export async function findUserToSignIn(db: Db, teamNo: number, name: string | undefined): Promise<string> {
  const isMeant =
    name === undefined
      ? sql`${user.role} = 'admin' AND ${user.isActive}`
      : sql`(${user.username} = ${name} OR ${user.normalizedEmail} = ${name.toLowerCase()})`
  const [[found]] = await db.read(
    select(
      { id: user.id, isActive: user.isActive },
      sql`FROM ${user} WHERE ${user.team} = ${teamNo} AND ${user.deletedAt} IS NULL AND ${isMeant} ORDER BY ${user.no} LIMIT 1`,
    ),
  )
  if (!found) throw notFound(name === undefined ? 'active admin' : `user ${name}`)
  if (!found.isActive) throw new AppError('conflict', `the user ${name} was deactivated`)
  return found.id
}

/** By id or short id. */
export async function findTeam(db: Db, name: string): Promise<Team> {
  const listed = {
    no: team.no,
    id: team.id,
    shortId: team.shortId,
    name: team.name,
    eventFeedSince: team.eventFeedSince,
  }
  const [[found]] = await db.read(
    select(listed, sql`FROM ${team} WHERE ${team.id} = ${name} OR ${team.shortId} = ${name} LIMIT 1`),
  )
  if (!found) throw notFound(`team ${name}`)
  return found
}
