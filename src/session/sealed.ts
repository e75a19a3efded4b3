import { fromBase64url, toBase64url } from '../base64.ts'
import { areSameSecrets } from '../http/digest.ts'
import { type ChallengeKey, signClaim } from './challenge.ts'

/** The time within which sealed contents must come back from a browser. */
export const SEALED_MS_MAX = 5 * 60_000

/** The purpose of sealed contents. They are not accepted for another one. */
type SealPurpose = 'openid sign-in' | 'openid person'

/** Seals contents, so that nothing is stored for an unauthenticated caller: the browser keeps them, can read them, and can't change them. */
export async function seal(env: ChallengeKey, purpose: SealPurpose, contents: object, now: number): Promise<string> {
  const text = toBase64url(new TextEncoder().encode(JSON.stringify(contents)))
  const claim = `${now + SEALED_MS_MAX}.${text}`
  return `${claim}.${await signClaim(env, purpose, claim)}`
}

/** Returns sealed contents; undefined if we have not sealed them for this purpose, or too long ago. */
export async function unseal<Contents>(
  env: ChallengeKey,
  purpose: SealPurpose,
  sealed: string | undefined,
  now: number,
): Promise<Contents | undefined> {
  const [, until = '', text = '', sent = ''] = /^(\d{13})\.([\w-]+)\.([\w-]+)$/.exec(sealed ?? '') ?? []
  const isOurs = await areSameSecrets(sent, await signClaim(env, purpose, `${until}.${text}`))
  if (!isOurs || Number(until) <= now) return undefined
  const bytes = fromBase64url(text)
  // Our signature proves that this is the text that was sealed.
  return JSON.parse(new TextDecoder().decode(bytes)) as Contents
}
