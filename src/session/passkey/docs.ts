import * as z from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { ATTESTED, type NewPasskey, Passkey, PasskeyChallenge, SignInChallenge } from './schema.ts'

const tag = 'Sessions'

const EXAMPLE: Passkey = {
  id: '01935c1e-5a00-700e-8e4f-6a7b8c9dae0f',
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  name: 'My laptop',
  isBackedUp: true,
  createdAt: 1795276206000,
  lastUsedAt: null,
}

const CHALLENGE = 'MTc5NTI3NjUwNjAwMC5FeGFtcGxlRXhhbXBsZUV4YW1wbGU'

export const passkeyDocs = {
  challengeSignIn: {
    tag,
    description:
      'What the browser needs to sign in with a passkey: no name is asked for. The answer of the authenticator goes to `POST /v1/session`.',
    responses: {
      200: {
        description: 'The challenge.',
        data: SignInChallenge,
        example: {
          data: { challenge: CHALLENGE, rpId: 'caseworker.example', timeout: 300_000, userVerification: 'preferred' },
        },
      },
    },
    errors: ['permission_denied'],
  },
  challengePasskey: {
    tag,
    session: 'required',
    description:
      'What the browser needs to make a passkey for the user of the session. The answer of the authenticator goes to `POST /v1/ext/passkey`. Not by an API key.',
    responses: {
      200: {
        description: 'The challenge.',
        data: PasskeyChallenge,
        example: {
          data: {
            challenge: CHALLENGE,
            rp: { id: 'caseworker.example', name: 'Caseworker, Acme' },
            user: { id: 'MDE5MzVjMWUtNWEwMC03MDAx', name: 'asha', displayName: 'Asha Rao' },
            pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
            timeout: 300_000,
            attestation: 'none',
            authenticatorSelection: {
              residentKey: 'required',
              requireResidentKey: true,
              userVerification: 'preferred',
            },
            excludeCredentials: [],
          },
        },
      },
    },
  },
  addPasskey: {
    tag,
    session: 'required',
    description:
      'Keeps the public key of a passkey, with which the user of the session signs in from then on. A user has at most 20. Not by an API key.',
    responses: {
      201: { description: 'The passkey.', data: Passkey, headers: ['Location'], example: { data: EXAMPLE } },
    },
    errors: ['conflict'],
    example: {
      name: 'My laptop',
      passkey: ATTESTED,
    } satisfies z.input<typeof NewPasskey>,
  },
  listPasskeys: {
    tag,
    description: 'Newest first: your own, or with the permission `key:read` those of the whole team.',
    responses: {
      200: { description: 'The passkeys.', data: z.array(Passkey), example: { data: [EXAMPLE] } },
    },
  },
  deletePasskey: {
    tag,
    description:
      "Nobody signs in with it any more: in a session your own, or with the permission `key:write` anybody's of the team. Sessions that it made go on.",
    responses: { 200: { description: 'The passkey, removed.', data: Passkey, example: { data: EXAMPLE } } },
    errors: ['not_found'],
  },
} satisfies Record<string, RouteDocs>
