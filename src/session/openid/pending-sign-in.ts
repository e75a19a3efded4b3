import { toBase64url } from '../../base64.ts'
import { type ChallengeKey, signClaim } from '../challenge.ts'
import { seal, unseal } from '../sealed.ts'
import type { ProviderMetadata } from './discovery.ts'
import type { OpenIdSettings } from './settings.ts'

/** A sign-in that has begun. The browser keeps it, sealed, in a cookie that no script can read. */
export interface PendingSignIn {
  secret: string
  /** The origin of the page, to which the provider sends the browser back. */
  origin: string
  /** The page of ours that the user wanted. */
  from: string
}

const SECRET_BYTES = 32
/** The page to which the provider sends the browser, and which is registered there. It is in the admin area (`src/admin/session`). */
const CALLBACK_PATH = '/admin/sign-in/openid'

export const createPendingSignIn = (origin: string, from: string): PendingSignIn => ({
  secret: toBase64url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))),
  origin,
  from,
})

export const sealPendingSignIn = (env: ChallengeKey, pending: PendingSignIn, now: number): Promise<string> =>
  seal(env, 'openid sign-in', pending, now)

export const unsealPendingSignIn = (
  env: ChallengeKey,
  sealed: string | undefined,
  now: number,
): Promise<PendingSignIn | undefined> => unseal<PendingSignIn>(env, 'openid sign-in', sealed, now)

/** Derive values from the secret. None reveals another: `state`, which is in an address, is of no use without the cookie. */
export const deriveState = (env: ChallengeKey, { secret }: PendingSignIn): Promise<string> =>
  signClaim(env, 'openid state', secret)
export const deriveNonce = (env: ChallengeKey, { secret }: PendingSignIn): Promise<string> =>
  signClaim(env, 'openid nonce', secret)
export const deriveVerifier = (env: ChallengeKey, { secret }: PendingSignIn): Promise<string> =>
  signClaim(env, 'openid code verifier', secret)

export const getCallbackAddress = ({ origin }: PendingSignIn): string => `${origin}${CALLBACK_PATH}`

/** Returns the provider's address for the browser, with all that binds its answer to this sign-in. */
export async function buildAuthorizationAddress(
  env: ChallengeKey,
  { authorization_endpoint }: ProviderMetadata,
  { clientId }: OpenIdSettings,
  pending: PendingSignIn,
): Promise<string> {
  const verifier = new TextEncoder().encode(await deriveVerifier(env, pending))
  const address = new URL(authorization_endpoint)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: getCallbackAddress(pending),
    scope: 'openid email',
    state: await deriveState(env, pending),
    nonce: await deriveNonce(env, pending),
    code_challenge: toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', verifier))),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}
