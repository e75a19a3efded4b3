import type { Context } from 'hono'
import { invalid } from '../../errors.ts'
import { computeDigest } from '../digest.ts'
import { type JsonResponse, jsonResponse } from './envelope.ts'

/** Parses the tags of a precondition header, unquoted. A weak tag counts as its strong one, because proxies weaken tags. */
const parseTags = (header: string): string[] => [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map(match => match[1] ?? '')

/** Returns the one tag of `If-Match`. `*` requires only that the target exists, as every change does anyway. */
export function readIfMatch(c: Context): string | undefined {
  const header = c.req.header('if-match')
  if (header === undefined || header.trim() === '*') return undefined
  const [tag, ...more] = parseTags(header)
  if (tag === undefined || more.length > 0)
    throw invalid([
      {
        message: 'If-Match takes one entity tag',
        path: '/header/if-match',
        hint: 'send the etag of the last response unchanged, including its quotes',
      },
    ])
  return tag
}

/** Tells whether `If-None-Match` names this tag, so that the caller has the representation already. */
export const isNotModified = (c: Context, etag: string): boolean => {
  const header = c.req.header('if-none-match')
  return header !== undefined && (header.trim() === '*' || parseTags(header).includes(etag.slice(1, -1)))
}

const TAG_HEX_DIGITS = 24

/** Computes the entity tag of a text from its contents alone. */
export async function computeContentETag(text: string): Promise<string> {
  return `"${(await computeDigest(text)).slice(0, TAG_HEX_DIGITS)}"`
}

/** Adds an entity tag of the contents to a response, or returns a 304 if the caller has them already. */
export async function addContentETag(c: Context, response: JsonResponse): Promise<JsonResponse> {
  const etag = await computeContentETag(JSON.stringify([response.data, response.meta]))
  return isNotModified(c, etag)
    ? jsonResponse(304, {}, { headers: { etag } })
    : { ...response, headers: { ...response.headers, etag } }
}
