import { type May, PERMISSIONS } from '../permissions.ts'
import type { Team } from '../scope.ts'
import { toMethod } from '../session/view.ts'
import type { CallerRows } from './operations.ts'
import type { Caller } from './schema.ts'

/** Converts the caller into a response. `limits` are those of the installation. */
export function viewCaller(
  { key, session, user, role }: CallerRows,
  team: Team,
  { may, limits }: { may: May; limits: Caller['limits'] },
): Caller {
  const { id, shortId, name } = role
  return {
    team: { id: team.id, shortId: team.shortId, name: team.name },
    user: { id: user.id, username: user.username, displayName: user.displayName, email: user.email },
    key: key && {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      lastFour: key.lastFour,
      expiresAt: key.expiresAt,
    },
    session: session && {
      id: session.id,
      method: toMethod(session),
      createdAt: session.createdAt,
      expiresAt: session.expiresAt,
    },
    role: { id, shortId, name },
    permissions: PERMISSIONS.filter(may),
    limits,
  }
}
