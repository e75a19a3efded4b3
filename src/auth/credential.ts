import { AppError } from '../errors.ts'
import { readSessionToken, sessionRefusedError } from '../session/session-rules.ts'

/** The kind of a caller's credential: an API key, or a session. */
export type CredentialKind = 'key' | 'session'

export interface Credential {
  kind: CredentialKind
  token: string
}

/** Reads the token of the `authorization` header. Only a request without the header is authenticated by its cookie. */
export function parseCredential(authorization: string | undefined, cookies: string | undefined): Credential {
  const session = authorization === undefined ? readSessionToken(cookies) : undefined
  return session === undefined
    ? { kind: 'key', token: readBearerToken(authorization) }
    : { kind: 'session', token: session }
}

export function readBearerToken(header: string | undefined): string {
  if (header === undefined)
    throw keyRefusedError('the authorization header is missing', 'send authorization: Bearer <token>')
  const token = /^bearer +(\S+) *$/i.exec(header)?.[1]
  if (token === undefined)
    throw keyRefusedError('the authorization header has no bearer token', 'send authorization: Bearer <token>')
  return token
}

const keyRefusedError = (message: string, hint?: string) =>
  new AppError('unauthenticated', [{ message, path: '/header/authorization', hint }])

/** The reasons why a token is refused. */
export const UNACCEPTED = {
  key: {
    misshapen: () => keyRefusedError('this is not a token of ours, or it is mistyped'),
    unknown: () => keyRefusedError('no such token'),
    revoked: () => keyRefusedError('this token was revoked'),
    expired: () => keyRefusedError('this token has expired'),
    inactive: () => keyRefusedError('the user of this token was deactivated'),
  },
  session: {
    misshapen: () => sessionRefusedError('there is no such session'),
    unknown: () => sessionRefusedError('there is no such session'),
    revoked: () => sessionRefusedError('this session was ended'),
    expired: () => sessionRefusedError('this session has expired'),
    inactive: () => sessionRefusedError('the user of this session was deactivated'),
  },
} as const satisfies Record<CredentialKind, Record<string, () => AppError>>
