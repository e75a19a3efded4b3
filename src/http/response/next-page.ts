import type { Context } from 'hono'
import type { AppEnv } from '../context.ts'
import { getPublicOrigin, splitAddress } from '../public-origin.ts'

/** The length of the link. A much longer header is refused on its way, and the cursor of a sorted list can be longer. */
const LINK_LENGTH_MAX = 6_000

/** Returns the path and query of this request with other parameters, for the next page. Null removes one. */
export function changeAddress(c: Context<AppEnv>, changes: Record<string, string | number | null>): string {
  const { path, search } = splitAddress(c.req.url)
  const searchParams = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes))
    if (value === null) searchParams.delete(name)
    else searchParams.set(name, String(value))
  return `${path}?${searchParams}`
}

/** Returns the header of RFC 8288 with the whole address of the next page. A POST is repeated there with the same body. */
export function linkToNext(c: Context<AppEnv>, next: string | null): Record<string, string> {
  if (next === null || next.length > LINK_LENGTH_MAX) return {}
  return { link: `<${getPublicOrigin(c)}${next}>; rel="next"` }
}
