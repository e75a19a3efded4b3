import { AppError } from '../errors.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../time-units.ts'

/** A session ends after the first time without a request, and after the second one in any case. */
export const SESSION_IDLE_MS_MAX = 12 * HOUR_MS
export const SESSION_MS_MAX = 30 * DAY_MS

/** The cookie of a session. No other host, and no page without TLS, can set one that begins with `__Host-`. */
export const SESSION_COOKIE = '__Host-caseworker'
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Strict'

/**
 * Returns the value of a cookie in a `cookie` header. Only spaces and tabs around it are trimmed: `trim` removes other blanks
 * as well, and a browser lets any host of the domain set a cookie with our name behind another blank.
 */
export function readCookie(cookies: string | undefined, wanted: string): string | undefined {
  for (const pair of cookies?.split(';') ?? []) {
    const [name = '', value = ''] = pair.split('=', 2)
    if (withoutBlanks(name) === wanted) return withoutBlanks(value) || undefined
  }
  return undefined
}

const withoutBlanks = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '')

export const readSessionToken = (cookies: string | undefined): string | undefined => readCookie(cookies, SESSION_COOKIE)

/** Formats a `set-cookie` header. Only pages of this host send the cookie, and no script reads it. */
export const formatCookie = (name: string, value: string, maxAgeMs: number): string =>
  `${name}=${value}; Max-Age=${Math.floor(maxAgeMs / SECOND_MS)}; ${ATTRIBUTES}`

/** Formats the `set-cookie` header of a new session. */
export const formatSessionCookie = (token: string): string => formatCookie(SESSION_COOKIE, token, SESSION_MS_MAX)

/** The `set-cookie` header that removes the cookie of a session. */
export const ENDED_SESSION_COOKIE = formatCookie(SESSION_COOKIE, '', 0)

/** The error of a request by a session that has ended, or that there never was. */
export const sessionRefusedError = (message: string): AppError =>
  new AppError('unauthenticated', [{ message, path: '/header/cookie', hint: 'sign in again' }])
