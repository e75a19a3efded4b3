import type { Context } from 'hono'

/** A part of a file, in bytes. */
export interface ByteRange {
  offset: number
  length: number
}

/**
 * Parses `Range`. Returns undefined, and so the whole file, for several ranges, for one that the file does not have, and if
 * `If-Range` names another version of the file: RFC 9110 leaves that to the server.
 */
export function parseRange(c: Context, { size, httpEtag }: { size: number; httpEtag: string }): ByteRange | undefined {
  const ifRange = c.req.header('if-range')
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(c.req.header('range') ?? '') ?? []
  if (from === undefined || to === undefined || (ifRange !== undefined && ifRange !== httpEtag)) return undefined
  const offset = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1)
  return (from === '' && to === '') || offset >= end ? undefined : { offset, length: end - offset }
}
