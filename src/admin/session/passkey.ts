import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import type { AddPasskeyBody, SignInBody } from 'caseworker'
import { call } from '../api/client.ts'

export const hasPasskeys = 'PublicKeyCredential' in globalThis

/** Explains why the browser gave no passkey; undefined if the reader closed its dialog. */
function toReason(error: unknown): Error | undefined {
  const name = error instanceof Error ? error.name : ''
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return new Error('This device has a passkey for you already')
  if (name === 'NotAllowedError' || name === 'AbortError') return undefined
  return error instanceof Error ? error : new Error(String(error))
}

const CLOSED = new Error('No passkey was chosen')

/** Asks the browser for a passkey to sign in with. */
export const useAskForPasskey = (onGiven: (passkey: NonNullable<SignInBody['passkey']>) => void) =>
  useMutation({
    mutationFn: async () => {
      const { data: optionsJSON } = await call('challengeSignIn', {})
      return startAuthentication({ optionsJSON }).catch(error => {
        throw toReason(error) ?? CLOSED
      })
    },
    onSuccess: passkey => onGiven(passkey as unknown as NonNullable<SignInBody['passkey']>),
  })

/** Makes a passkey on this device; undefined: the reader closed the browser's dialog. */
export async function makePasskey(): Promise<AddPasskeyBody['passkey'] | undefined> {
  const { data: optionsJSON } = await call('challengePasskey', {})
  try {
    return (await startRegistration({
      optionsJSON: optionsJSON as Parameters<typeof startRegistration>[0]['optionsJSON'],
    })) as unknown as AddPasskeyBody['passkey']
  } catch (error) {
    const reason = toReason(error)
    if (reason) throw reason
    return undefined
  }
}
