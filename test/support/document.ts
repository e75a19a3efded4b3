import { about } from '../../src/docs/about.ts'
import { documentedRoutes } from '../../src/docs/documented-routes.ts'
import { ERROR_CODES } from '../../src/errors.ts'
import { buildOpenApiDocument } from '../../src/http/openapi/document.ts'
import { buildErrorComponents } from '../../src/http/openapi/errors.ts'
import { createSchemaConverter } from '../../src/http/openapi/json-schema.ts'
import { STATUS_BY_CODE } from '../../src/http/response/status.ts'
import { schemaCheck } from './schema-check.ts'

// Holds answers to the document: an undocumented route, status, header or member is a failure.

export const document = buildOpenApiDocument(documentedRoutes, about)

interface Media {
  schema: unknown
}
interface Described {
  $ref?: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
  'x-other-content'?: Record<string, Media>
}
export interface Operation {
  operationId: string
  responses: Record<string, Described>
  parameters?: { $ref?: string; in?: string; name?: string; required?: boolean; schema?: unknown; example?: unknown }[]
  requestBody?: { content: Record<string, Media & { example?: unknown }> }
}

export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
)

const allErrors = buildErrorComponents(ERROR_CODES, about.explain, createSchemaConverter()).schemas
/** Lists the misfits of a value by a schema of the document; empty if it fits. */
export const misfits = schemaCheck({ ...allErrors, ...document.components.schemas })

const patterns = operations.map(each => ({
  ...each,
  literal: !each.path.includes('{'),
  pattern: new RegExp(`^${each.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** Finds a route as the router does: the first one that fits, in the order of the list. */
const find = (method: string, path: string) =>
  patterns.find(
    each =>
      each.method === method &&
      each.pattern.test(path) &&
      (byName.get(each.operation.operationId)?.isFor?.(parseParams(each.path, path)) ?? true),
  )?.operation

const byName = new Map(documentedRoutes.map(each => [each.id, each]))
const parseParams = (pattern: string, path: string): Record<string, string> => {
  const segments = path.split('/')
  return Object.fromEntries(pattern.split('/').map((part, nth) => [part.slice(1, -1), segments[nth] ?? '']))
}

const NOTED = [
  'etag',
  'location',
  'retry-after',
  'www-authenticate',
  'allow',
  'idempotency-replayed',
  'deprecation',
  'sunset',
]
/** Documented, but only there on occasion. */
const OCCASIONAL = [
  'idempotency-replayed',
  'link',
  'retry-after',
  'server-timing',
  'ratelimit',
  'ratelimit-policy',
  'x-caseworker-bookmark',
  'x-caseworker-warnings',
]

/** The responses that the tests of this file have received so far, as `createProcess 201`. */
export const answered = new Set<string>()

/** Throws where an answer is not as documented. `body` is the text as it came. */
export function expectDocumented(method: string, url: string, response: Response, body?: string): void {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  // The address is not resolved against a base: "//" would be read as a host's beginning.
  const { pathname } = new URL(url.startsWith('/') ? `https://any.test${url}` : url)
  if (verb === 'options' || pathname === '/openapi.json' || pathname === '/postman.json') return
  const problems = findProblems(verb, pathname, response, body)
  if (body?.includes('must match pattern')) problems.push('it shows a regular expression to the caller')
  if (problems.length > 0)
    throw new Error(
      `${method} ${url} answered ${response.status}, not as documented:\n${problems.join('\n')}\n${body?.slice(0, 500)}`,
    )
}

function findProblems(verb: string, path: string, response: Response, body: string | undefined): string[] {
  const { status, headers } = response
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  const operation = find(verb, path)
  if (operation === undefined) {
    const known = patterns.some(({ pattern }) => pattern.test(path))
    const code = known ? 'method_not_allowed' : 'not_found'
    if (status !== STATUS_BY_CODE[code])
      return [`it is no route of the document, so ${STATUS_BY_CODE[code]} was expected`]
    return body === undefined ? [] : misfits(code, { $ref: `#/components/schemas/${code}_error` }, JSON.parse(body))
  }
  const named = operation.responses[status]
  if (named === undefined) return [`the document has no ${status} for ${operation.operationId}`]
  answered.add(`${operation.operationId} ${status}`)
  const described = named.$ref === undefined ? named : resolve(named.$ref)
  const documented = Object.keys(described.headers ?? {}).map(name => name.toLowerCase())
  const problems = [
    ...NOTED.filter(name => headers.has(name) && !documented.includes(name)).map(name => `undocumented header ${name}`),
    ...documented
      .filter(name => !headers.has(name) && !OCCASIONAL.includes(name))
      .map(name => `the header ${name} is documented and missing`),
  ]
  if (described.content === undefined) return type === '' ? problems : [...problems, 'an undocumented body']
  const other = described['x-other-content']?.[type]
  const media = described.content[type] ?? described.content['*/*'] ?? other
  if (media === undefined) return [...problems, `undocumented content type ${type}`]
  if (type !== 'application/json' || body === undefined) return problems
  const found = misfits(`${operation.operationId} ${status}`, media.schema, JSON.parse(body))
  const isOther =
    found.length > 0 &&
    other !== undefined &&
    misfits(`${operation.operationId} ${status} other`, other.schema, JSON.parse(body)).length === 0
  return isOther ? problems : [...problems, ...found]
}

const resolve = (ref: string): Described => {
  const name = ref.split('/').at(-1) ?? ''
  return (document.components.responses as Record<string, Described>)[name] ?? {}
}
