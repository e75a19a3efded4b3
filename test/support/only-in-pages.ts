/** Refused to a token: only pages of the installation sign in, and add passkeys in a session. The status, by operation. */
export const ONLY_IN_PAGES: Record<string, number> = {
  signIn: 403,
  signOut: 403,
  lookAtSignInLink: 403,
  challengeSignIn: 403,
  beginOpenId: 403,
  answerOpenId: 403,
  challengePasskey: 403,
  addPasskey: 403,
  endSession: 404,
  deletePasskey: 404,
}
