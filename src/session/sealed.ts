import { areSameSecrets } from '../http/digest.ts'
import { base64url, type ChallengeKey, signatureFor } from './challenge.ts'

/** What is sealed goes to a browser and comes back within this time. */
export const SEALED_MS_MAX = 5 * 60_000

/** What it is: nothing sealed for one purpose is taken for another. */
type SealPurpose = 'openid sign-in' | 'openid person'

/** Nothing is stored for a stranger: the browser keeps it, can read it, and can't change it. */
export async function seal(env: ChallengeKey, purpose: SealPurpose, contents: object, now: number): Promise<string> {
  const text = base64url(new TextEncoder().encode(JSON.stringify(contents)))
  const claim = `${now + SEALED_MS_MAX}.${text}`
  return `${claim}.${await signatureFor(env, purpose, claim)}`
}

/** The contents; undefined where we have not sealed them for this, or too long ago. */
export async function unseal<Contents>(
  env: ChallengeKey,
  purpose: SealPurpose,
  sealed: string | undefined,
  now: number,
): Promise<Contents | undefined> {
  const [, until = '', text = '', sent = ''] = /^(\d{13})\.([\w-]+)\.([\w-]+)$/.exec(sealed ?? '') ?? []
  const isOurs = await areSameSecrets(sent, await signatureFor(env, purpose, `${until}.${text}`))
  if (!isOurs || Number(until) <= now) return undefined
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), char => char.charCodeAt(0))
  // Our signature says that it is what was sealed.
  return JSON.parse(new TextDecoder().decode(bytes)) as Contents
}
