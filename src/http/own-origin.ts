import type { Context } from 'hono'
import { AppError, type Fault } from '../errors.ts'
import type { AppEnv } from './context.ts'
import { publicOriginSetting, splitAddress } from './public-origin.ts'

const SAFE_METHODS = ['GET', 'HEAD']

interface RequestSource {
  method: string
  origin: string | undefined
  fetchSite: string | undefined
}

/**
 * A browser adds the cookie by itself, whoever wrote the page. So what comes with one is taken only from pages of the
 * installation, as the headers tell that no page can write. SameSite keeps most of the rest away, and is not relied upon.
 */
export function requireOwnOrigin(c: Context<AppEnv>): void {
  const whence = {
    method: c.req.method,
    origin: c.req.header('origin'),
    fetchSite: c.req.header('sec-fetch-site'),
  }
  const fault = crossOriginFault(whence, [splitAddress(c.req.url).origin, publicOriginSetting(c.env)])
  if (fault) throw new AppError('permission_denied', [fault])
}

function crossOriginFault(
  { method, origin, fetchSite }: RequestSource,
  own: readonly (string | undefined)[],
): Fault | undefined {
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none')
    return { message: 'a session is only for the pages of this installation', path: '/header/sec-fetch-site' }
  if (origin !== undefined && !own.includes(origin))
    return { message: 'a session is only for the pages of this installation', path: '/header/origin' }
  if (origin === undefined && !SAFE_METHODS.includes(method))
    return {
      message: 'a change by a session needs the header origin',
      path: '/header/origin',
      hint: 'browsers send it by themselves; programs use an API key',
    }
  return undefined
}
