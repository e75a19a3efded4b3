import type { Context } from 'hono'
import { invalid } from '../errors.ts'
import { type Answer, answer } from './envelope.ts'

/** The tags of a precondition header, unquoted; a weak tag counts as its strong one, as proxies weaken them unasked. */
const tagsOf = (header: string): string[] => [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map(match => match[1] ?? '')

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

const TAG_BYTES = 12

/** A text's entity tag: the same for the same text, whoever asks. */
export async function contentTag(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return `"${Array.from(hash.slice(0, TAG_BYTES), byte => byte.toString(16).padStart(2, '0')).join('')}"`
}

/** The answer with a tag of its contents; without them where the caller has them already. */
export async function tagged(c: Context, said: Answer): Promise<Answer> {
  const etag = await contentTag(JSON.stringify([said.data, said.meta]))
  return isKnown(c, etag) ? answer(304, {}, { headers: { etag } }) : { ...said, headers: { ...said.headers, etag } }
}
