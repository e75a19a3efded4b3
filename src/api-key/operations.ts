import { isGuardFailure } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { write } from '../db/write.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { newId, UUID } from '../ids.ts'
import type { May } from '../permissions.ts'
import { requireGrantable } from '../roles.ts'
import type { Scope } from '../scope.ts'
import { createToken, getLastFour, getTokenPrefix, hashToken } from '../token.ts'
import { findUserId } from '../user/operations.ts'
import { writeAccess } from '../user/write-access.ts'
import type { NewApiKey } from './schema.ts'
import {
  API_KEYS_MAX,
  type ApiKeyRow,
  findKey,
  guardKeyInForce,
  guardKeyLeft,
  insertKey,
  KEY_ENDED,
  listKeyRows,
  replaceKey,
  revokeKeyRow,
  TOO_MANY_KEYS,
} from './store.ts'

export interface IssuedKey {
  row: ApiKeyRow
  /** Returned once. Null in a replayed response, because it is not stored. */
  token: string | null
}

export async function createKey(scope: Scope, key: NewApiKey, may: May): Promise<IssuedKey> {
  requireGrantable(key.role, may)
  if (key.expiresAt !== null && key.expiresAt <= scope.now)
    throw invalid([{ message: '"expiresAt" lies in the past', path: '/body/expiresAt', hint: 'epoch milliseconds' }])
  const user = key.user === undefined ? scope.user.id : await findUserId(scope, key.user, '/body/user')
  return writeKey(scope, await newKeyRow(scope, { ...key, user }), may, [guardKeyLeft(scope)])
}

export const listKeys = (scope: Scope): Promise<ApiKeyRow[]> => listKeyRows(scope)

export async function revokeKey(scope: Scope, id: string): Promise<ApiKeyRow> {
  const row = await getKey(scope, id)
  if (row.revokedAt !== null) return row
  await write(scope, { effect: [revokeKeyRow(scope, row.id)], outcome: null })
  return { ...row, revokedAt: scope.now }
}

/** Issues a new token with the rights of the old one. The old one works until the overlap ends, and never longer than before. */
export async function rotateKey(scope: Scope, id: string, overlapSeconds: number, may: May): Promise<IssuedKey> {
  const old = await getKey(scope, id)
  requireGrantable(old.role, may)
  const issued = await newKeyRow(scope, old)
  const overlapEnds = scope.now + overlapSeconds * 1000
  const end =
    overlapSeconds === 0 ? { revokedAt: scope.now } : { expiresAt: Math.min(overlapEnds, old.expiresAt ?? overlapEnds) }
  try {
    return await writeKey(
      scope,
      issued,
      may,
      // A rotation without an overlap ends as many keys as it makes.
      [guardKeyInForce(scope, old.id), ...(overlapSeconds === 0 ? [] : [guardKeyLeft(scope)])],
      [replaceKey(scope, old.id, { replacedBy: issued.row.id, ...end })],
    )
  } catch (error) {
    if (!isGuardFailure(error, KEY_ENDED)) throw error
    throw new AppError('conflict', `the api key ${old.id} was revoked, has expired or was rotated before`, error)
  }
}

export async function getKey(scope: Scope, id: string): Promise<ApiKeyRow> {
  const row = UUID.test(id) ? await findKey(scope, id.toLowerCase()) : undefined
  if (!row) throw notFound(`api key ${id}`)
  return row
}

type Rights = Pick<ApiKeyRow, 'name' | 'description' | 'role' | 'user' | 'expiresAt'>
type NewKey = { row: ApiKeyRow; token: string }

async function newKeyRow(scope: Scope, { name, description, role, user, expiresAt }: Rights): Promise<NewKey> {
  const token = createToken(scope.team.no)
  const row: ApiKeyRow = {
    id: newId(scope.now),
    team: scope.team.no,
    name,
    description,
    role,
    user,
    hash: await hashToken(token),
    prefix: getTokenPrefix(token),
    lastFour: getLastFour(token),
    createdAt: scope.now,
    createdBy: scope.user.id,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    replacedBy: null,
  }
  return { row, token }
}

async function writeKey(
  scope: Scope,
  { row, token }: NewKey,
  may: May,
  guards: Statement[],
  alongside: Statement[] = [],
): Promise<IssuedKey> {
  const kept: IssuedKey = { row: { ...row, hash: '' }, token: null }
  try {
    await writeAccess(
      scope,
      { guards, effect: [insertKey(row), ...alongside], outcome: { json: JSON.stringify(kept) } },
      may,
    )
  } catch (error) {
    if (!isGuardFailure(error, TOO_MANY_KEYS)) throw error
    const message = `a team may have ${API_KEYS_MAX.toLocaleString('en')} API keys that can be used`
    throw new AppError('conflict', [{ message, hint: 'revoke those that nobody uses: lastUsedAt tells them' }], error)
  }
  return { row, token }
}
