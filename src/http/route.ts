import type { Context } from 'hono'
import type * as z from 'zod'
import type { Fault } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { Scope } from '../scope.ts'
import type { AppEnv } from './context.ts'
import type { JsonResponse } from './response/envelope.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The input of a handler, validated, and `c` for the rest of HTTP. */
export interface Call<Params, Query, Body> {
  c: Context<AppEnv>
  scope: Scope
  params: Params
  query: Query
  body: Body
}

/** The deprecation of a route, which each response and the reference tell. */
export interface Deprecation {
  /** The date of the deprecation, ISO. */
  since: string
  /** The date of the removal, ISO. */
  sunset?: string
  /** The path that replaces it. */
  successor?: string
}

/** The declaration of a route. It is mounted, authorised, validated and documented from this. */
export interface Route<
  Params = unknown,
  Query = unknown,
  Body = unknown,
  Outcome = unknown,
  Id extends string = string,
> {
  /** The id of the operation, as `createProcess`. Clients call it by this name, and `docs.ts` has its texts under it. */
  id: Id
  method: Method
  path: string
  /** Tells whether the route is for a path with these parameters, if others match it as well; else the next one is tried. */
  isFor?: (params: Record<string, string>) => boolean
  summary: string
  deprecated?: Deprecation
  /** Whether only pages of the installation may call it. The origin of a request is checked before its body. */
  isForOwnPages?: true
  /** The permission that the caller's role must have. Null if no token is needed. */
  permission: Permission | null
  /** Set if the operator's token is needed for a part of a route without a permission. `perform` asks for it. */
  operatorOnRequest?: true
  params?: z.ZodType<Params>
  /** The query parameters. Any other is refused, also by a route that declares none. */
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
  /** Whether a request without a body is read as one with an empty object. */
  isBodyOptional?: true
  /** Whether a provider makes the request: it may add parameters, and `perform` reads its body. */
  isProvidersCall?: boolean
  /** The hint for an unknown query parameter that is near no known one. */
  unknownParameterHint?: string
  /** Set if the body is too large to be held in memory. Then `perform` gets a `StreamedBody`. */
  bodyAs?: 'json stream' | 'multipart stream'
  /** The other types of a `json stream`, as media types with their charsets. `perform` gets the type. */
  otherBodyTypes?: Readonly<Record<string, readonly string[]>>
  bodyBytesMax?: number
  /** The largest body of those other types. */
  otherBodyBytesMax?: number
  /** Whether the response of a GET has an entity tag of its contents, and a 304 for a caller who has them. */
  etag?: boolean
  /** Whether `perform` compares `If-Match`. Any other route that changes something refuses the header. */
  takesIfMatch?: true
  /** Set for a POST that changes nothing, because its query does not fit a URL. It needs no idempotency. */
  onlyReads?: boolean
  /** Whether the route stops or ends something, which a team that has written what it may write on a day may still do. */
  isBeyondAllowance?: true
  /** Finds further faults of a body that its schema has refused, so that one response names all of them. */
  validateFurther?: (call: { env: Env; scope: Scope; params: Params; body: unknown }) => Promise<Fault[]>
  /** Does the work. The outcome is plain JSON, so that it can be stored for a retry. */
  perform: (call: Call<Params, Query, Body>) => Promise<Outcome>
  /** Makes the response from the outcome, also from one stored for an identical earlier request. */
  respond: (
    outcome: Outcome,
    call: Pick<Call<Params, Query, Body>, 'c' | 'scope' | 'params'>,
  ) => JsonResponse | Response
  /** Makes the outcome from the one stored for a retry, if that is shorter, or refers to something that goes on changing. */
  refreshOutcome?: (
    kept: Outcome,
    call: Pick<Call<Params, Query, Body>, 'c' | 'scope' | 'params' | 'body'>,
  ) => Promise<Outcome>
}

type AnyRoute<Id extends string> = Route<unknown, unknown, unknown, unknown, Id>

/** Declares a route. Its types are inferred; all but its id are then dropped, so that all routes fit one list. */
export const route = <Params, Query, Body, Outcome, const Id extends string>(
  spec: Route<Params, Query, Body, Outcome, Id>,
): AnyRoute<Id> => spec as unknown as AnyRoute<Id>

export const changesNothing = ({ method, onlyReads }: Route): boolean => method === 'get' || onlyReads === true

/** Tells whether a route is refused to a team that has written what it may write on a day. Routes that take something away go on. */
export const isWithinAllowance = (spec: Route): boolean =>
  !changesNothing(spec) && spec.method !== 'delete' && spec.isBeyondAllowance !== true

/** Tells whether a replica of the database may serve a route. */
export const takesBookmark = (spec: Route): boolean => spec.permission !== null && changesNothing(spec)

/** Tells whether a route takes an idempotency key: it changes something, needs a token, and is no DELETE. */
export const isIdempotent = ({ method, permission, onlyReads }: Route): boolean =>
  ['post', 'put', 'patch'].includes(method) && permission !== null && !onlyReads
