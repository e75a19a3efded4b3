import { fromBase64url, toBase64url } from '../base64.ts'
import { AppError } from '../errors.ts'
import { areSameSecrets } from '../http/digest.ts'

/** The time within which a challenge must be answered. */
export const CHALLENGE_MS_MAX = 5 * 60_000
const RANDOM_BYTES = 32

export type ChallengeKey = Pick<Env, 'SECRETS_KEY'>

/** The purpose of a challenge: an unauthenticated caller signs in, or a user adds a passkey. */
export type ChallengePurpose = 'sign in' | `add a passkey for ${string}`

const encodeText = (text: string): string => toBase64url(new TextEncoder().encode(text))

/** Makes a challenge that proves by its signature that it is ours and until when it holds, so that nothing is stored for an unauthenticated caller. */
export async function createChallenge(env: ChallengeKey, purpose: ChallengePurpose, now: number): Promise<string> {
  const random = toBase64url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))
  const claim = `${now + CHALLENGE_MS_MAX}.${random}`
  return encodeText(`${claim}.${await signClaim(env, purpose, claim)}`)
}

export type ChallengeState = 'held' | 'expired' | 'foreign'

export async function deriveChallengeState(
  env: ChallengeKey,
  purpose: ChallengePurpose,
  challenge: string,
  now: number,
): Promise<ChallengeState> {
  const [, until = '', random = '', sent = ''] = /^(\d{13})\.([\w-]+)\.([\w-]+)$/.exec(decodeText(challenge)) ?? []
  const expected = await signClaim(env, purpose, `${until}.${random}`)
  if (!(await areSameSecrets(sent, expected))) return 'foreign'
  return Number(until) > now ? 'held' : 'expired'
}

function decodeText(challenge: string): string {
  try {
    return new TextDecoder().decode(fromBase64url(challenge))
  } catch {
    return ''
  }
}

/** Signs a claim for one purpose, as only this installation can: 43 characters. */
export async function signClaim({ SECRETS_KEY }: ChallengeKey, purpose: string, claim: string): Promise<string> {
  if (!SECRETS_KEY)
    throw new AppError('internal_error', 'the secret SECRETS_KEY is not set; passkeys and OpenID need it')
  const bytes = new TextEncoder().encode(`challenges ${SECRETS_KEY}`)
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${purpose}\n${claim}`))
  return toBase64url(new Uint8Array(signed))
}
