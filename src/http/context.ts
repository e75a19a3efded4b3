import type { Db } from '../db/client.ts'
import type { Cost } from '../db/cost.ts'
import type { Permission } from '../permissions.ts'
import type { Scope } from '../scope.ts'

export interface Variables {
  requestId: string
  cost: Cost
  db: Db
  /** Set once the token is accepted; a route without a permission never looks at it. */
  scope: Scope
  /** The API key in use: idempotency keys and rate limits are counted by it. */
  keyId: string
  /** Headers that tell how many calls the key has left. */
  rate?: Record<string, string>
  /** For what depends on the contents of a request: whether the caller's role allows that, too. */
  may: (permission: Permission) => boolean
  /** For the log line: the code of the answer, and what went wrong where it was our fault. */
  errorCode?: string
  cause?: unknown
}

export type AppEnv = { Bindings: Env; Variables: Variables }
