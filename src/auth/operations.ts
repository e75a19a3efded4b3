import { invalid, notFound } from '../errors.ts'
import type { Receipt } from '../http/idempotency/record.ts'
import { newId, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { findUserId } from '../user/operations.ts'
import type { NewApiKey } from './schema.ts'
import { type ApiKeyRow, endKey, findKey, insertKey, listKeyRows } from './store.ts'
import { hashOf, lastFourOf, newToken, prefixOf } from './token.ts'

export interface IssuedKey {
  row: ApiKeyRow
  /** Shown once. Empty in a replayed answer: what was not kept can't be repeated. */
  token: string | null
}

export async function createKey(scope: Scope, key: NewApiKey, receipt: Receipt): Promise<IssuedKey> {
  if (key.expiresAt !== null && key.expiresAt <= scope.now)
    throw invalid([{ message: '"expiresAt" lies in the past', path: '/body/expiresAt', hint: 'epoch milliseconds' }])
  const user = key.user === undefined ? scope.user.id : await findUserId(scope, key.user, '/body/user')
  return issue(scope, { ...key, user }, receipt)
}

export const listKeys = (scope: Scope): Promise<ApiKeyRow[]> => listKeyRows(scope)

export async function revokeKey(scope: Scope, id: string): Promise<ApiKeyRow> {
  const row = await getKey(scope, id)
  if (row.revokedAt !== null) return row
  await scope.db.batch([endKey(scope, id, { revokedAt: scope.now })])
  return { ...row, revokedAt: scope.now }
}

/** A new token with the old one's rights. The old one works until the overlap ends, and never longer than it would have. */
export async function rotateKey(
  scope: Scope,
  id: string,
  overlapSeconds: number,
  receipt: Receipt,
): Promise<IssuedKey> {
  const old = await getKey(scope, id)
  if (old.revokedAt !== null) throw notFound(`api key ${id}`)
  const overlapEnds = scope.now + overlapSeconds * 1000
  const end =
    overlapSeconds === 0 ? { revokedAt: scope.now } : { expiresAt: Math.min(overlapEnds, old.expiresAt ?? overlapEnds) }
  return issue(scope, old, receipt, [endKey(scope, id, end)])
}

async function getKey(scope: Scope, id: string): Promise<ApiKeyRow> {
  const row = UUID.test(id) ? await findKey(scope, id) : undefined
  if (!row) throw notFound(`api key ${id}`)
  return row
}

type Rights = Pick<ApiKeyRow, 'name' | 'description' | 'role' | 'user' | 'expiresAt'>

async function issue(
  scope: Scope,
  { name, description, role, user, expiresAt }: Rights,
  receipt: Receipt,
  alongside: ReturnType<typeof endKey>[] = [],
): Promise<IssuedKey> {
  const token = newToken()
  const row: ApiKeyRow = {
    id: newId(scope.now),
    team: scope.team.no,
    name,
    description,
    role,
    user,
    hash: await hashOf(token),
    prefix: prefixOf(token),
    lastFour: lastFourOf(token),
    createdAt: scope.now,
    createdBy: scope.user.id,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  }
  const kept: IssuedKey = { row: { ...row, hash: '' }, token: null }
  await scope.db.batch([insertKey(scope, row), ...alongside, ...receipt.of({ json: JSON.stringify(kept) })])
  return { row, token }
}
