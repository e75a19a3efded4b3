/** A team of Cloudflare Zero Trust, and the application that stands before the admin area. */
export interface AccessSettings {
  issuer: string
  audience: string
}

interface AccessVars {
  ACCESS_TEAM_DOMAIN: string
  ACCESS_AUDIENCE: string
}

const TEAM_DOMAIN = /^[a-z0-9-]+\.cloudflareaccess\.com$/
const AUDIENCE = /^[0-9a-f]{64}$/

/** Reads the settings. Returns undefined if both are empty: then nobody signs in this way. Throws if one is wrong. */
export function readAccessSettings({ ACCESS_TEAM_DOMAIN, ACCESS_AUDIENCE }: AccessVars): AccessSettings | undefined {
  if (!ACCESS_TEAM_DOMAIN && !ACCESS_AUDIENCE) return undefined
  if (!TEAM_DOMAIN.test(ACCESS_TEAM_DOMAIN))
    throw new Error('the setting ACCESS_TEAM_DOMAIN must be <team>.cloudflareaccess.com')
  if (!AUDIENCE.test(ACCESS_AUDIENCE))
    throw new Error('the setting ACCESS_AUDIENCE must be the audience tag of the application: 64 hexadecimal digits')
  return { issuer: `https://${ACCESS_TEAM_DOMAIN}`, audience: ACCESS_AUDIENCE }
}
