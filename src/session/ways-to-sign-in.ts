import { readAccessSettings } from './access/settings.ts'
import type { WaysToSignIn } from './openid/schema.ts'
import { readOpenIdSettings } from './openid/settings.ts'

/** Returns the ways to sign in that are set up here. Anybody may know them, because the sign-in page shows them. */
export function getWaysToSignIn(env: Env): WaysToSignIn {
  const openId = readOpenIdSettings(env)
  return {
    link: true,
    passkey: Boolean(env.SECRETS_KEY),
    access: readAccessSettings(env) !== undefined,
    openid: openId ? { name: openId.name } : null,
  }
}
