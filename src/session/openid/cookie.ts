import { SEALED_MS_MAX } from '../sealed.ts'
import { formatCookie, readCookie } from '../session-rules.ts'

/** The cookie with the state of a sign-in between its steps. */
const OPENID_COOKIE = '__Host-caseworker-openid'

export const readOpenIdCookie = (cookies: string | undefined): string | undefined => readCookie(cookies, OPENID_COOKIE)

/** Formats the `set-cookie` header with the sealed state of a sign-in. */
export const formatOpenIdCookie = (sealed: string): string => formatCookie(OPENID_COOKIE, sealed, SEALED_MS_MAX)
