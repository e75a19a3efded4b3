import type { Context } from 'hono'
import { invalid } from '../errors.ts'

/** The tags of a precondition header, unquoted; a weak tag counts as its strong one, as proxies weaken them unasked. */
export const tagsOf = (header: string): string[] =>
  [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map(match => match[1] ?? '')

/** The one tag a change is conditional on. `*` asks only that the thing exists, which every change does anyway. */
export function ifMatch(c: Context): string | undefined {
  const header = c.req.header('if-match')
  if (header === undefined || header.trim() === '*') return undefined
  const [tag, ...more] = tagsOf(header)
  if (tag === undefined || more.length > 0)
    throw invalid([
      {
        message: 'If-Match takes one entity tag',
        path: '/header/if-match',
        hint: 'send the etag of the last answer as it came, with its quotes',
      },
    ])
  return tag
}

/** Whether the caller has this representation already. */
export const isKnown = (c: Context, etag: string): boolean => {
  const header = c.req.header('if-none-match')
  return header !== undefined && (header.trim() === '*' || tagsOf(header).includes(etag.slice(1, -1)))
}
