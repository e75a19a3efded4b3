import { isIdempotent, type Route } from '../route.ts'
import type { AnswerDocs } from './route-docs.ts'

const text = { type: 'string' }

/** Every header that an answer can carry and a caller may rely on. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of this request; the same as `_meta.requestId`.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Server-Timing': {
    description: 'What the answer cost: round trips to the database, rows read and written.',
    schema: text,
  },
  RateLimit: { description: 'What is left of the policy: `"agent";r=11990;t=42`, calls and seconds.', schema: text },
  'RateLimit-Policy': {
    description: 'The policy of the role: `"agent";q=12000;w=60`, calls per seconds.',
    schema: text,
  },
  ETag: { description: 'The entity tag of what is shown, for `if-match` and `if-none-match`.', schema: text },
  Location: { description: 'The path of what was made.', schema: { type: 'string', format: 'uri-reference' } },
  'Retry-After': {
    description: 'After how many seconds it is worth asking again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotency-Replayed': {
    description: '`true` when this is the answer to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: text },
  Allow: { description: 'The methods that the address has.', schema: text },
  Deprecation: { description: 'Since when the route is on its way out (RFC 9745).', schema: text },
  Sunset: { description: 'When the route goes (RFC 8594).', schema: text },
} as const
export type HeaderName = keyof typeof HEADERS

export const headerRefs = (names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

/** The headers of an error: those of its code, and those that every answer has. */
export const ALWAYS = ['X-Request-Id', 'Server-Timing'] as const satisfies readonly HeaderName[]
const LIMITED = ['RateLimit', 'RateLimit-Policy'] as const satisfies readonly HeaderName[]

export const answerHeaders = (spec: Route, { headers = [] }: AnswerDocs) =>
  headerRefs([
    ...headers,
    ...ALWAYS,
    ...(spec.permission === null ? [] : LIMITED),
    ...(isIdempotent(spec) ? (['Idempotency-Replayed'] as const) : []),
    ...(spec.deprecated === undefined ? [] : (['Deprecation'] as const)),
    ...(spec.deprecated?.sunset === undefined ? [] : (['Sunset'] as const)),
  ])

/** Request headers, beside the token, that change what a route does. */
export const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to send the request again: for 24 hours a repetition gets the first answer and changes nothing. 1 to 255 printable characters without spaces, quoted or bare; a new one for each new request.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]+$' },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The entity tag that the change relies on. If the thing has another by now, nothing is changed: 412.',
    schema: { type: 'string' },
    example: '"3-1"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The entity tags that the caller has already. If the present one is among them, the answer is 304, without a body.',
    schema: { type: 'string' },
    example: '"3-1"',
  },
} as const
