import { createCache, estimateParsedBytes } from '../cache.ts'
import type { Db } from '../db/client.ts'
import { openDatabase } from '../db/databases.ts'
import { readToken } from '../token.ts'
import type { Credential } from './credential.ts'
import { recordUse } from './last-use.ts'
import { findEnd } from './owner-rules.ts'
import { findOwner, type Owner, type Preload, type StoredCredential } from './store.ts'

// The owners of tokens that this isolate remembers, and for how long it relies on them.

/** After this time an accepted token is read again after the response, so that a busy isolate never waits for it. */
const REFRESH_AFTER_MS = 10_000
/** After this time it is read before anything is done: a revocation takes effect within this time in every isolate. */
export const TRUST_MS = 25_000
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

/** Returns the cached owner. The token of a session is none of a key, nor the other way round. */
export function getCachedOwner({ kind, token }: Credential): CachedOwner | undefined {
  const found = cachedOwners.get(token)
  return found?.owner.kind === kind ? found : undefined
}

/** Tells whether a cached owner is relied on without asking the database. */
export function isTrusted(cached: CachedOwner, now: number): boolean {
  const age = now - cached.checkedAt
  return age >= 0 && age < TRUST_MS && !hasExpired(cached, now)
}

/** Returns the cached owner if it is relied on, whoever has read it. */
export function getTrustedOwner(credential: Credential, now: number): Owner | undefined {
  const found = getCachedOwner(credential)
  return found && isTrusted(found, now) ? found.owner : undefined
}

/** Tells whether a token has expired since it was read. It may have been prolonged meanwhile, as a session is by its use. */
const hasExpired = ({ owner: { expiresAt }, checkedAt }: CachedOwner, now: number): boolean =>
  expiresAt !== null && checkedAt < expiresAt && expiresAt <= now

/** Reads the owner again; undefined if it was read lately, or another call reads it. If that fails, the next call tries again. */
export function refreshOwner(
  env: Env,
  credential: Credential,
  cached: CachedOwner,
  now: number,
): Promise<void> | undefined {
  if (now - cached.checkedAt < REFRESH_AFTER_MS || cached.refreshing) return undefined
  cached.refreshing = true
  const refreshing = readAgain(env, credential, now).catch(() => undefined)
  return refreshing.finally(() => (cached.refreshing = false))
}

async function readAgain(env: Env, credential: Credential, now: number): Promise<void> {
  const stored = await readToken(credential.token, credential.kind)
  const owner = stored && (await loadOwner(openDatabase(env), { ...credential, ...stored }, now))
  if (owner && findEnd(owner, now) === undefined) await recordUse(env, owner, now)
}

/** Reads the owner of a token from the database, and remembers it. */
export async function loadOwner<Row>(
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

/** Tells whether nobody had this token a moment ago. */
export function wasMissedLately(hash: string, now: number): boolean {
  const age = now - (missedAt.get(hash) ?? Number.NEGATIVE_INFINITY)
  return age >= 0 && age < MISS_MS
}

export const rememberMiss = (hash: string, now: number): void => missedAt.set(hash, now)
export const forgetMiss = (hash: string): void => missedAt.delete(hash)

/** Forgets the token of a session that its user has ended, so that this isolate refuses it at once. */
export const forgetToken = (token: string): void => cachedOwners.delete(token)
