import { sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { type RowOf, type Statement, select } from '../db/statement.ts'
import { team } from '../team/table.ts'
import { user } from '../user/table.ts'

interface ActiveUser {
  id: string
  team: number
}

/** Selects an active user. It is not bound to a team: the verified address and the name of the team are the proof. */
export const selectActiveUser = (teamShortId: string, email: string): Statement<ActiveUser> =>
  select(
    { id: user.id, team: user.team },
    sql`FROM ${team} JOIN ${user} ON ${user.team} = ${team.no} AND ${user.normalizedEmail} = ${email}
      WHERE ${team.shortId} = ${teamShortId} AND ${user.isActive} AND ${user.deletedAt} IS NULL`,
  )

/** The length of the list of teams. Nobody reads a longer one. */
const TEAMS_OF_PERSON_MAX = 100

const TEAM_FIELDS = { shortId: team.shortId, name: team.name }
export type TeamOfPerson = RowOf<typeof TEAM_FIELDS>

/** Selects the teams that have an active user with this address, by their names. */
export const selectPersonTeams = (email: string): Statement<TeamOfPerson> =>
  select(
    TEAM_FIELDS,
    sql`FROM ${user} JOIN ${team} ON ${team.no} = ${user.team}
      WHERE ${user.normalizedEmail} = ${email} AND ${user.isActive} AND ${user.deletedAt} IS NULL
      ORDER BY ${team.name}, ${team.no} LIMIT ${TEAMS_OF_PERSON_MAX}`,
  )

export const USER_GONE = 'the user was deactivated in between'

export const guardActiveUser = ({ id, team }: ActiveUser): Statement =>
  guard(
    USER_GONE,
    sql`EXISTS (SELECT 1 FROM ${user} WHERE ${user.id} = ${id} AND ${user.team} = ${team} AND ${user.isActive}
      AND ${user.deletedAt} IS NULL)`,
  )
