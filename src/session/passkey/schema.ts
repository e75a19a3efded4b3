import * as z from 'zod'
import { Id, Text, Time } from '../../http/shapes.ts'

const NAME_CHARACTERS_MAX = 100
const ENCODED_CHARACTERS_MAX = 20_000
const TRANSPORTS_MAX = 10

const Encoded = z
  .string()
  .min(1)
  .max(ENCODED_CHARACTERS_MAX)
  .regex(/^[\w-]+$/, { error: 'must be base64url' })

const CREDENTIAL = { id: 'AbCdExample', rawId: 'AbCdExample', type: 'public-key' } as const
const CLIENT_DATA = { clientDataJSON: 'eyJ0eXBlIjoiRXhhbXBsZSJ9' }
const ASSERTED = {
  ...CREDENTIAL,
  response: { ...CLIENT_DATA, authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4', signature: 'MEUCIQDExample' },
}
export const ATTESTED = {
  ...CREDENTIAL,
  response: { ...CLIENT_DATA, attestationObject: 'o2NmbXRkbm9uZQ', transports: ['internal'] },
}

/** A credential. Browsers add members to it. */
const credential = {
  id: Encoded.meta({ description: 'The id of the credential.', examples: ['AbCdExample'] }),
  rawId: Encoded.meta({ description: 'The same.', examples: ['AbCdExample'] }),
  type: z.literal('public-key').meta({ description: 'The only type.', examples: ['public-key'] }),
}

/** The JSON that `navigator.credentials.get` returns. */
export const PasskeyAssertion = z
  .looseObject({
    ...credential,
    response: z
      .looseObject({
        clientDataJSON: Encoded.meta({
          description: 'What the browser says that was signed.',
          examples: ['eyJ0eXBlIjoiRXhhbXBsZSJ9'],
        }),
        authenticatorData: Encoded.meta({
          description: 'What the authenticator says.',
          examples: ['SZYN5YgOjGh0NBcPZHZgW4'],
        }),
        signature: Encoded.meta({ description: 'The signature of both.', examples: ['MEUCIQDExample'] }),
        userHandle: z
          .string()
          .max(ENCODED_CHARACTERS_MAX)
          .nullish()
          .meta({ description: 'Whose credential it is.', examples: ['MDE5MzVjMWUtNWEwMC03MDAx'] }),
      })
      .meta({ description: 'The answer of the authenticator.', examples: [ASSERTED.response] }),
  })
  .meta({
    id: 'PasskeyAssertion',
    description: '`credential.toJSON()` of what `navigator.credentials.get` returns.',
    examples: [ASSERTED],
  })
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>

const PasskeyAttestation = z
  .looseObject({
    ...credential,
    response: z
      .looseObject({
        clientDataJSON: Encoded.meta({
          description: 'What the browser says that was made.',
          examples: ['eyJ0eXBlIjoiRXhhbXBsZSJ9'],
        }),
        attestationObject: Encoded.meta({ description: 'The public key.', examples: ['o2NmbXRkbm9uZQ'] }),
        transports: z
          .array(z.string().max(NAME_CHARACTERS_MAX))
          .max(TRANSPORTS_MAX)
          .optional()
          .meta({ description: 'How the authenticator is reached.', examples: [['internal']] }),
      })
      .meta({ description: 'The answer of the authenticator.', examples: [ATTESTED.response] }),
  })
  .meta({
    id: 'PasskeyAttestation',
    description: '`credential.toJSON()` of what `navigator.credentials.create` returns.',
    examples: [ATTESTED],
  })
export type PasskeyAttestation = z.infer<typeof PasskeyAttestation>

export const NewPasskey = z.strictObject({
  name: Text.min(1)
    .max(NAME_CHARACTERS_MAX)
    .meta({ description: 'By which you know it.', examples: ['My laptop'] }),
  passkey: PasskeyAttestation,
})
export type NewPasskey = z.infer<typeof NewPasskey>

export const PasskeyPath = z.object({
  passkeyId: z
    .string()
    .meta({ description: 'The id of the passkey.', examples: ['01935c1e-5a00-700e-8e4f-6a7b8c9dae0f'] }),
})

export const Passkey = z
  .object({
    id: Id.describe('The id of the passkey.'),
    user: Id.describe('Who signs in with it.'),
    name: z.string().describe('By which its owner knows it.'),
    isBackedUp: z.boolean().describe('Whether it is kept in an account of its owner, and so on several devices.'),
    createdAt: Time,
    lastUsedAt: Time.nullable().describe('When somebody signed in with it, in epoch milliseconds; null if nobody has.'),
  })
  .meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof Passkey>

export const SignInChallenge = z
  .object({
    challenge: z.string().describe('Is signed; holds for five minutes, and for one answer.'),
    rpId: z.string().describe('The host name of the installation.'),
    timeout: z.int().describe('In milliseconds.'),
    userVerification: z.literal('preferred').describe('A fingerprint or PIN, if the authenticator has one.'),
  })
  .meta({
    id: 'SignInChallenge',
    description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`.',
  })
export type SignInChallenge = z.infer<typeof SignInChallenge>

export const PasskeyChallenge = z
  .object({
    challenge: z.string().describe('Is signed; holds for five minutes, and for one answer.'),
    rp: z
      .object({
        id: z.string().describe('The host name of the installation.'),
        name: z.string().describe('What the authenticator shows.'),
      })
      .describe('Where the passkey will be used.'),
    user: z
      .object({
        id: z.string().describe('The id of the user, in base64url.'),
        name: z.string().describe('The username.'),
        displayName: z.string().describe('The name that people see.'),
      })
      .describe('Whose passkey it will be.'),
    pubKeyCredParams: z
      .array(
        z.object({
          type: z.literal('public-key').describe('The only type.'),
          alg: z.int().describe('The number of the algorithm in COSE.'),
        }),
      )
      .describe('Which algorithms are accepted.'),
    timeout: z.int().describe('In milliseconds.'),
    attestation: z.literal('none').describe('Which model the authenticator is does not matter.'),
    authenticatorSelection: z
      .object({
        residentKey: z.literal('required').describe('The authenticator keeps whose it is: nobody types a name.'),
        requireResidentKey: z.literal(true).describe('The same, for older browsers.'),
        userVerification: z.literal('preferred').describe('A fingerprint or PIN, if the authenticator has one.'),
      })
      .describe('What it must be able to do.'),
    excludeCredentials: z
      .array(
        z.object({
          id: z.string().describe('The id of a credential.'),
          type: z.literal('public-key').describe('The only type.'),
        }),
      )
      .describe('Those that the user has: the same authenticator is not added twice.'),
  })
  .meta({
    id: 'PasskeyChallenge',
    description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`.',
  })
export type PasskeyChallenge = z.infer<typeof PasskeyChallenge>
