import { sql } from 'drizzle-orm'
import { apiKey } from '../api-key/table.ts'
import { assignments, insertInto, type Statement, select, statement } from '../db/statement.ts'
import { newId, toRowNo } from '../ids.ts'
import { createToken, getLastFour, getTokenPrefix, hashToken } from '../token.ts'
import { user } from '../user/table.ts'
import { team } from './table.ts'

/** A team that the command line creates: the statements, and the values that only it will ever know. */
interface NewTeam {
  teamId: string
  teamNo: number
  userId: string
  shortId: string
  keyId: string
  token: string
  statements: Statement[]
}

export const toShortId = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '') || 'team'

/**
 * Selects the number of the next team, which tokens contain. The numbers of erased teams are not given again. If two teams
 * are created at the same time, one is refused.
 */
export const selectNextTeamNumber: Statement<{ no: number }> = statement(
  sql`SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'team'), 0) + 1 AS no`,
)

/** Selects the highest number that a team was ever given. */
export const selectLastTeamNumber: Statement<{ no: number }> = statement(
  sql`SELECT seq AS no FROM sqlite_sequence WHERE name = 'team'`,
)

/** After a restore, which has forgotten the newest teams: what is left of them in queues must not become another team's. */
export const reserveTeamNumbers = (last: number): Statement[] => [
  statement(sql`INSERT INTO sqlite_sequence (name, seq) SELECT 'team', 0
    WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'team')`),
  statement(sql`UPDATE sqlite_sequence SET seq = max(seq, ${last}) WHERE name = 'team'`),
]

/** Creates the way into an installation: a team, its first admin, and a key whose token exists only in the result. */
export async function buildTeam(name: string, { no: teamNo, now }: { no: number; now: number }): Promise<NewTeam> {
  const [teamId, userId] = [newId(now), newId(now)]
  const shortId = toShortId(name)
  const key = await buildKey(teamNo, userId, now)
  const times = { createdAt: now, updatedAt: now }
  const names = { username: 'admin', firstName: 'Admin', displayName: 'Admin' }
  return {
    teamId,
    teamNo,
    userId,
    shortId,
    keyId: key.id,
    token: key.token,
    statements: [
      statement(insertInto(team, { no: teamNo, id: teamId, shortId, name, createdAt: now })),
      statement(insertInto(user, { no: toRowNo(userId), team: teamNo, id: userId, role: 'admin', ...names, ...times })),
      key.statement,
    ],
  }
}

const FIRST_KEY = 'First key'

/** Replaces the first key of an existing team. Earlier first keys, whose tokens nobody knows any more, are revoked. */
export async function replaceFirstKey(teamNo: number, userId: string, now: number) {
  const key = await buildKey(teamNo, userId, now)
  const revoke = sql`UPDATE ${apiKey} SET ${assignments(apiKey, { revokedAt: now })}
    WHERE ${apiKey.team} = ${teamNo} AND ${apiKey.name} = ${FIRST_KEY} AND ${apiKey.revokedAt} IS NULL`
  return { keyId: key.id, token: key.token, statements: [statement(revoke), key.statement] }
}

async function buildKey(
  teamNo: number,
  userId: string,
  now: number,
): Promise<{ id: string; token: string; statement: Statement }> {
  const token = createToken(teamNo)
  const id = newId(now)
  const row = {
    team: teamNo,
    id,
    name: FIRST_KEY,
    role: 'admin',
    user: userId,
    hash: await hashToken(token),
    prefix: getTokenPrefix(token),
    lastFour: getLastFour(token),
    createdAt: now,
    createdBy: userId,
  }
  return { id, token, statement: statement(insertInto(apiKey, row)) }
}

/** Selects a team with its first admin, who may not be its first user: numbers of users follow the order in which they began. */
export const selectTeam = (shortId: string): Statement<{ no: number; user: string }> =>
  select(
    { no: team.no, user: user.id },
    sql`FROM ${team} JOIN ${user} ON ${user.team} = ${team.no} WHERE ${team.shortId} = ${shortId}
      AND ${user.role} = 'admin' AND ${user.isActive} = 1 ORDER BY ${user.no} LIMIT 1`,
  )
