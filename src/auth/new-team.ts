import { type Statement, statement } from '../db/client.ts'
import { newId } from '../ids.ts'
import { hashOf, lastFourOf, newToken, prefixOf } from './token.ts'

export interface NewTeam {
  teamId: string
  userId: string
  shortId: string
  token: string
  statements: Statement[]
}

export const shortIdOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '') || 'team'

/** An installation's way in: a team, its first admin, and a key whose token exists only in what this returns. */
export async function newTeam(name: string, now: number): Promise<NewTeam> {
  const [teamId, userId, keyId, token] = [newId(now), newId(now), newId(now), newToken()]
  const shortId = shortIdOf(name)
  const teamNo = '(SELECT no FROM team WHERE id = ?1)'
  return {
    teamId,
    userId,
    shortId,
    token,
    statements: [
      statement(
        'INSERT INTO team (id, short_id, name, created_at) VALUES (?1, ?2, ?3, ?4)',
        teamId,
        shortId,
        name,
        now,
      ),
      statement(
        `INSERT INTO user (team, id, username, first_name, display_name, role, created_at, updated_at)
         VALUES (${teamNo}, ?2, 'admin', 'Admin', 'Admin', 'admin', ?3, ?3)`,
        teamId,
        userId,
        now,
      ),
      statement(
        `INSERT INTO api_key (team, id, name, role, user, hash, prefix, last_four, created_at, created_by)
         VALUES (${teamNo}, ?2, 'First key', 'admin', ?3, ?4, ?5, ?6, ?7, ?3)`,
        teamId,
        keyId,
        userId,
        await hashOf(token),
        prefixOf(token),
        lastFourOf(token),
        now,
      ),
    ],
  }
}
