import type { ExampleRequest } from './example-request.ts'
import { JSON_SYNTAX, literal } from './literal.ts'

const inQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A command for a shell in which `TOKEN` is set. */
export function curlSample({ method, address, body, upload, needsToken, responseKind }: ExampleRequest): string {
  const options = responseKind === 'events' ? '-sN' : '-s'
  return [
    `curl ${options}${method === 'GET' ? '' : ` -X ${method}`} ${/[?&]/.test(address) ? inQuotes(address) : address}`,
    ...(needsToken ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${inQuotes(bodyText(body))}`]),
    ...(upload === undefined ? [] : [`-F ${inQuotes(`file=@${upload}`)}`]),
    ...(responseKind === 'file' ? [`-o ${address.split('/').at(-1)}`] : []),
  ].join(' \\\n  ')
}

const bodyText = (body: unknown): string => literal(body, JSON_SYNTAX, { indent: '  ', used: "  -d ''".length })
