import type { Context } from 'hono'
import { createCache, estimateParsedBytes } from '../cache.ts'
import type { Db } from '../db/client.ts'
import { openDatabase } from '../db/databases.ts'
import { AppError } from '../errors.ts'
import type { AppEnv } from '../http/context.ts'
import { requireOwnOrigin } from '../http/own-origin.ts'
import { isInstallationPaused } from '../http/pause.ts'
import { lookUpUnauthenticated } from '../http/request/unauthenticated.ts'
import type { Permission } from '../permissions.ts'
import { allows } from '../roles.ts'
import { createTeamScope } from '../scope.ts'
import { findAllowanceError } from '../team-status/allowance.ts'
import { teamSuspendedError } from '../team-status/suspension.ts'
import { readToken } from '../token.ts'
import { admitCall } from './budget/middleware.ts'
import { type Credential, parseCredential, UNACCEPTED } from './credential.ts'
import { lookUpOnce } from './look-ups.ts'
import { countCall } from './rate-limit.ts'
import {
  findOwner,
  type Owner,
  type Preload,
  type StoredCredential,
  saveLastUsed,
  selectTokenTeam,
  type TeamOfToken,
} from './store.ts'

/** After this time an accepted token is read again after the response, so that a busy isolate never waits for it. */
const REFRESH_AFTER_MS = 10_000
/** After this time it is read before anything is done: a revocation takes effect within this time in every isolate. */
export const TRUST_MS = 25_000
const LAST_USED_COARSE_MS = 10 * 60_000
const CACHED_OWNERS_BYTES_MAX = 6_000_000
/** The time for which an unknown token is refused without asking again: nobody can have a token before it exists. */
const MISS_MS = 5_000
const MISSES_BYTES_MAX = 2_000_000

interface CachedOwner {
  owner: Owner
  checkedAt: number
  refreshing: boolean
}

/** The cached owners, by the tokens themselves, which are in the memory of the isolate anyway: hashing each call's again took 10 µs. */
const cachedOwners = createCache<CachedOwner>(CACHED_OWNERS_BYTES_MAX, ({ owner }) => estimateParsedBytes(owner))
/** The times at which tokens were not found, by their hashes. */
const missedAt = createCache<number>(MISSES_BYTES_MAX, () => 0)

/** Returns what a request needs besides the token if this isolate does not know the caller. The team is that of the token. */
type PreloadFor<Row> = (c: Context<AppEnv>, team: TeamOfToken) => Preload<Row> | undefined

/**
 * Authenticates a token, which gives the scope, and checks the permission of the role. A warm isolate reads nothing from the
 * database; a new one makes one round trip for all that it does not know.
 */
export const authenticateWith =
  <Row>(preloadFor: PreloadFor<Row>) =>
  async (c: Context<AppEnv>, permission: Permission, isWithinAllowance: boolean): Promise<void> => {
    const now = Date.now()
    const owner = await findTokenOwner(c, preloadFor, now)
    const end = findEnd(owner, now)
    if (end) throw UNACCEPTED[owner.kind][end]()
    const by = owner.kind === 'key' ? { apiKey: owner.id } : { session: owner.id }
    c.set('caller', { team: owner.teamNo, user: owner.userId, by })
    const counted = { kind: owner.kind, id: owner.kind === 'key' ? owner.id : owner.userId }
    const { headers, refusal } = await countCall(c.env, counted, owner.role, now)
    c.set('rate', headers)
    if (refusal) throw refusal
    if (owner.teamSuspendedAt !== null) throw teamSuspendedError()
    const beyond = isWithinAllowance ? findAllowanceError(owner, now) : undefined
    if (beyond) throw beyond
    await admitCall(c, owner.teamNo)
    const lacking = findLackingRole(owner, permission)
    if (lacking)
      throw new AppError('permission_denied', [
        { message: `${lacking} lacks the permission ${permission}`, detail: { permission } },
      ])
    const team = {
      no: owner.teamNo,
      id: owner.teamId,
      shortId: owner.teamShortId,
      name: owner.teamName,
      eventFeedSince: owner.teamEventFeedSince,
    }
    c.set('callerId', owner.id)
    c.set('may', other => findLackingRole(owner, other) === undefined)
    c.set('isStillAuthorized', () => isStillAuthorized(c, permission))
    const request = c.get('requestId')
    const origin = owner.kind === 'key' ? { apiKey: owner.id, request } : { session: owner.id, request }
    c.set('scope', createTeamScope(c.get('db'), { team, user: { id: owner.userId }, origin }, Date.now()))
  }

/** Returns the role that lacks a permission. A key needs it of its own role and of its user's: a user who becomes a viewer has no key of an admin. */
function findLackingRole({ role, userRole }: Owner, permission: Permission): string | undefined {
  if (!allows(role, permission)) return `the role ${role}`
  return allows(userRole, permission) ? undefined : `the role ${userRole} of its user`
}

/** Returns the reason why a token has ended. */
function findEnd(
  { revokedAt, expiresAt, isActive }: Owner,
  now: number,
): 'revoked' | 'expired' | 'inactive' | undefined {
  if (revokedAt !== null && revokedAt <= now) return 'revoked'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return isActive ? undefined : 'inactive'
}

/** Tells whether a token has expired since it was read. It may have been prolonged meanwhile, as a session is by its use. */
const hasExpired = ({ owner: { expiresAt }, checkedAt }: CachedOwner, now: number): boolean =>
  expiresAt !== null && checkedAt < expiresAt && expiresAt <= now

const readCredential = (c: Context<AppEnv>): Credential =>
  parseCredential(c.req.header('authorization'), c.req.header('cookie'))

/** Checks the token of a response that outlives its request: asks the database, whatever this isolate remembers. */
async function isStillAuthorized(c: Context<AppEnv>, permission: Permission): Promise<boolean> {
  const now = Date.now()
  const { kind, token } = readCredential(c)
  const stored = await readToken(token, kind)
  const owner = stored && (await loadOwner(openDatabase(c.env), { kind, token, ...stored }, now))
  if (owner === undefined || owner.teamSuspendedAt !== null) return false
  return findEnd(owner, now) === undefined && findLackingRole(owner, permission) === undefined
}

async function findTokenOwner<Row>(c: Context<AppEnv>, preloadFor: PreloadFor<Row>, now: number): Promise<Owner> {
  const credential = readCredential(c)
  const { kind, token } = credential
  if (kind === 'session') requireOwnOrigin(c)
  const known = getCachedOwner(credential)
  const age = known ? now - known.checkedAt : Number.POSITIVE_INFINITY
  if (known && age >= 0 && age < TRUST_MS && !hasExpired(known, now)) {
    if (age >= REFRESH_AFTER_MS && !known.refreshing) {
      known.refreshing = true
      const refreshing = refresh(c.env, credential, now).catch(() => undefined)
      // If the refresh fails, the next call tries again.
      c.executionCtx.waitUntil(refreshing.finally(() => (known.refreshing = false)))
    }
    return known.owner
  }
  const stored = await readToken(token, kind)
  if (!stored) throw UNACCEPTED[kind].misshapen()
  const { hash } = stored
  const hashed = { ...credential, ...stored }
  const load = () => loadOwner(c.get('db'), hashed, now, known ? undefined : preloadFor(c, selectTokenTeam(hashed)))
  // A token that this isolate has accepted before is not limited by the attempts of others behind its address.
  const lookUp = () => (known ? load() : findUnknownOwner(c, hash, load, now))
  const owner = await lookUpOnce(hash, () => findOwnerSince(credential, now), lookUp)
  if (!owner) throw UNACCEPTED[kind].unknown()
  if (findEnd(owner, now) === undefined) c.executionCtx.waitUntil(recordUse(c.env, owner, now))
  return owner
}

/** Returns the cached owner. The token of a session is none of a key, nor the other way round. */
function getCachedOwner({ kind, token }: Credential): CachedOwner | undefined {
  const found = cachedOwners.get(token)
  return found?.owner.kind === kind ? found : undefined
}

/** Returns the owner if another call has found it since a time. */
function findOwnerSince(credential: Credential, time: number): Owner | undefined {
  const found = getCachedOwner(credential)
  return found && found.checkedAt >= time ? found.owner : undefined
}

async function findUnknownOwner(c: Context<AppEnv>, hash: string, load: () => Promise<Owner | undefined>, now: number) {
  const age = now - (missedAt.get(hash) ?? Number.NEGATIVE_INFINITY)
  if (age >= 0 && age < MISS_MS) return undefined
  const owner = await lookUpUnauthenticated(c, { kind: 'token', lookup: hash }, load)
  if (owner) missedAt.delete(hash)
  else missedAt.set(hash, now)
  return owner
}

async function refresh(env: Env, credential: Credential, now: number): Promise<void> {
  const db = openDatabase(env)
  const stored = await readToken(credential.token, credential.kind)
  const owner = stored && (await loadOwner(db, { ...credential, ...stored }, now))
  if (owner && findEnd(owner, now) === undefined) await recordUse(env, owner, now)
}

async function loadOwner<Row>(
  db: Db,
  { token, ...stored }: Credential & StoredCredential,
  now: number,
  preload?: Preload<Row>,
): Promise<Owner | undefined> {
  const owner = await findOwner(db, stored, now, preload)
  if (owner) cachedOwners.set(token, { owner, checkedAt: now, refreshing: false })
  else cachedOwners.delete(token)
  return owner
}

async function recordUse(env: Env, owner: Owner, now: number): Promise<void> {
  if (isInstallationPaused(env)) return
  if (owner.lastUsedAt === null || owner.lastUsedAt < now - LAST_USED_COARSE_MS)
    await saveLastUsed(openDatabase(env), owner, now, LAST_USED_COARSE_MS)
}

/** Forgets the token of a session that its user has ended, so that this isolate refuses it at once. */
export const forgetToken = (token: string): void => cachedOwners.delete(token)
