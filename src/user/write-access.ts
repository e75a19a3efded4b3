import { sql } from 'drizzle-orm'
import { apiKey } from '../api-key/table.ts'
import type { Changes } from '../db/client.ts'
import { guard, guardValue, isGuardFailure } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { type Write, write } from '../db/write.ts'
import { AppError } from '../errors.ts'
import type { May } from '../permissions.ts'
import { listRolesThatMay } from '../roles.ts'
import type { Scope } from '../scope.ts'
import { session } from '../session/table.ts'
import { guardNotSuspended, TEAM_SUSPENDED, teamSuspendedError } from '../team-status/suspension.ts'
import { user } from './table.ts'

const CALLER_ENDED = 'the key or session of the caller has ended'
const CALLER_DEMOTED = 'the user of the caller may do less'

/**
 * Writes what lets somebody in, lets them do more, or has data sent elsewhere. An isolate relies on a token, and on the role
 * of its user, for a while (`auth/owner-cache.ts`): what would outlive them is made only if the database has the token in
 * force, and a user who may still do all that `may` says. Without `may` nothing was decided by the role.
 */
export async function writeAccess<const Effect extends readonly Statement[]>(
  scope: Scope,
  { guards = [], ...change }: Write<Effect>,
  may?: May,
): Promise<Changes<Effect>> {
  try {
    return await write(scope, {
      ...change,
      guards: [...guards, guardCaller(scope, may), guardNotSuspended(scope.team.no)],
    })
  } catch (error) {
    if (isGuardFailure(error, CALLER_ENDED)) throw callerEndedError(scope, error)
    if (isGuardFailure(error, CALLER_DEMOTED)) throw callerDemotedError(error)
    throw isGuardFailure(error, TEAM_SUSPENDED) ? teamSuspendedError(error) : error
  }
}

const callerEndedError = ({ origin }: Scope, cause: unknown): AppError =>
  new AppError(
    'unauthenticated',
    [
      'session' in origin
        ? { message: 'this session has ended', path: '/header/cookie', hint: 'sign in again' }
        : {
            message: 'this token has ended',
            path: '/header/authorization',
            hint: 'it was revoked or has expired, or its user was deactivated',
          },
    ],
    cause,
  )

const callerDemotedError = (cause: unknown): AppError =>
  new AppError(
    'permission_denied',
    [
      {
        message: 'the role of this user was changed, and may do less now',
        hint: 'what it may do works within 30 seconds: try again then',
      },
    ],
    cause,
  )

/** The role of a key never changes, that of its user does. */
function guardCaller({ team, origin, now }: Scope, may: May | undefined): Statement {
  if ('job' in origin) throw new Error('a job lets nobody in, and has nothing sent elsewhere')
  const isUserActive = sql`${user.isActive} AND ${user.deletedAt} IS NULL`
  const mayStill = may
    ? guardValue(CALLER_DEMOTED, sql`${user.role} IN (${sql.join(listRolesThatMay(may), sql`, `)})`, sql`'{}'`)
    : sql`1`
  return guard(
    CALLER_ENDED,
    'session' in origin
      ? sql`(SELECT ${mayStill} FROM ${session} JOIN ${user} ON ${user.id} = ${session.user} AND +${user.team} = ${session.team}
          WHERE ${session.id} = ${origin.session} AND +${session.team} = ${team.no}
            AND ${session.endedAt} IS NULL AND ${session.expiresAt} > ${now} AND ${isUserActive}) IS NOT NULL`
      : sql`(SELECT ${mayStill} FROM ${apiKey} JOIN ${user} ON ${user.id} = ${apiKey.user} AND +${user.team} = ${apiKey.team}
          WHERE ${apiKey.id} = ${origin.apiKey} AND +${apiKey.team} = ${team.no}
            AND ${apiKey.revokedAt} IS NULL AND coalesce(${apiKey.expiresAt} > ${now}, 1) AND ${isUserActive}) IS NOT NULL`,
  )
}
