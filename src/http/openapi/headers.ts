import { isIdempotent, type Route } from '../route.ts'
import type { ResponseDocs } from './route-docs.ts'

const text = { type: 'string' }

/** The headers of responses on which a caller may rely. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of this request; the same as `_meta.requestId`.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Server-Timing': {
    description:
      'The cost of the request: round trips to the database, rows read and written; `sql` is the time that its statements took there.',
    schema: text,
  },
  'X-Caseworker-Bookmark': {
    description: 'The state of the database that this response saw or made. Send it with later reads.',
    schema: text,
  },
  RateLimit: { description: 'The remaining requests and seconds: `"agent";r=11990;t=42`.', schema: text },
  'RateLimit-Policy': {
    description: 'The rate limit of the role: `"agent";q=12000;w=60`, requests per seconds.',
    schema: text,
  },
  'Accept-Ranges': { description: '`bytes`: a part of the file can be asked for.', schema: text },
  'Content-Range': { description: 'Which bytes of how many: `bytes 0-1023/5242880`.', schema: text },
  ETag: {
    description: 'The entity tag of the response, for `if-none-match`, and for `if-match` where a route takes that.',
    schema: text,
  },
  Location: { description: 'The path of the created resource.', schema: { type: 'string', format: 'uri-reference' } },
  Link: {
    description:
      'The whole address of the next page, as `<…>; rel="next"`; absent on the last page. A POST is repeated there with the same body.',
    schema: text,
  },
  'Set-Cookie': { description: 'The cookie of the session, or its removal.', schema: text },
  'X-Caseworker-Warnings': {
    description:
      'Where the body has no `_meta`: the warnings that it would have, as JSON. Absent if there is nothing to warn of.',
    schema: text,
  },
  'Retry-After': {
    description: 'The number of seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the response to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: text },
  Allow: { description: 'The methods that the address has.', schema: text },
  Deprecation: { description: 'Since when the route is deprecated (RFC 9745).', schema: text },
  Sunset: { description: 'When the route will be removed (RFC 8594).', schema: text },
} as const
export type HeaderName = keyof typeof HEADERS

export const listHeaderRefs = (names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

/** The headers of every response. An error has those of its code besides. */
export const ALWAYS = ['X-Request-Id', 'Server-Timing'] as const satisfies readonly HeaderName[]
const LIMITED = ['RateLimit', 'RateLimit-Policy'] as const satisfies readonly HeaderName[]

export const documentHeaders = (spec: Route, { headers = [] }: ResponseDocs) =>
  listHeaderRefs([
    ...headers,
    ...ALWAYS,
    ...(spec.permission === null ? [] : LIMITED),
    ...(spec.permission === null ? [] : (['X-Caseworker-Bookmark'] as const)),
    ...(isIdempotent(spec) ? (['Idempotency-Replayed'] as const) : []),
    ...(spec.deprecated === undefined ? [] : (['Deprecation'] as const)),
    ...(spec.deprecated?.sunset === undefined ? [] : (['Sunset'] as const)),
  ])

/** The request headers, beside the token, that change the effect of a route. */
export const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe: for 24 hours, a repeated request returns the first response and changes nothing. 1 to 255 printable characters without spaces, with or without quotes. Use a new key for each new request.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]+$' },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'The expected entity tag. If the resource has another one, nothing is changed and the response is 412.',
    schema: { type: 'string' },
    example: '"3-1"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The entity tags that the caller has. If the present one is among them, the response is 304 without a body.',
    schema: { type: 'string' },
    example: '"3-1"',
  },
  Range: {
    name: 'Range',
    in: 'header',
    description:
      'A part of the file, in bytes. Several parts, or one that the file does not have, are answered with the whole file; so is one with an `if-range` of another file.',
    schema: { type: 'string' },
    example: 'bytes=0-1023',
  },
  'X-Caseworker-Bookmark': {
    name: 'X-Caseworker-Bookmark',
    in: 'header',
    description:
      'Reads from the nearest copy of the database that is at least as new as this bookmark, which a response had. `any` takes any copy. Without it the primary answers.',
    schema: { type: 'string' },
    example: 'any',
  },
} as const
