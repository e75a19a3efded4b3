/** What the client takes: Cloudflare asks for gzip on everybody's behalf, and keeps the client's own words apart. */
const acceptedBy = (request: Request): string =>
  String(request.cf?.clientAcceptEncoding ?? request.headers.get('accept-encoding') ?? '')

const REFUSED = /;\s*q=0(\.0*)?\s*$/

/**
 * The header that makes the runtime compress a body as it is written. Cloudflare's edge compresses JSON and pages by
 * itself, but neither lines of JSON nor CSV, which are the largest answers there are.
 */
export const compression = (request: Request): { 'content-encoding'?: 'gzip' } =>
  acceptedBy(request)
    .split(',')
    .some(each => /^\s*gzip\b/i.test(each) && !REFUSED.test(each))
    ? { 'content-encoding': 'gzip' }
    : {}
