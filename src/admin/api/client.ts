import { caseworker } from 'caseworker'
import { endSession } from '../shell/session/session-end.ts'

const UNAUTHENTICATED = 401

/**
 * Who calls is proven by the session's cookie, which no program in the page can read. Whatever is read, changed, followed or
 * downloaded without a session leads to the sign-in.
 */
export const api = caseworker({
  baseUrl: location.origin,
  token: null,
  retries: 2,
  onCall: ({ status }) => {
    if (status === UNAUTHENTICATED) endSession()
  },
})
