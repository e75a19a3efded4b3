const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

interface CurlCall {
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

/** A request as a line for the command line; `path` may have a query. The token is left for the reader to fill in. */
export function formatCurl(method: string, path: string, { body, headers = {} }: CurlCall = {}): string {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const lines = [
    `curl -s ${method === (body === undefined ? 'GET' : 'POST') ? '' : `-X ${method} `}${quote(location.origin + path)}`,
    '-H "authorization: Bearer $TOKEN"',
    ...Object.entries({ ...headers, ...type }).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body))}`]),
  ]
  return lines.join(' \\\n  ')
}
