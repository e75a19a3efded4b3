import { toBase64url } from '../../base64.ts'
import type { Db } from '../../db/client.ts'
import { isGuardFailure, isUniqueViolation } from '../../db/guard.ts'
import { write } from '../../db/write.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import { computeDigest } from '../../http/digest.ts'
import { newId, UUID } from '../../ids.ts'
import type { May } from '../../permissions.ts'
import type { Scope } from '../../scope.ts'
import { getUser } from '../../user/operations.ts'
import { requireUser } from '../../user/reference.ts'
import { writeAccess } from '../../user/write-access.ts'
import { CHALLENGE_MS_MAX, type ChallengeKey, createChallenge } from '../challenge.ts'
import { type BrowserVisit, type NewSession, readableUser, requireMayEnd, startSession } from '../operations.ts'
import type { OfUserQuery } from '../schema.ts'
import type { NewPasskey, PasskeyAssertion, PasskeyChallenge, SignInChallenge } from './schema.ts'
import {
  findPasskey,
  guardCredential,
  guardRoom,
  insertPasskey,
  listPasskeyRows,
  PASSKEY_SPENT,
  PASSKEYS_PER_USER_MAX,
  type PasskeyRow,
  removePasskey,
  saveUse,
  selectCredential,
  TOO_MANY_PASSKEYS,
} from './store.ts'
import { ALGORITHMS, toParty, verifyAssertion, verifyAttestation } from './verify.ts'

/** The secrets for challenges, and the origin of the page, which belongs to the installation. */
interface PasskeyContext {
  env: ChallengeKey
  origin: string
}

export const challengeSignIn = async ({ env, origin }: PasskeyContext, now: number): Promise<SignInChallenge> => ({
  challenge: await createChallenge(env, 'sign in', now),
  rpId: toParty(origin).id,
  timeout: CHALLENGE_MS_MAX,
  userVerification: 'preferred',
})

/** Signs in by a passkey; undefined if nobody has it. */
export async function signInByPasskey(
  db: Db,
  sent: PasskeyAssertion,
  { env, origin }: PasskeyContext,
  visit: BrowserVisit,
): Promise<NewSession | undefined> {
  const [[known]] = await db.read(selectCredential(sent.id))
  if (!known) return undefined
  const { userHandle } = sent.response
  if (userHandle && userHandle !== toHandle(known.user)) throw passkeyRefusedError('this passkey is of another user')
  const verified = await verifyAssertion(sent, known, {
    env,
    party: toParty(origin),
    purpose: 'sign in',
    now: visit.now,
  })
  if ('refused' in verified) throw passkeyRefusedError(REASONS[verified.refused])
  if (!known.isActive) throw passkeyRefusedError('the user of this passkey was deactivated')
  const { facts, challenge } = verified
  const signedIn = {
    team: known.team,
    user: known.user,
    method: 'passkey',
    challenge: await computeDigest(challenge),
  } as const
  try {
    return await startSession(db, signedIn, visit, {
      guards: [guardCredential(known, facts.counter)],
      alongside: [saveUse(known, facts, visit.now)],
    })
  } catch (error) {
    if (isUniqueViolation(error, 'session.challenge')) throw passkeyRefusedError(REASONS.answered, error)
    if (isGuardFailure(error, PASSKEY_SPENT)) throw passkeyRefusedError(REASONS.unverified, error)
    throw error
  }
}

const REASONS = {
  held: 'this passkey was not accepted',
  unverified: 'this passkey was not accepted',
  foreign: 'the challenge is not ours, or was made for something else',
  expired: 'the challenge has expired',
  answered: 'the challenge was answered before',
}

export const passkeyRefusedError = (message: string, cause?: unknown): AppError =>
  new AppError('unauthenticated', [{ message, path: '/body/passkey', hint: 'ask for a new challenge' }], cause)

const toHandle = (userId: string): string => toBase64url(new TextEncoder().encode(userId))

/** Makes the challenge by which the user of the session adds a passkey. */
export async function challengePasskey(scope: Scope, { env, origin }: PasskeyContext): Promise<PasskeyChallenge> {
  requireSession(scope)
  const [{ row: user }, passkeys] = await Promise.all([
    getUser(scope, scope.user.id),
    listPasskeyRows(scope, scope.user.id),
  ])
  return {
    challenge: await createChallenge(env, `add a passkey for ${user.id}`, scope.now),
    rp: { id: toParty(origin).id, name: `Caseworker, ${scope.team.name}` },
    user: { id: toHandle(user.id), name: user.username, displayName: user.displayName || user.username },
    pubKeyCredParams: ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS_MAX,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
    excludeCredentials: passkeys.map(({ credential }) => ({ id: credential, type: 'public-key' })),
  }
}

/**
 * Requires a session: no key adds a passkey at once. One that makes links can come to a session, so a leaked key may leave a
 * passkey behind all the same: `revokeCredentials` ends those, too.
 */
function requireSession({ origin }: Scope): void {
  if ('session' in origin) return
  throw new AppError('permission_denied', [
    { message: 'a passkey is added in a session, not by an API key', path: '/header/authorization' },
  ])
}

export async function addPasskey(scope: Scope, { name, passkey }: NewPasskey, { env, origin }: PasskeyContext) {
  requireSession(scope)
  const verified = await verifyAttestation(passkey, {
    env,
    party: toParty(origin),
    purpose: `add a passkey for ${scope.user.id}`,
    now: scope.now,
  })
  if ('refused' in verified) throw unfitPasskeyError(REASONS[verified.refused])
  const { facts, challenge } = verified
  const row: PasskeyRow = {
    id: newId(scope.now),
    team: scope.team.no,
    user: scope.user.id,
    name,
    credential: facts.id,
    publicKey: toBase64url(facts.publicKey),
    counter: facts.counter,
    transports: passkey.response.transports ?? [],
    backedUp: facts.isBackedUp,
    createdAt: scope.now,
    lastUsedAt: null,
    challenge: await computeDigest(challenge),
  }
  try {
    await writeAccess(scope, {
      guards: [guardRoom(scope)],
      effect: [insertPasskey(row)],
      outcome: { json: JSON.stringify(row) },
    })
  } catch (error) {
    throw findAddError(error) ?? error
  }
  return row
}

const unfitPasskeyError = (message: string): AppError =>
  invalid([{ message, path: '/body/passkey', hint: 'ask for a new challenge' }])

function findAddError(error: unknown): AppError | undefined {
  const conflict = (message: string) => new AppError('conflict', [{ message, path: '/body/passkey' }], error)
  if (isUniqueViolation(error, 'passkey.challenge')) return conflict(REASONS.answered)
  if (isUniqueViolation(error, 'passkey.credential')) return conflict('this passkey was added before')
  if (isGuardFailure(error, TOO_MANY_PASSKEYS)) return conflict(`a user has at most ${PASSKEYS_PER_USER_MAX} passkeys`)
  return undefined
}

/** Lists the caller's own passkeys, or, with the permission `key:read`, those of the whole team. */
export async function listPasskeys(scope: Scope, query: OfUserQuery, may: May): Promise<PasskeyRow[]> {
  const user = readableUser(scope, query, may)
  const rows = await listPasskeyRows(scope, user)
  if (rows.length === 0 && user !== undefined) await requireUser(scope, user, '/query/user')
  return rows
}

export async function deletePasskey(scope: Scope, id: string, may: May): Promise<PasskeyRow> {
  const row = UUID.test(id) ? await findPasskey(scope, id.toLowerCase()) : undefined
  if (!row) throw notFound(`passkey ${id}`)
  requireMayEnd(scope, row.user, may, `passkey ${id}`)
  await write(scope, { effect: [removePasskey(scope, row.id)], outcome: null })
  return row
}
