import type { Db } from '../db/client.ts'
import type { Cost } from '../db/cost.ts'
import type { DatabaseSession } from '../db/databases.ts'
import type { Fault } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { Scope } from '../scope.ts'

export type WithPermit = <T>(act: () => Promise<T>) => Promise<T>

interface Variables {
  requestId: string
  cost: Cost
  /** The request's session of the database, and the database. */
  session: DatabaseSession
  db: Db
  /** Set once the token is accepted; a route without a permission has none. */
  scope: Scope
  /** The id of the API key or session in use: idempotency keys are kept by it. */
  callerId: string
  /** Set once a token or a session was accepted, whatever it may do. */
  caller?: { team: number; user: string; by: { apiKey: string } | { session: string } }
  /** The route that took the request. */
  route?: { operation: string | null; pattern: string; params: Record<string, string> }
  /** The token of the operator was accepted. */
  isOperator?: true
  /** The largest body that the route takes. */
  bodyBytesMax?: number
  /** It holds the lock of a body that is read piece by piece: only by it can the rest be read. */
  bodyReader?: ReadableStreamDefaultReader<Uint8Array>
  /** The RateLimit headers of this call. */
  rate?: readonly (readonly [name: string, value: string])[]
  /** The call does not count any more among those of its team that are being answered; whether it waited for the database. */
  releaseCall?: () => boolean
  /** What is read for a response that has begun: each part waits until its team may use the database. */
  withPermit: WithPermit
  /** The response is the one of an earlier request with the same idempotency key. */
  replayed?: boolean
  /** The route changes something, and this is no replay. */
  mayHaveChanged?: boolean
  /** Whether the caller's role has another permission, for what depends on the contents of a request. */
  may: (permission: Permission) => boolean
  /** Whether the token would still be accepted: for responses that go on for long. */
  isStillAuthorized: () => Promise<boolean>
  /** For the log line: the error code of the response, and the cause of an internal error. */
  errorCode?: string
  /** What the response says was wrong. */
  faults?: readonly Fault[]
  cause?: unknown
}

export type AppEnv = { Bindings: Env; Variables: Variables }
