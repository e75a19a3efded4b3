import type { z } from 'zod'
import type { ErrorCode } from '../../errors.ts'

export type PreconditionHeader = 'If-Match' | 'If-None-Match'
export type AnswerHeader = 'ETag' | 'Location' | 'Retry-After'

/** One status that a route answers with when all went well. */
export interface AnswerDocs {
  /** A noun phrase: what the caller has in hand. */
  description: string
  /** What stands in `_data`. Left out where the answer has no body, or none of ours (see `content`). */
  data?: z.ZodType
  /** What stands in `_meta` beside `requestId`, by member. */
  meta?: Record<string, z.ZodType>
  headers?: readonly AnswerHeader[]
  /** A real answer. `examples` in the schemas are not enough: this one is read as a whole. */
  example?: { data: unknown; meta?: Record<string, unknown> }
  /** An answer that does not wear the envelope, such as a file or a stream, by content type. */
  content?: Record<string, { schema?: z.ZodType; example?: unknown }>
}

/** What a caller is told of a route beside what the router knows of it already. */
export interface RouteDocs {
  /** The name of the operation in clients: `createProcess`. */
  id: string
  /** The group it stands in: one of `TAGS`. */
  tag: string
  /** What the summary leaves open, in Markdown. */
  description: string
  answers: Partial<Record<number, AnswerDocs>>
  /** The codes it can answer beside those that follow from its permission, its body and its idempotency. */
  errors?: readonly ErrorCode[]
  headers?: readonly PreconditionHeader[]
  /** Examples of its places in the path, where the usual ones don't fit. */
  places?: Record<string, string>
  /** A real body that the route takes. */
  example?: unknown
  /** A body that the router does not read: bytes, or a form. A lenient one is never refused for its type or shape. */
  body?: { contentType: string; schema: z.ZodType; lenient?: true }
}

/** That a route is on its way out. Said in every answer, and in the reference. */
export interface Deprecation {
  /** When this was said, as an ISO date. */
  since: string
  /** When the route goes, as an ISO date. */
  sunset?: string
  /** The path that replaces it. */
  successor?: string
}
