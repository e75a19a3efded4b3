import type { z } from 'zod'
import type { ReportedFault } from '../errors.ts'
import type { HeaderName } from '../http/openapi-headers.ts'

/** What a caller is told of a code: in the reference, and at `/docs/errors#<code>`, where every error points. */
export interface Explained {
  title: string
  cause: string
  remedy: string
  /** Whether the same request, sent again later, can succeed. */
  retry: 'no' | 'yes' | 'with an idempotency key'
  example: ReportedFault
  /** Members that its faults may have beside those that every fault has. */
  detail?: Record<string, z.ZodType>
  /** Beside those of every answer; not each of its answers has each. */
  headers?: readonly HeaderName[]
}
