import type * as z from 'zod'
import type { ErrorCode } from '../../errors.ts'
import type { Route } from '../route.ts'

type PreconditionHeader = 'If-None-Match' | 'Range'
type ResponseHeader =
  | 'Accept-Ranges'
  | 'Content-Range'
  | 'ETag'
  | 'Link'
  | 'Location'
  | 'Retry-After'
  | 'Set-Cookie'
  | 'X-Caseworker-Warnings'

/** One response of a route when the request succeeds. */
export interface ResponseDocs {
  /** A noun phrase: what the response contains. */
  description: string
  /** The schema of `_data`. Undefined if the response has no body, or a body without the envelope (see `content`). */
  data?: z.ZodType
  /** The schemas of the fields of `_meta` other than `requestId`. */
  meta?: Record<string, z.ZodType>
  headers?: readonly ResponseHeader[]
  /** A complete example of the response. */
  example?: { data: unknown; meta?: Record<string, unknown> }
  /** Bodies without the envelope, such as a file or a stream, by content type. */
  content?: Record<string, { schema?: z.ZodType; example?: unknown }>
  /**
   * Other bodies that the caller gets on request: further formats by content type, and another schema of `_data`. They
   * stand in the extension `x-other-content`, because clients that are generated from the document would else have
   * unions of all of them, for everybody.
   */
  other?: { content: Record<string, { schema: z.ZodType; example?: unknown }>; data: z.ZodType }
}

/** A body of another content type than the first. */
interface OtherBody {
  schema: z.ZodType
  example: unknown
}

/** The documentation of a route, in addition to what follows from its declaration. */
export interface RouteDocs {
  /** The group in the reference: one of `TAGS`. */
  tag: string
  /** Markdown. It does not repeat the summary. */
  description: string
  responses: Partial<Record<number, ResponseDocs>>
  /** The error codes, in addition to those that follow from permission, body and idempotency. */
  errors?: readonly ErrorCode[]
  headers?: readonly PreconditionHeader[]
  /** Required if API keys are refused. Optional for a route that needs no token and takes the session of the cookie, if there is one. */
  session?: 'required' | 'optional'
  /** Examples of path parameters, if those of the schema do not fit. */
  pathExamples?: Record<string, string>
  /** The query parameters of the example request. The others have examples, too, and are not in its samples. */
  queryExample?: Record<string, string | number>
  /** An example of the request body. */
  example?: unknown
  /** A body that the router does not parse: bytes, or a form. A lenient one is never refused for its type or shape. */
  body?: { contentType: string; schema: z.ZodType; lenient?: true; others?: Record<string, OtherBody> }
}

/** A route with its texts, which are not in the Worker: `src/docs/documented-routes.ts` adds them. */
export type DocumentedRoute = Route & { docs: RouteDocs }
