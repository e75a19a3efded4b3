import { sql } from 'drizzle-orm'
import { apiKey } from '../api-key/table.ts'
import type { Changes } from '../db/client.ts'
import { guard, isGuardFailure } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { type Write, write } from '../db/write.ts'
import { AppError } from '../errors.ts'
import type { Scope } from '../scope.ts'
import { session } from '../session/table.ts'
import { guardNotSuspended, TEAM_SUSPENDED, teamSuspendedError } from '../team-status/suspension.ts'
import { user } from './table.ts'

const CALLER_ENDED = 'the key or session of the caller has ended'

/**
 * Writes what lets somebody in, or lets them do more. An isolate relies on a token for a while after it was revoked
 * (`auth/owner-cache.ts`): what would outlive the token is made only if the database has it in force.
 */
export async function writeAccess<const Effect extends readonly Statement[]>(
  scope: Scope,
  { guards = [], ...change }: Write<Effect>,
): Promise<Changes<Effect>> {
  try {
    return await write(scope, {
      ...change,
      guards: [...guards, guardCaller(scope), guardNotSuspended(scope.team.no)],
    })
  } catch (error) {
    if (isGuardFailure(error, CALLER_ENDED)) throw callerEndedError(scope, error)
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

function guardCaller({ team, origin, now }: Scope): Statement {
  if ('job' in origin) throw new Error('a job lets nobody in')
  const isUserActive = sql`${user.isActive} AND ${user.deletedAt} IS NULL`
  return guard(
    CALLER_ENDED,
    'session' in origin
      ? sql`EXISTS (SELECT 1 FROM ${session} JOIN ${user} ON ${user.id} = ${session.user} AND +${user.team} = ${session.team}
          WHERE ${session.id} = ${origin.session} AND +${session.team} = ${team.no}
            AND ${session.endedAt} IS NULL AND ${session.expiresAt} > ${now} AND ${isUserActive})`
      : sql`EXISTS (SELECT 1 FROM ${apiKey} JOIN ${user} ON ${user.id} = ${apiKey.user} AND +${user.team} = ${apiKey.team}
          WHERE ${apiKey.id} = ${origin.apiKey} AND +${apiKey.team} = ${team.no}
            AND ${apiKey.revokedAt} IS NULL AND coalesce(${apiKey.expiresAt} > ${now}, 1) AND ${isUserActive})`,
  )
}
