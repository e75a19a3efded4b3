import { getKey } from '../auth/operations.ts'
import type { Scope } from '../scope.ts'
import { getUser } from '../user/operations.ts'

/** Who calls: both rows are there, because the token was accepted. */
export async function getCaller(scope: Scope, keyId: string) {
  const [key, { row: user }] = await Promise.all([getKey(scope, keyId), getUser(scope, scope.user.id)])
  return { key, user }
}

export type CallerRows = Awaited<ReturnType<typeof getCaller>>
