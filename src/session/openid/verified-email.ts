import type { JWTPayload } from 'jose'
import { AppError } from '../../errors.ts'
import { areSameSecrets } from '../../http/digest.ts'
import { isObject } from '../../http/shapes.ts'
import { getProviderKeys, isTokenFault } from '../provider-keys.ts'
import { toComparableEmail } from '../sign-in-by-address.ts'
import { askProvider, parseAnswerJson, unusableProviderError } from './ask-provider.ts'
import { isForClient, isVerified } from './claim-rules.ts'
import type { ProviderMetadata } from './discovery.ts'
import type { Tokens } from './redeem.ts'
import type { OpenIdSettings } from './settings.ts'

/** Algorithms with a private key only: with `HS256` the public key would be the secret, and `none` is no signature. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519']
/** The tolerance of times, because clocks differ. */
const TOLERANCE_SECONDS = 60
const AGE_SECONDS_MAX = 600

/** The reason of a refusal, for the operator's log. The person gets the same response for all of them. */
export type RefusalReason = 'issuer' | 'code' | 'token' | 'audience' | 'nonce' | 'email' | 'unverified email' | 'nobody'

interface ExpectedToken {
  nonce: string
  now: number
}

/** Returns the e-mail address for which the provider vouches, in the form in which it is compared. */
export async function findVerifiedEmail(
  provider: ProviderMetadata,
  settings: OpenIdSettings,
  tokens: Tokens,
  { nonce, now }: ExpectedToken,
): Promise<{ email: string } | { refused: RefusalReason }> {
  const claims = await verifyIdToken(provider, settings, tokens.id_token, now)
  if (!claims) return { refused: 'token' }
  if (!isForClient(claims, settings.clientId)) return { refused: 'audience' }
  if (!(await areSameSecrets(String(claims.nonce), nonce))) return { refused: 'nonce' }
  // The address and whether it is verified come from the same source.
  const source = claims.email === undefined ? await fetchUserInfo(provider, settings, tokens, claims) : claims
  const email = toComparableEmail(source.email)
  if (email === undefined) return { refused: 'email' }
  return isVerified(source) ? { email } : { refused: 'unverified email' }
}

async function verifyIdToken(
  { issuer, jwks_uri }: ProviderMetadata,
  settings: OpenIdSettings,
  idToken: string,
  now: number,
): Promise<JWTPayload | undefined> {
  const { jwtVerify } = await import('jose/jwt/verify')
  const keys = await getProviderKeys(jwks_uri, async (url, init) => {
    const { status, text } = await askProvider(settings, url, init)
    return new Response(text, { status })
  })
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      issuer,
      audience: settings.clientId,
      algorithms: ALGORITHMS,
      currentDate: new Date(now),
      clockTolerance: TOLERANCE_SECONDS,
      maxTokenAge: AGE_SECONDS_MAX,
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
    })
    return payload
  } catch (error) {
    if (isTokenFault(error)) return undefined
    if (error instanceof AppError) throw error
    throw unusableProviderError(settings.name, 'its keys cannot be read', error)
  }
}

/** Fetches the claims from the endpoint where many providers have the address, instead of the ID token. They must be of the same person. */
async function fetchUserInfo(
  { userinfo_endpoint }: ProviderMetadata,
  settings: OpenIdSettings,
  { access_token }: Tokens,
  { sub }: JWTPayload,
): Promise<Record<string, unknown>> {
  if (userinfo_endpoint === undefined || access_token === undefined) return {}
  const headers = { accept: 'application/json', authorization: `Bearer ${access_token}` }
  const answer = await askProvider(settings, userinfo_endpoint, { headers })
  const json = parseAnswerJson(answer)
  if (answer.status !== 200 || !isObject(json))
    throw unusableProviderError(settings.name, 'it does not tell who has signed in')
  return json.sub === sub ? json : {}
}
