import { sql } from 'drizzle-orm'
import { apiKey } from '../auth/table.ts'
import type { Db } from '../db/client.ts'
import { select } from '../db/statement.ts'
import { AppError, notFound } from '../errors.ts'
import { user } from '../user/table.ts'
import { selectTeamByName, type TeamRow } from './team-by-name.ts'

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
export async function findTeam(db: Db, name: string): Promise<TeamRow> {
  const [[found]] = await db.read(selectTeamByName(name))
  if (!found) throw notFound(`team ${name}`)
  return found
}

/** Whether anybody can act in a team: an import puts keys and users there last. */
export async function hasActors(db: Db, teamNo: number): Promise<boolean> {
  const [[found]] = await db.read(
    select(
      {
        isFound: sql<number>`EXISTS (SELECT 1 FROM ${apiKey} WHERE ${apiKey.team} = ${teamNo})
          OR EXISTS (SELECT 1 FROM ${user} WHERE ${user.team} = ${teamNo})`,
      },
      sql``,
    ),
  )
  return found?.isFound === 1
}
