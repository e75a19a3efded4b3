/** Returns the encodings that the client accepts. Cloudflare sets accept-encoding itself, and keeps the client's own value in `cf`. */
const getAcceptedEncodings = (request: Request): string =>
  String(request.cf?.clientAcceptEncoding ?? request.headers.get('accept-encoding') ?? '')

const REFUSED = /;\s*q=0(\.0*)?\s*$/

/**
 * Returns the header that makes the runtime compress a body while it is written. Cloudflare's edge compresses JSON and HTML,
 * but neither NDJSON nor CSV, which are the largest responses.
 */
export const getCompressionHeader = (request: Request): { 'content-encoding'?: 'gzip' } =>
  getAcceptedEncodings(request)
    .split(',')
    .some(each => /^\s*gzip\b/i.test(each) && !REFUSED.test(each))
    ? { 'content-encoding': 'gzip' }
    : {}
