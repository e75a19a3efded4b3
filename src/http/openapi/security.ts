import type { DocumentedRoute } from './route-docs.ts'

/** The ways in which a caller authenticates. `src/auth/credential.ts` reads them; with both, the token counts. */
export const SECURITY_SCHEMES = {
  token: { type: 'http', scheme: 'bearer', description: 'An API key: `cw_…`' },
  operator: {
    type: 'http',
    scheme: 'bearer',
    description: 'The secret `OPERATOR_TOKEN` of the installation.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-caseworker',
    description:
      'The cookie of a session, with the permissions of its user: for pages of the installation itself. A request that changes something needs the header `origin`, as browsers send it.',
  },
} as const

const BY_SESSION = [{ session: [] }]
export const TOKEN_OR_SESSION = [{ token: [] }, ...BY_SESSION]

/** Describes the security of an operation, if it differs from that of the whole document, and its permission. */
export function describeSecurity({ permission, operatorOnRequest, docs }: DocumentedRoute) {
  const ofSession = docs.session
  if (permission === null) {
    if (operatorOnRequest) return { security: [{}, { operator: [] }] }
    return { security: ofSession === undefined ? [] : [{}, ...BY_SESSION] }
  }
  return { ...(ofSession === 'required' ? { security: BY_SESSION } : {}), 'x-permission': permission }
}
