import type { Call, CallOptions } from './call/call.ts'
import type { AddPasskeyBody, AnswerOpenIdBody, BeginOpenIdBody, SignInBody } from './generated/bodies.ts'

export interface UserFilter {
  /** The id of a user, to list only that user's. */
  user?: string
}

/** Signs in and out, for pages of the installation itself: the browser keeps the cookie, which no script can read. */
export const createSessionClient = (call: Call) => ({
  /** Returns the options for `navigator.credentials.get`. */
  challenge: async (options?: CallOptions) => (await call('challengeSignIn', {}, options)).data,
  /** Returns the user and team of a link, which is not used up. */
  lookAtLink: async (link: string, options?: CallOptions) =>
    (await call('lookAtSignInLink', { body: { link } }, options)).data,
  signIn: async (body: SignInBody, options?: CallOptions) => (await call('signIn', { body }, options)).data,
  /** Returns the available sign-in methods, for a page that offers them. */
  ways: async (options?: CallOptions) => (await call('listWaysToSignIn', {}, options)).data,
  /** Returns the address at the OpenID provider to which the browser goes. */
  beginOpenId: async (body: BeginOpenIdBody = {}, options?: CallOptions) =>
    (await call('beginOpenId', { body }, options)).data,
  /** Sends the parameters with which the provider redirected, and returns the teams to choose from, for `signIn`. */
  answerOpenId: async (body: AnswerOpenIdBody, options?: CallOptions) =>
    (await call('answerOpenId', { body }, options)).data,
  signOut: async (options?: CallOptions) => (await call('signOut', {}, options)).data,
  /** Lists the active sessions, newest first: one's own, or of the whole team. */
  list: async (query: UserFilter & { skip?: number; limit?: number } = {}, options?: CallOptions) =>
    (await call('listSessions', { query }, options)).data,
  end: async (id: string, options?: CallOptions) =>
    (await call('endSession', { path: { sessionId: id } }, options)).data,
})

export const createPasskeysClient = (call: Call) => ({
  /** Returns the options for `navigator.credentials.create`. */
  challenge: async (options?: CallOptions) => (await call('challengePasskey', {}, options)).data,
  add: async (body: AddPasskeyBody, options?: CallOptions) => (await call('addPasskey', { body }, options)).data,
  list: async (query: UserFilter = {}, options?: CallOptions) => (await call('listPasskeys', { query }, options)).data,
  remove: async (id: string, options?: CallOptions) =>
    (await call('deletePasskey', { path: { passkeyId: id } }, options)).data,
})
