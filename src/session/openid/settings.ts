import { isSecureAddress } from '../../http/web-address.ts'

/** An OpenID provider, and this installation as its client. */
export interface OpenIdSettings {
  issuer: string
  clientId: string
  /** Undefined for a public client, which proves itself by PKCE alone. */
  clientSecret: string | undefined
  /** The name by which people know the provider. */
  name: string
}

interface OpenIdVars {
  OPENID_ISSUER: string
  OPENID_CLIENT_ID: string
  OPENID_NAME: string
  OPENID_CLIENT_SECRET?: string
}

const NAME_CHARACTERS_MAX = 40
/** Matches an issuer. It has no user, query or fragment, because paths are appended to it. */
const ISSUER = /^https?:\/\/[^\s?#@\\]+$/

/** Reads the settings. Returns undefined if nothing is set: then nobody signs in this way. Throws if something is wrong. */
export function readOpenIdSettings(vars: OpenIdVars): OpenIdSettings | undefined {
  const { OPENID_ISSUER: issuer, OPENID_CLIENT_ID: clientId, OPENID_NAME: name, OPENID_CLIENT_SECRET: secret } = vars
  if (!issuer && !clientId && !name) return undefined
  if (!ISSUER.test(issuer) || !URL.canParse(issuer) || !isSecureAddress(new URL(issuer)))
    throw new Error('the setting OPENID_ISSUER must be the https address that the provider calls itself by')
  if (!/^[\x21-\x7e]+$/.test(clientId))
    throw new Error('the setting OPENID_CLIENT_ID must be the id of this installation at the provider')
  if ((name ?? '').length > NAME_CHARACTERS_MAX)
    throw new Error(`the setting OPENID_NAME must have at most ${NAME_CHARACTERS_MAX} characters`)
  return { issuer, clientId, clientSecret: secret || undefined, name: name || new URL(issuer).hostname }
}
