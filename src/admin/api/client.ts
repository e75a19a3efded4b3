import { createCall } from 'caseworker/call/call'
import { resolveSettings } from 'caseworker/settings'
import { endSession } from '../shell/session/session-end.ts'

const UNAUTHENTICATED = 401

/**
 * Calls any operation. Who calls is proven by the session's cookie, which no program in the page can read. Whatever is read,
 * changed, followed or downloaded without a session leads to the sign-in. A page that needs more of the client, such as
 * `caseworker/jobs`, makes it of this, so that the first view does not load it.
 */
export const call = createCall(
  resolveSettings({
    baseUrl: location.origin,
    token: null,
    retries: 2,
    onCall: ({ status }) => {
      if (status === UNAUTHENTICATED) endSession()
    },
  }),
)
