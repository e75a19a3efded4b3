/** What the OpenID provider has sent the browser back with. */
export type ProviderAnswer = { code: string; state: string; iss?: string } | { problem: string }

const PROBLEMS: Partial<Record<string, string>> = {
  access_denied: 'You were not signed in there',
  temporarily_unavailable: 'The provider can sign nobody in at the moment',
  server_error: 'The provider can sign nobody in at the moment',
}
const REFUSED = 'The provider refuses to sign anybody in here: the operator has to look at what is registered there'
const NOTHING = 'This page is for those who come back from signing in elsewhere'

/** Anybody can write an address: of what is in it, nothing is shown. */
export function providerAnswerIn(search: string): ProviderAnswer {
  const sent = new URLSearchParams(search)
  const [code, state, iss, error] = ['code', 'state', 'iss', 'error'].map(name => sent.get(name) ?? undefined)
  if (error !== undefined) return { problem: PROBLEMS[error] ?? REFUSED }
  if (!code || !state) return { problem: NOTHING }
  return { code, state, ...(iss === undefined ? {} : { iss }) }
}
