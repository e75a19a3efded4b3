import type { Context } from 'hono'
import type { AppEnv } from './context.ts'

interface Setting {
  PUBLIC_ORIGIN?: string
}

/** What is written before there is an installation names it by this address, in whose place `src/http/documentation.ts` puts its own. */
export const EXAMPLE_ORIGIN = 'https://caseworker.example'

const LOCAL_HOST = /^(localhost|127\.0\.0\.1)$/

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

/** Only on the own machine it may be without TLS. */
export const isSecureAddress = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOCAL_HOST.test(hostname))

/** Each request asks about the same text. */
let accepted: string | undefined

/** Undefined where it is not set, or wrong: the error response that says so has addresses, too. */
export function publicOriginSetting({ PUBLIC_ORIGIN = '' }: Setting): string | undefined {
  if (PUBLIC_ORIGIN === '' || PUBLIC_ORIGIN === accepted) return PUBLIC_ORIGIN || undefined
  if (!isOrigin(PUBLIC_ORIGIN) || !isSecureAddress(new URL(PUBLIC_ORIGIN))) return undefined
  accepted = PUBLIC_ORIGIN
  return PUBLIC_ORIGIN
}

export function checkPublicOrigin(env: Setting): void {
  if ((env.PUBLIC_ORIGIN ?? '') !== '' && publicOriginSetting(env) === undefined)
    throw new Error('the setting PUBLIC_ORIGIN must be an origin such as https://api.example.com, without a path')
}

/** What every address begins with that is handed out to be used later: it must not depend on how the caller came here. */
export const publicOrigin = ({ env, req }: Pick<Context<AppEnv>, 'env' | 'req'>): string =>
  publicOriginSetting(env) ?? splitAddress(req.url).origin

/** Splits the address of a request, which the runtime has written in full: to parse it again would take some microseconds. */
export function splitAddress(url: string): { origin: string; path: string; search: string } {
  const [path, query] = [url.indexOf('/', url.indexOf('//') + 2), url.indexOf('?')]
  const end = query < 0 ? url.length : query
  return { origin: url.slice(0, path), path: url.slice(path, end), search: url.slice(end) }
}
