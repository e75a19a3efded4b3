import type { z } from 'zod'
import type { ReportedFault } from '../errors.ts'
import type { HeaderName } from '../http/openapi/headers.ts'

/** The explanation of an error code, in the reference and at `/docs/errors#<code>`, where each error points. */
export interface Explained {
  title: string
  cause: string
  remedy: string
  /** Whether the same request, sent again later, can succeed. */
  retry: 'no' | 'yes' | 'with an idempotency key'
  example: ReportedFault
  /** Fields of an error with this code, in addition to those of all errors. */
  detail?: Record<string, z.ZodType>
  /** Response headers, in addition to those of all responses. Not each response has all of them. */
  headers?: readonly HeaderName[]
}
