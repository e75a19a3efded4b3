/** What an ID token says that the signature alone does not prove. */
interface IdTokenClaims {
  aud?: string | string[]
  azp?: unknown
}

/** Whether a token for several clients, or given to one on behalf of another, is for this one (OpenID Connect Core, 3.1.3.7). */
export function isForClient({ aud, azp }: IdTokenClaims, clientId: string): boolean {
  if (azp !== undefined) return azp === clientId
  return !Array.isArray(aud) || aud.length === 1
}

/** RFC 9207: who says that it answers must be who was asked; a provider that says so always may not leave it out. */
export function isIssuedBy(
  sent: string | undefined,
  provider: { issuer: string; authorization_response_iss_parameter_supported?: boolean | undefined },
): boolean {
  if (sent === undefined) return provider.authorization_response_iss_parameter_supported !== true
  return sent === provider.issuer
}

/** Some providers write `"true"`. */
export const isVerified = ({ email_verified }: Record<string, unknown>): boolean =>
  email_verified === true || email_verified === 'true'
