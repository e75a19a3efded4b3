import { sql } from 'drizzle-orm'
import { team } from '../auth/table.ts'
import type { Db } from '../db/client.ts'
import { select } from '../db/statement.ts'
import { notFound } from '../errors.ts'
import type { Team } from '../scope.ts'

/** By id or short id. */
export async function findTeam(db: Db, name: string): Promise<Team> {
  const listed = { no: team.no, id: team.id, shortId: team.shortId, name: team.name }
  const [[found]] = await db.read(
    select(listed, sql`FROM ${team} WHERE ${team.id} = ${name} OR ${team.shortId} = ${name} LIMIT 1`),
  )
  if (!found) throw notFound('team')
  return found
}
