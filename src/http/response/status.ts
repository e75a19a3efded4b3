import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ErrorCode } from '../../errors.ts'

/** The one place that maps a code to a status: a new code without one does not compile. */
export const STATUS_OF = {
  malformed_json: 400,
  invalid_request: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  duplicate_primary_key: 409,
  duplicate_record: 409,
  transition_not_allowed: 409,
  definition_in_use: 409,
  no_phone_number: 409,
  plugin_stopped: 409,
  opted_out: 409,
  precondition_failed: 412,
  request_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  request_in_progress: 409,
  rate_limited: 429,
  provider_refused: 502,
  provider_timeout: 504,
  provider_unavailable: 502,
  storage_unavailable: 503,
  storage_full: 507,
  maintenance: 503,
  not_offered: 501,
  internal_error: 500,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>
