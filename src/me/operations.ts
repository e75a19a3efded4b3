import { getKey } from '../api-key/operations.ts'
import { getRole } from '../roles.ts'
import type { Scope } from '../scope.ts'
import { getSession } from '../session/operations.ts'
import { getUser } from '../user/operations.ts'

/** Reads the caller. The rows exist, because the key or the session was accepted. */
export async function getCaller(scope: Scope, callerId: string) {
  const isSession = 'session' in scope.origin
  const [key, session, { row: user }] = await Promise.all([
    isSession ? null : getKey(scope, callerId),
    isSession ? getSession(scope, callerId) : null,
    getUser(scope, scope.user.id),
  ])
  return { key, session, user, role: getRole(key?.role ?? user.role) }
}

export type CallerRows = Awaited<ReturnType<typeof getCaller>>
