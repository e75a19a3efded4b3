import type { Context } from 'hono'
import type { AppEnv } from './context.ts'
import { isSecureAddress } from './web-address.ts'

interface Setting {
  PUBLIC_ORIGIN?: string
}

/** The placeholder in documents that are built before there is an installation. `src/http/documentation.ts` replaces it. */
export const EXAMPLE_ORIGIN = 'https://caseworker.example'

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

/** The text that was accepted last: all requests ask about the same one. */
let accepted: string | undefined

/** Returns the setting; undefined if it is missing or wrong. The response that reports a wrong one needs addresses, too. */
export function readPublicOrigin({ PUBLIC_ORIGIN = '' }: Setting): string | undefined {
  if (PUBLIC_ORIGIN === '' || PUBLIC_ORIGIN === accepted) return PUBLIC_ORIGIN || undefined
  if (!isOrigin(PUBLIC_ORIGIN) || !isSecureAddress(new URL(PUBLIC_ORIGIN))) return undefined
  accepted = PUBLIC_ORIGIN
  return PUBLIC_ORIGIN
}

export function checkPublicOrigin(env: Setting): void {
  if ((env.PUBLIC_ORIGIN ?? '') !== '' && readPublicOrigin(env) === undefined)
    throw new Error('the setting PUBLIC_ORIGIN must be an origin such as https://api.example.com, without a path')
}

/** Returns the origin of addresses that are handed out for later: it must not depend on how the caller came here. */
export const getPublicOrigin = ({ env, req }: Pick<Context<AppEnv>, 'env' | 'req'>): string =>
  readPublicOrigin(env) ?? splitAddress(req.url).origin

/** Splits the address of a request. The runtime has normalised it, so that parsing it again would only take microseconds. */
export function splitAddress(url: string): { origin: string; path: string; search: string } {
  const [path, query] = [url.indexOf('/', url.indexOf('//') + 2), url.indexOf('?')]
  const end = query < 0 ? url.length : query
  return { origin: url.slice(0, path), path: url.slice(path, end), search: url.slice(end) }
}
