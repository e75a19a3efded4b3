import type { JWTPayload } from 'jose'
import { AppError } from '../../errors.ts'
import { areSameSecrets } from '../../http/digest.ts'
import { isObject } from '../../http/shapes.ts'
import { isTokenFault, providerKeys } from '../provider-keys.ts'
import { comparableEmail } from '../sign-in-by-address.ts'
import { askProvider, parseAnswerJson, unusable } from './ask-provider.ts'
import { isForClient, isVerified } from './claim-rules.ts'
import type { ProviderMetadata } from './discovery.ts'
import type { Tokens } from './redeem.ts'
import type { OpenIdSettings } from './settings.ts'

/** Signatures with a private key only: with `HS256` the public key would be the secret, and `none` is no signature. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519']
/** Clocks differ. */
const TOLERANCE_SECONDS = 60
const AGE_SECONDS_MAX = 600

/** Why somebody is not let in: for the log of the operator. They themselves are told alike. */
export type RefusalReason = 'issuer' | 'code' | 'token' | 'audience' | 'nonce' | 'email' | 'unverified email' | 'nobody'

interface ExpectedToken {
  nonce: string
  now: number
}

/** The e-mail address that the provider vouches for, as it is compared. */
export async function verifiedEmail(
  provider: ProviderMetadata,
  settings: OpenIdSettings,
  tokens: Tokens,
  { nonce, now }: ExpectedToken,
): Promise<{ email: string } | { refused: RefusalReason }> {
  const claims = await verifyIdToken(provider, settings, tokens.id_token, now)
  if (!claims) return { refused: 'token' }
  if (!isForClient(claims, settings.clientId)) return { refused: 'audience' }
  if (!(await areSameSecrets(String(claims.nonce), nonce))) return { refused: 'nonce' }
  // An address and whether it is verified are of one source.
  const source = claims.email === undefined ? await userInfo(provider, settings, tokens, claims) : claims
  const email = comparableEmail(source.email)
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
  const keys = await providerKeys(jwks_uri, async (url, init) => {
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
    throw unusable(settings.name, 'its keys cannot be read', error)
  }
}

/** Many providers have the address here and not in the ID token. It must be about the same person. */
async function userInfo(
  { userinfo_endpoint }: ProviderMetadata,
  settings: OpenIdSettings,
  { access_token }: Tokens,
  { sub }: JWTPayload,
): Promise<Record<string, unknown>> {
  if (userinfo_endpoint === undefined || access_token === undefined) return {}
  const headers = { accept: 'application/json', authorization: `Bearer ${access_token}` }
  const answer = await askProvider(settings, userinfo_endpoint, { headers })
  const json = parseAnswerJson(answer)
  if (answer.status !== 200 || !isObject(json)) throw unusable(settings.name, 'it does not tell who has signed in')
  return json.sub === sub ? json : {}
}
