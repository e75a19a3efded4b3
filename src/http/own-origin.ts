import type { Context } from 'hono'
import { AppError, type Fault } from '../errors.ts'
import type { AppEnv } from './context.ts'
import { readPublicOrigin, splitAddress } from './public-origin.ts'

const SAFE_METHODS = ['GET', 'HEAD']

interface RequestSource {
  method: string
  origin: string | undefined
  fetchSite: string | undefined
}

/**
 * Refuses a request with a cookie unless a page of the installation made it. A browser adds the cookie by itself, whoever
 * wrote the page, and no page can write the headers that tell where it comes from. SameSite is not relied upon.
 */
export function requireOwnOrigin(c: Context<AppEnv>): void {
  const whence = {
    method: c.req.method,
    origin: c.req.header('origin'),
    fetchSite: c.req.header('sec-fetch-site'),
  }
  const fault = findOriginFault(whence, [splitAddress(c.req.url).origin, readPublicOrigin(c.env)])
  if (fault) throw new AppError('permission_denied', [fault])
}

function findOriginFault(
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
