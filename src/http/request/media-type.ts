import type { Context } from 'hono'

export const JSON_TYPE = 'application/json'

/** Reads the content type of a request, in lower case. */
export function readMediaType(c: Context): { type: string | undefined; charset: string | undefined } {
  const [type, ...parameters] = (c.req.header('content-type') ?? '').split(';').map(part => part.trim().toLowerCase())
  const [charset] = parameters.flatMap(each => /^charset="?([^"]*)"?$/.exec(each)?.[1] ?? [])
  return { type, charset }
}
