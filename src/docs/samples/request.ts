/** An operation of the OpenAPI document, as far as samples are made from it. Parameters that are references are headers. */
export interface SampledOperation {
  method: string
  path: string
  operation: {
    operationId: string
    parameters?: readonly { in?: string; name?: string; example?: unknown }[]
    requestBody?: { content: Record<string, { example?: unknown }> }
    responses: Record<string, { content?: Record<string, unknown> }>
    'x-permission'?: string
  }
}

/** The way in which a response is read: as JSON in the envelope, lines of JSON, events, text, or the bytes of a file. */
export type ResponseKind = 'json' | 'lines' | 'events' | 'text' | 'file'

/** The request of an operation's examples, from which the samples of all languages are written. */
export interface ExampleRequest {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The whole address, with path and query. */
  address: string
  origin: string
  path: Record<string, string>
  query: Record<string, unknown>
  /** The JSON body. */
  body?: Record<string, unknown>
  /** The name of the file that is uploaded as a form. */
  upload?: string
  needsToken: boolean
  responseKind: ResponseKind
}

const KINDS: Record<string, ResponseKind> = {
  'application/json': 'json',
  'application/x-ndjson': 'lines',
  'text/event-stream': 'events',
  'text/plain': 'text',
}

/** Builds the request. A parameter without an `example` of its own is optional, and not in the sample. */
export function buildExampleRequest({ method, path, operation }: SampledOperation, origin: string): ExampleRequest {
  const given = (place: string) =>
    Object.fromEntries(
      (operation.parameters ?? []).flatMap(({ in: where, name, example }) =>
        where === place && name !== undefined && example !== undefined ? [[name, example]] : [],
      ),
    )
  const inPath = Object.fromEntries(Object.entries(given('path')).map(([name, value]) => [name, String(value)]))
  const query = given('query')
  const [[bodyType, media] = []] = Object.entries(operation.requestBody?.content ?? {})
  const example = media?.example as Record<string, unknown> | undefined
  return {
    id: operation.operationId,
    method: method.toUpperCase() as ExampleRequest['method'],
    address: `${origin}${fillPath(path, inPath)}${formatQuery(query)}`,
    origin,
    path: inPath,
    query,
    ...(example !== undefined && bodyType === 'application/json' ? { body: example } : {}),
    ...(bodyType === 'multipart/form-data' ? { upload: String(example?.filename) } : {}),
    needsToken: operation['x-permission'] !== undefined,
    responseKind: getResponseKind(operation),
  }
}

const fillPath = (path: string, values: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))

function formatQuery(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function getResponseKind({ responses }: SampledOperation['operation']): ResponseKind {
  const [success] = Object.entries(responses).flatMap(([status, { content }]) =>
    status < '300' ? [content ?? {}] : [],
  )
  const [type = ''] = Object.keys(success ?? {})
  return KINDS[type] ?? 'file'
}
