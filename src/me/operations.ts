import { getKey } from '../auth/operations.ts'
import type { ApiKeyRow } from '../auth/store.ts'
import type { Scope } from '../scope.ts'
import { getUser } from '../user/operations.ts'
import type { UserRow } from '../user/store.ts'

export interface CallerRows {
  key: ApiKeyRow
  user: UserRow
}

/** Who calls: both rows are there, because the token was accepted. */
export async function getCaller(scope: Scope, keyId: string): Promise<CallerRows> {
  const [key, { row: user }] = await Promise.all([getKey(scope, keyId), getUser(scope, scope.user.id)])
  return { key, user }
}
