import { fromBase64url } from '../../base64.ts'
import { type ChallengeKey, type ChallengePurpose, type ChallengeState, deriveChallengeState } from '../challenge.ts'
import type { PasskeyAssertion, PasskeyAttestation } from './schema.ts'

/** ES256, EdDSA and RS256, which authenticators have. */
export const ALGORITHMS = [-7, -8, -257]

/** The site of the page that asked the authenticator. */
interface Party {
  origin: string
  id: string
}

export const toParty = (origin: string): Party => ({ origin, id: new URL(origin).hostname })

interface ExpectedChallenge {
  env: ChallengeKey
  purpose: ChallengePurpose
  party: Party
  now: number
}

const loadLibrary = () => import('./library.ts')

type VerificationResult<Facts> = { facts: Facts; challenge: string } | { refused: ChallengeState | 'unverified' }

/** Runs a verification. The library throws whatever is wrong with the input; the reason is given only if the caller can correct it. */
async function runVerification<Facts>(
  { env, purpose, now }: ExpectedChallenge,
  verify: (isHeld: (challenge: string) => Promise<boolean>) => Promise<Facts | undefined>,
): Promise<VerificationResult<Facts>> {
  const answered: { challenge: string; state: ChallengeState | 'unverified' } = { challenge: '', state: 'unverified' }
  const isHeld = async (challenge: string) => {
    const state = await deriveChallengeState(env, purpose, challenge, now)
    Object.assign(answered, { challenge, state })
    return state === 'held'
  }
  const facts = await verify(isHeld).catch(() => undefined)
  if (answered.state !== 'held') return { refused: answered.state }
  return facts === undefined ? { refused: 'unverified' } : { facts, challenge: answered.challenge }
}

interface PasskeyCredential {
  credential: string
  publicKey: string
  counter: number
}

/** Verifies that whoever signs in has the private key, is present now, and on this site. */
export const verifyAssertion = (
  { id, rawId, type, response }: PasskeyAssertion,
  { credential, publicKey, counter }: PasskeyCredential,
  expected: ExpectedChallenge,
) =>
  runVerification(expected, async isHeld => {
    const { verifyAuthenticationResponse } = await loadLibrary()
    const { clientDataJSON, authenticatorData, signature } = response
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: isHeld,
      expectedOrigin: expected.party.origin,
      expectedRPID: expected.party.id,
      requireUserVerification: false,
      credential: { id: credential, publicKey: fromBase64url(publicKey), counter },
    })
    if (!verified) return undefined
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp }
  })

export const verifyAttestation = ({ id, rawId, type, response }: PasskeyAttestation, expected: ExpectedChallenge) =>
  runVerification(expected, async isHeld => {
    const { verifyRegistrationResponse } = await loadLibrary()
    const { clientDataJSON, attestationObject } = response
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
      expectedChallenge: isHeld,
      expectedOrigin: expected.party.origin,
      expectedRPID: expected.party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!registrationInfo) return undefined
    const { credential, credentialBackedUp } = registrationInfo
    return { ...credential, isBackedUp: credentialBackedUp }
  })
