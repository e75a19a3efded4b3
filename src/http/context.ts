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
  /** Absent until the token is accepted, and for a route without a permission. */
  scope: Scope
  /** The id of the API key or session in use, under which idempotency keys are stored. */
  callerId: string
  /** Set once a token or a session was accepted, whatever it is allowed to do. */
  caller?: { team: number; user: string; by: { apiKey: string } | { session: string } }
  /** The route that the request matched. */
  route?: { operation: string | null; pattern: string; params: Record<string, string> }
  /** Set if the operator's token was accepted. */
  isOperator?: true
  /** The largest body that the route accepts. */
  bodyBytesMax?: number
  /** Holds the lock of a body that is read piece by piece: only through it can the rest be read. */
  bodyReader?: ReadableStreamDefaultReader<Uint8Array>
  /** The RateLimit headers of this response. */
  rate?: readonly (readonly [name: string, value: string])[]
  /** Ends the permit of the call. Returns whether the call waited for the database. */
  releaseCall?: () => boolean
  /** Runs a later part of a streamed response as soon as the team may use the database. */
  withPermit: WithPermit
  /** Whether the response is that of an earlier request with the same idempotency key. */
  replayed?: boolean
  /** Whether the route changes something, and this is no replay. */
  mayHaveChanged?: boolean
  /** Tells whether the caller's role has a further permission, which depends on the contents of a request. */
  may: (permission: Permission) => boolean
  /** Tells whether the token would still be accepted. Responses that go on for long ask it. */
  isStillAuthorized: () => Promise<boolean>
  /** The error code of the response, and the cause of an internal error, for the log line. */
  errorCode?: string
  /** The faults that the response names. */
  faults?: readonly Fault[]
  cause?: unknown
}

export type AppEnv = { Bindings: Env; Variables: Variables }
