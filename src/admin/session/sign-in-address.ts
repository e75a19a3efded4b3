const FROM_CHARACTERS_MAX = 8_000
/** The host does not matter: only the resolved path is used. */
const ANY_HOST = 'https://own.example'

/**
 * Returns whether an address is a page of the admin area: one in a link must not lead elsewhere, and `..` not out of
 * it. The API checks it, too (`BeginOpenId`).
 */
export const isOwnPage = (from: unknown): from is string =>
  typeof from === 'string' &&
  from.length <= FROM_CHARACTERS_MAX &&
  /^\/admin\/(?![/\\])[^\s\\]*$/.test(from) &&
  new URL(from, ANY_HOST).pathname.startsWith('/admin/')

/** The parameters with which the OpenID provider redirects. */
type ProviderAnswer = { code: string; state: string; iss?: string } | { problem: string }

const PROBLEMS: Partial<Record<string, string>> = {
  access_denied: 'You were not signed in there',
  temporarily_unavailable: 'The provider can sign nobody in at the moment',
  server_error: 'The provider can sign nobody in at the moment',
}
const REFUSED = 'The provider refuses to sign anybody in here: the operator has to look at what is registered there'
const NOTHING = 'This page is for those who come back from signing in elsewhere'

/** Reads the answer of the provider from the page's address. Anybody can make up an address, so no text from it is shown. */
export function providerAnswerIn(search: string): ProviderAnswer {
  const sent = new URLSearchParams(search)
  const [code, state, iss, error] = ['code', 'state', 'iss', 'error'].map(name => sent.get(name) ?? undefined)
  if (error !== undefined) return { problem: PROBLEMS[error] ?? REFUSED }
  if (!code || !state) return { problem: NOTHING }
  return { code, state, ...(iss === undefined ? {} : { iss }) }
}
