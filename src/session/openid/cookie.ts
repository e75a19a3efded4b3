import { cookieIn, cookieWith } from '../../auth/session-rules.ts'
import { SEALED_MS_MAX } from '../sealed.ts'

/** What the browser keeps between the steps of a sign-in. */
const OPENID_COOKIE = '__Host-caseworker-openid'

export const openIdCookieIn = (cookies: string | undefined): string | undefined => cookieIn(cookies, OPENID_COOKIE)

/** The `set-cookie` of a step. */
export const openIdCookie = (sealed: string): string => cookieWith(OPENID_COOKIE, sealed, SEALED_MS_MAX)
