import type { Context } from 'hono'
import { openDatabase } from '../db/databases.ts'
import { AppError } from '../errors.ts'
import type { AppEnv } from '../http/context.ts'
import { requireOwnOrigin } from '../http/own-origin.ts'
import { lookUpUnauthenticated } from '../http/request/unauthenticated.ts'
import type { Permission } from '../permissions.ts'
import { createTeamScope } from '../scope.ts'
import { findAllowanceError } from '../team-status/allowance.ts'
import { teamSuspendedError } from '../team-status/suspension.ts'
import { readToken } from '../token.ts'
import { admitCall } from './budget/middleware.ts'
import { type Credential, parseCredential, UNACCEPTED } from './credential.ts'
import { recordUse } from './last-use.ts'
import { lookUpOnce } from './look-ups.ts'
import {
  forgetMiss,
  getCachedOwner,
  getTrustedOwner,
  isTrusted,
  loadOwner,
  refreshOwner,
  rememberMiss,
  wasMissedLately,
} from './owner-cache.ts'
import { findEnd, findLackingRole } from './owner-rules.ts'
import { countCall } from './rate-limit.ts'
import { type Owner, type Preload, selectTokenTeam, type TeamOfToken } from './store.ts'

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
  if (known && isTrusted(known, now)) {
    const refreshing = refreshOwner(c.env, credential, known, now)
    if (refreshing) c.executionCtx.waitUntil(refreshing)
    return known.owner
  }
  const stored = await readToken(token, kind)
  if (!stored) throw UNACCEPTED[kind].misshapen()
  const { hash } = stored
  const hashed = { ...credential, ...stored }
  const load = () => loadOwner(c.get('db'), hashed, now, known ? undefined : preloadFor(c, selectTokenTeam(hashed)))
  // A token that this isolate has accepted before is not limited by the attempts of others behind its address.
  const lookUp = () => (known ? load() : findUnknownOwner(c, hash, load, now))
  const owner = await lookUpOnce(hash, () => getTrustedOwner(credential, Date.now()), lookUp)
  if (!owner) throw UNACCEPTED[kind].unknown()
  if (findEnd(owner, now) === undefined) c.executionCtx.waitUntil(recordUse(c.env, owner, now))
  return owner
}

async function findUnknownOwner(c: Context<AppEnv>, hash: string, load: () => Promise<Owner | undefined>, now: number) {
  if (wasMissedLately(hash, now)) return undefined
  const owner = await lookUpUnauthenticated(c, { kind: 'token', lookup: hash }, load)
  if (owner) forgetMiss(hash)
  else rememberMiss(hash, now)
  return owner
}
