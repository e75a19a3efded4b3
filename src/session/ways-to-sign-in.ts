import { accessSettings } from './access/settings.ts'
import type { WaysToSignIn } from './openid/schema.ts'
import { openIdSettings } from './openid/settings.ts'

/** What is set up here. Anybody may know it: whoever opens the sign-in page does. */
export function getWaysToSignIn(env: Env): WaysToSignIn {
  const openId = openIdSettings(env)
  return {
    link: true,
    passkey: Boolean(env.SECRETS_KEY),
    access: accessSettings(env) !== undefined,
    openid: openId ? { name: openId.name } : null,
  }
}
