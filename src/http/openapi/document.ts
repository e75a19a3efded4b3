import type * as z from 'zod'
import { ERROR_CODES, type ErrorCode } from '../../errors.ts'
import { envelope } from '../response/envelope.ts'
import { changesNothing, isIdempotent, type Route, takesBookmark } from '../route.ts'
import {
  buildErrorComponents,
  buildErrorResponses,
  EXAMPLE_REQUEST_ID,
  type ExplainedError,
  listErrors,
} from './errors.ts'
import { documentHeaders, HEADERS, PARAMETERS } from './headers.ts'
import { createSchemaConverter, describeExactObject, toRef } from './json-schema.ts'
import type { JsonSchema } from './plain-schema.ts'
import type { DocumentedRoute, ResponseDocs, RouteDocs } from './route-docs.ts'
import { describeSecurity, SECURITY_SCHEMES, TOKEN_OR_SESSION } from './security.ts'
import { buildWebhookOperations, type WebhookDocs } from './webhooks.ts'

/** The parts of the document that do not come from the routes. */
export interface About {
  title: string
  version: string
  /** The placeholder for the origin of an installation. */
  server: string
  description: string
  tags: readonly { name: string; description: string }[]
  webhooks: WebhookDocs
  explain: (code: ErrorCode) => ExplainedError
}

export type Schemas = ReturnType<typeof createSchemaConverter>

/** Builds the OpenAPI document of the routes. It is pure: the same routes make the same document. */
export function buildOpenApiDocument(routes: readonly DocumentedRoute[], about: About) {
  const schemas = createSchemaConverter()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const spec of routes) {
    const path = spec.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [spec.method]: buildOperation(spec, about, schemas) }
  }
  const webhooks = buildWebhookOperations(about.webhooks, schemas)
  const codes = ERROR_CODES.filter(code => routes.some(spec => listErrorCodes(spec).includes(code)))
  const errors = buildErrorComponents(codes, about.explain, schemas)
  const document = {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version: about.version,
      description: about.description,
      contact: { name: `${about.title}, documentation of this installation`, url: `${about.server}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: about.server, description: 'The installation that serves this document' }],
    tags: about.tags,
    security: TOKEN_OR_SESSION,
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      parameters: PARAMETERS,
      responses: errors.responses,
      examples: errors.examples,
      schemas: { ...errors.schemas, ...schemas.components },
    },
    'x-error-codes': listErrors(about.explain),
  }
  const text = JSON.stringify(document)
  const used = <Component>(kind: string, all: Record<string, Component>): Record<string, Component> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)))
  const { components } = document
  return {
    ...document,
    components: {
      ...components,
      headers: used('headers', HEADERS),
      parameters: used('parameters', PARAMETERS),
      responses: used('responses', components.responses),
    },
  }
}

const UNCHANGED = 'Not modified.'

function buildOperation(spec: DocumentedRoute, about: About, schemas: Schemas) {
  const { docs } = spec
  const body = describeBody(spec, docs, schemas)
  return {
    operationId: spec.id,
    tags: [docs.tag],
    summary: spec.summary,
    description: docs.description,
    ...(spec.deprecated === undefined ? {} : { deprecated: true }),
    ...describeSecurity(spec),
    parameters: [
      ...listAddressParameters('path', spec, schemas),
      ...listAddressParameters('query', spec, schemas),
      ...describeHeaders(spec, docs),
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...Object.fromEntries(
        Object.entries(listResponses(spec, docs)).flatMap(([status, described]) =>
          described === undefined ? [] : [[status, buildResponse(spec, described, schemas)]],
        ),
      ),
      ...buildErrorResponses(listErrorCodes(spec), about.explain),
    },
  }
}

/** Lists the responses that a route declares. A route with `etag` also has the ETag header and the 304. */
const listResponses = ({ etag }: Route, { responses }: RouteDocs): RouteDocs['responses'] =>
  etag && responses[200]
    ? {
        ...responses,
        200: { ...responses[200], headers: [...(responses[200].headers ?? []), 'ETag'] },
        304: { description: UNCHANGED, headers: ['ETag'] },
      }
    : responses

/** Lists all error codes of a route: those that it declares, and those that follow from its declaration. */
export function listErrorCodes(spec: DocumentedRoute): ErrorCode[] {
  const { permission, docs } = spec
  const takesBody = spec.body !== undefined || (docs.body !== undefined && !docs.body.lenient)
  const takesJson = spec.body !== undefined || (takesBody && docs.body?.contentType === 'application/json')
  const canBeInvalid = takesBody || spec.query !== undefined || !spec.isProvidersCall
  const codes = new Set<ErrorCode>([
    ...(docs.errors ?? []),
    ...(permission === null
      ? []
      : (['unauthenticated', 'permission_denied', 'team_suspended', 'rate_limited'] as const)),
    ...(permission === null ? [] : (['storage_unavailable'] as const)),
    ...(permission === null || changesNothing(spec) ? [] : (['storage_full'] as const)),
    ...(changesNothing(spec) ? [] : (['maintenance'] as const)),
    ...(takesJson ? (['malformed_json'] as const) : []),
    ...(takesBody || (spec.method !== 'get' && !spec.isProvidersCall) ? (['request_too_large'] as const) : []),
    ...(takesBody ? (['unsupported_media_type'] as const) : []),
    ...(canBeInvalid ? (['invalid_request'] as const) : []),
    ...(isIdempotent(spec) ? (['idempotency_key_reused', 'request_in_progress'] as const) : []),
    ...(spec.takesIfMatch ? (['precondition_failed'] as const) : []),
    'internal_error',
  ])
  return ERROR_CODES.filter(code => codes.has(code))
}

function listAddressParameters(place: 'path' | 'query', spec: DocumentedRoute, schemas: Schemas) {
  const declared = place === 'path' ? spec.params : spec.query
  if (declared === undefined) return []
  const { properties = {}, required = [] } = schemas.of(declared, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  const { pathExamples, queryExample } = spec.docs
  return Object.entries(properties).map(([name, { description, examples, ...schema }]) => {
    const isRequired = place === 'path' || required.includes(name)
    const [illustration] = Array.isArray(examples) ? (examples as unknown[]) : []
    const example = place === 'path' ? (pathExamples?.[name] ?? illustration) : queryExample?.[name]
    const isInRequest = example !== undefined || isRequired
    return {
      name,
      in: place,
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      schema: isInRequest || examples === undefined ? schema : { ...schema, examples },
      ...(isInRequest ? { example: example ?? illustration } : {}),
    }
  })
}

const describeHeaders = (spec: Route, { headers = [] }: RouteDocs) => [
  ...(isIdempotent(spec) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ...(spec.etag ? [{ $ref: '#/components/parameters/If-None-Match' }] : []),
  ...(takesBookmark(spec) ? [{ $ref: '#/components/parameters/X-Caseworker-Bookmark' }] : []),
  ...(spec.takesIfMatch ? [{ $ref: '#/components/parameters/If-Match' }] : []),
  ...headers.map(name => ({ $ref: `#/components/parameters/${name}` })),
]

function describeBody({ body, isBodyOptional }: Route, docs: RouteDocs, schemas: Schemas) {
  const described = docs.body ?? (body && { contentType: 'application/json', schema: body })
  if (described === undefined) return undefined
  const media = {
    schema: schemas.of(described.schema, 'input'),
    ...(docs.example === undefined ? {} : { example: docs.example }),
  }
  const others = Object.entries(docs.body?.others ?? {}).map(([type, { schema, example }]) => [
    type,
    { schema: schemas.of(schema, 'input'), example },
  ])
  return { required: !isBodyOptional, content: { [described.contentType]: media, ...Object.fromEntries(others) } }
}

const isOptional = (schema: z.ZodType): boolean => schema.safeParse(undefined).success

function buildResponse(spec: Route, docs: ResponseDocs, schemas: Schemas) {
  const { description, data, example, content, other } = docs
  const headers = { headers: documentHeaders(spec, docs) }
  if (content !== undefined) return { description, ...headers, content: describeMedia(content, schemas) }
  if (data === undefined) return { description, ...headers }
  const meta = Object.entries(docs.meta ?? {}).map(([name, each]) => [name, schemas.of(each, 'output')])
  const members = { ...(Object.fromEntries(meta) as Record<string, JsonSchema>), requestId: toRef('RequestId') }
  const optional = Object.entries(docs.meta ?? {}).flatMap(([name, each]) => (isOptional(each) ? [name] : []))
  const describeEnvelope = (inside: z.ZodType) => {
    const parts = envelope<JsonSchema, JsonSchema, JsonSchema>(
      { description, ...schemas.of(inside, 'output') },
      { description: 'About the response.', ...describeExactObject(members, optional) },
      toRef('NoErrors'),
    )
    return describeExactObject(parts)
  }
  const shown = example && envelope(example.data, { ...example.meta, requestId: EXAMPLE_REQUEST_ID }, [])
  return {
    description,
    ...headers,
    content: { [JSON_TYPE]: { schema: describeEnvelope(data), ...(shown === undefined ? {} : { example: shown }) } },
    ...(other && {
      'x-other-content': {
        [JSON_TYPE]: { schema: describeEnvelope(other.data) },
        ...describeMedia(other.content, schemas),
      },
    }),
  }
}

const toExample = (example: unknown) => (example === undefined ? {} : { example })

const JSON_TYPE = 'application/json'

const describeMedia = (content: NonNullable<ResponseDocs['content']>, schemas: Schemas): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(content).map(([type, { schema, example }]) => [
      type,
      { schema: schema ? schemas.of(schema, 'output') : {}, ...toExample(example) },
    ]),
  )
