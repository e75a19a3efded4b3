import type { Db } from '../../db/client.ts'
import { isUniqueViolation } from '../../db/guard.ts'
import { AppError } from '../../errors.ts'
import { areSameSecrets, computeDigest } from '../../http/digest.ts'
import { selectPersonTeams, type TeamOfPerson } from '../active-users.ts'
import type { ChallengeKey } from '../challenge.ts'
import type { BrowserVisit, NewSession } from '../operations.ts'
import { seal, unseal } from '../sealed.ts'
import { signInByAddress } from '../sign-in-by-address.ts'
import { isIssuedBy } from './claim-rules.ts'
import { discover } from './discovery.ts'
import {
  buildAuthorizationAddress,
  createPendingSignIn,
  deriveNonce,
  deriveState,
  sealPendingSignIn,
  unsealPendingSignIn,
} from './pending-sign-in.ts'
import { redeemCode } from './redeem.ts'
import type { BeginOpenId, OpenIdAnswer } from './schema.ts'
import type { OpenIdSettings } from './settings.ts'
import { findVerifiedEmail, type RefusalReason } from './verified-email.ts'

interface OpenIdContext {
  env: ChallengeKey
  settings: OpenIdSettings | undefined
  now: number
}

/** A sign-in that was begun: the address of the provider, and the sealed cookie for the browser. */
interface PendingOpenIdSignIn {
  url: string
  cookie: string
}

export async function beginOpenId(
  origin: string,
  { from }: BeginOpenId,
  { env, settings, now }: OpenIdContext,
): Promise<PendingOpenIdSignIn> {
  const offered = requireOffered(settings)
  const provider = await discover(offered, now)
  const pending = createPendingSignIn(origin, from)
  return {
    url: await buildAuthorizationAddress(env, provider, offered, pending),
    cookie: await sealPendingSignIn(env, pending, now),
  }
}

function requireOffered(settings: OpenIdSettings | undefined): OpenIdSettings {
  if (!settings) throw new AppError('not_offered', 'signing in by an OpenID provider is not set up here')
  return settings
}

/** A person whose address the provider has verified. The browser keeps it until a team is chosen. */
interface VerifiedPerson {
  email: string
  /** The secret of the pending sign-in, which makes one session. */
  secret: string
}

interface IdentifiedPerson {
  teams: TeamOfPerson[]
  from: string
  cookie: string
}

/**
 * Reads the answer with which the provider has sent the browser back. The cookie proves that this browser began the sign-in,
 * and `state` that the provider answers that one, and not one that somebody else began.
 */
export async function answerOpenId(
  db: Db,
  { code, state, iss }: OpenIdAnswer,
  cookie: string | undefined,
  { env, settings, now }: OpenIdContext,
): Promise<IdentifiedPerson | { refused: RefusalReason }> {
  const offered = requireOffered(settings)
  const pending = await unsealPendingSignIn(env, cookie, now)
  if (!pending || !(await areSameSecrets(state, await deriveState(env, pending)))) throw unknownSignInError()
  const provider = await discover(offered, now)
  if (!isIssuedBy(iss, provider)) return { refused: 'issuer' }
  const tokens = await redeemCode(env, provider, offered, { code, pending })
  if (!tokens) return { refused: 'code' }
  const verified = await findVerifiedEmail(provider, offered, tokens, {
    nonce: await deriveNonce(env, pending),
    now: Date.now(),
  })
  if ('refused' in verified) return verified
  const [teams] = await db.read(selectPersonTeams(verified.email))
  if (teams.length === 0) return { refused: 'nobody' }
  const person: VerifiedPerson = { email: verified.email, secret: pending.secret }
  return { teams, from: pending.from, cookie: await seal(env, 'openid person', person, now) }
}

const AGAIN = 'begin again, in one tab of one browser'

const unknownSignInError = (): AppError =>
  new AppError('unauthenticated', [
    { message: 'this sign-in was begun elsewhere, or more than five minutes ago', path: '/header/cookie', hint: AGAIN },
  ])

/** Returns the refusal, which is the same for everybody. */
export const personRefusedError = (settings: OpenIdSettings | undefined): AppError =>
  new AppError('unauthenticated', [
    {
      message: `${settings?.name ?? 'the provider'} names nobody who may sign in here`,
      path: '/body',
      hint: 'an admin of your team enters the e-mail address that you have there, under Users; it has to be verified there',
    },
  ])

/** Signs in a verified person who has chosen a team. Returns undefined if they are no active user of it. */
export async function signInByOpenId(
  db: Db,
  { team, cookie }: { team: string; cookie: string | undefined },
  { env, settings }: Omit<OpenIdContext, 'now'>,
  visit: BrowserVisit,
): Promise<NewSession | undefined> {
  requireOffered(settings)
  const person = await unseal<VerifiedPerson>(env, 'openid person', cookie, visit.now)
  if (!person) throw unknownSignInError()
  try {
    return await signInByAddress(
      db,
      { team, email: person.email, challenge: await computeDigest(person.secret) },
      visit,
    )
  } catch (error) {
    if (isUniqueViolation(error, 'session.challenge'))
      throw new AppError(
        'unauthenticated',
        [{ message: 'this sign-in has made a session before', path: '/header/cookie', hint: AGAIN }],
        error,
      )
    throw error
  }
}
