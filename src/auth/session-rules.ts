import { DAY_MS, HOUR_MS, SECOND_MS } from '../time-units.ts'

/** A session ends after so long without a request, and after so long at any rate. */
export const SESSION_IDLE_MS_MAX = 12 * HOUR_MS
export const SESSION_MS_MAX = 30 * DAY_MS

/** `__Host-`: no other host, and no page without TLS, can set it. */
export const SESSION_COOKIE = '__Host-caseworker'
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Strict'

/**
 * The value of a cookie in a `cookie` header. Around it stand spaces and tabs: `trim` takes more away, and a browser lets any
 * host of the domain set a cookie whose name is ours behind another kind of space.
 */
export function cookieIn(cookies: string | undefined, wanted: string): string | undefined {
  for (const pair of cookies?.split(';') ?? []) {
    const [name = '', value = ''] = pair.split('=', 2)
    if (withoutBlanks(name) === wanted) return withoutBlanks(value) || undefined
  }
  return undefined
}

const withoutBlanks = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '')

export const sessionTokenIn = (cookies: string | undefined): string | undefined => cookieIn(cookies, SESSION_COOKIE)

/** Only pages of this host send the cookie, and no script reads it. */
export const cookieWith = (name: string, value: string, maxAgeMs: number): string =>
  `${name}=${value}; Max-Age=${Math.floor(maxAgeMs / SECOND_MS)}; ${ATTRIBUTES}`

/** The `set-cookie` of a new session. */
export const sessionCookie = (token: string): string => cookieWith(SESSION_COOKIE, token, SESSION_MS_MAX)

/** The `set-cookie` that removes it. */
export const ENDED_SESSION_COOKIE = cookieWith(SESSION_COOKIE, '', 0)
