import { type PlainText, textStatement } from '../db/text-statement.ts'
import { newId } from '../ids.ts'
import { hashOf, lastFourOf, newToken, prefixOf } from './token.ts'

export interface NewTeam {
  teamId: string
  userId: string
  shortId: string
  token: string
  statements: PlainText[]
}

export const shortIdOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '') || 'team'

/** An installation's way in: a team, its first admin, and a key whose token exists only in what this returns. */
export async function newTeam(name: string, now: number): Promise<NewTeam> {
  const [teamId, userId] = [newId(now), newId(now)]
  const key = await newKey(`(SELECT no FROM team WHERE id = '${teamId}')`, userId, now)
  const shortId = shortIdOf(name)
  const teamNo = '(SELECT no FROM team WHERE id = ?1)'
  return {
    teamId,
    userId,
    shortId,
    token: key.token,
    statements: [
      textStatement(
        'INSERT INTO team (id, short_id, name, created_at) VALUES (?1, ?2, ?3, ?4)',
        teamId,
        shortId,
        name,
        now,
      ),
      textStatement(
        `INSERT INTO user (team, id, username, first_name, display_name, role, created_at, updated_at)
         VALUES (${teamNo}, ?2, 'admin', 'Admin', 'Admin', 'admin', ?3, ?3)`,
        teamId,
        userId,
        now,
      ),
      ...key.statements,
    ],
  }
}

/** `teamNo` is SQL: the number itself, or the look-up of a team that the same batch inserts. */
export async function newKey(
  teamNo: string,
  userId: string,
  now: number,
): Promise<{ token: string; statements: PlainText[] }> {
  const token = newToken()
  return {
    token,
    statements: [
      textStatement(
        `INSERT INTO api_key (team, id, name, role, user, hash, prefix, last_four, created_at, created_by)
         VALUES (${teamNo}, ?1, 'First key', 'admin', ?2, ?3, ?4, ?5, ?6, ?2)`,
        newId(now),
        userId,
        await hashOf(token),
        prefixOf(token),
        lastFourOf(token),
        now,
      ),
    ],
  }
}
