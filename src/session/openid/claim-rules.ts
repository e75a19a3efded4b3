/** The claims of an ID token that its signature alone does not prove. */
interface IdTokenClaims {
  aud?: string | string[]
  azp?: unknown
}

/** Tells whether a token for several clients, or one given to a client on behalf of another, is for this client (OpenID Connect Core, 3.1.3.7). */
export function isForClient({ aud, azp }: IdTokenClaims, clientId: string): boolean {
  if (azp !== undefined) return azp === clientId
  return !Array.isArray(aud) || aud.length === 1
}

/** Checks the issuer of an answer (RFC 9207). It must be the provider that was asked; one that always names itself may not leave it out. */
export function isIssuedBy(
  sent: string | undefined,
  provider: { issuer: string; authorization_response_iss_parameter_supported?: boolean | undefined },
): boolean {
  if (sent === undefined) return provider.authorization_response_iss_parameter_supported !== true
  return sent === provider.issuer
}

/** Tells whether the address is verified. Some providers write `"true"`. */
export const isVerified = ({ email_verified }: Record<string, unknown>): boolean =>
  email_verified === true || email_verified === 'true'
