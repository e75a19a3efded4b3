import { AppError } from '../../errors.ts'
import { getProviderKeys, isTokenFault } from '../provider-keys.ts'
import { toComparableEmail } from '../sign-in-by-address.ts'
import type { AccessSettings } from './settings.ts'

const ALGORITHMS = ['RS256', 'ES256']

/** Returns the e-mail address that Access has verified, in lower case; undefined if Access has not made the assertion for us. */
export async function verifyEmail(
  assertion: string,
  { issuer, audience }: AccessSettings,
  now: number,
): Promise<string | undefined> {
  const { jwtVerify } = await import('jose/jwt/verify')
  const keys = await getProviderKeys(`${issuer}/cdn-cgi/access/certs`, (url, init) => fetch(url, init))
  try {
    const { payload } = await jwtVerify(assertion, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'email'],
    })
    // Tokens of services have no address: they belong to programs, which use an API key.
    return toComparableEmail(payload.email)
  } catch (error) {
    if (isTokenFault(error)) return undefined
    throw new AppError('provider_unavailable', 'the keys of Cloudflare Access could not be had', error)
  }
}
