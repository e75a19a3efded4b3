import type { Context } from 'hono'
import type * as z from 'zod'
import type { Fault } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { Scope } from '../scope.ts'
import type { AppEnv } from './context.ts'
import type { JsonResponse } from './response/envelope.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What a handler is given: validated input, and `c` for the rest of HTTP. */
export interface Call<Params, Query, Body> {
  c: Context<AppEnv>
  scope: Scope
  params: Params
  query: Query
  body: Body
}

/** The deprecation of a route. Each response and the reference say it. */
export interface Deprecation {
  /** The date of the deprecation, ISO. */
  since: string
  /** The date of the removal, ISO. */
  sunset?: string
  /** The path that replaces it. */
  successor?: string
}

/** One declaration per route: it is mounted, authorised, validated and documented from this. */
export interface Route<
  Params = unknown,
  Query = unknown,
  Body = unknown,
  Outcome = unknown,
  Id extends string = string,
> {
  /** The id of the operation: `createProcess`. Clients call it by this name, and the texts in `docs.ts` are found by it. */
  id: Id
  method: Method
  path: string
  /** Whether the route is for a path with these parameters, which others fit as well; else the next one is asked. */
  isFor?: (params: Record<string, string>) => boolean
  summary: string
  deprecated?: Deprecation
  /** Only for pages of the installation: where a request comes from is looked at before anything of its body. */
  isForOwnPages?: true
  /** The permission that the caller's role must have. Null: no token is needed. */
  permission: Permission | null
  /** Where it is null: the operator's token is needed for a part of it, which `perform` asks for. */
  operatorOnRequest?: true
  params?: z.ZodType<Params>
  /** The parameters there are: any other is refused, also of a route that declares none. */
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
  /** A request without a body stands for one with an empty object. */
  isBodyOptional?: true
  /** Somebody else made the address, a provider for example, and may add parameters of its own. */
  ignoresUnknownParameters?: boolean
  /** What else to say of an unknown query parameter that is near no known one. */
  unknownParameterHint?: string
  /** The body is too large to be held in memory: `perform` is given a `StreamedBody`. */
  bodyAs?: 'json stream' | 'multipart stream'
  /** What a `json stream` may be besides JSON, as media types with their charsets: `perform` is told which it is. */
  otherBodyTypes?: Readonly<Record<string, readonly string[]>>
  bodyBytesMax?: number
  /** The same of a body of one of those other types. */
  otherBodyBytesMax?: number
  /** A GET whose response has an entity tag made of its contents, and a 304 for a caller who has them. */
  etag?: boolean
  /** A POST that changes nothing, because its query does not fit a URL: it needs no idempotency. */
  onlyReads?: boolean
  /** It stops or ends something: a team that has written what it may write on a day may still do so. */
  isBeyondAllowance?: true
  /** More faults of a body that its schema refuses already, so that one response names all of them. */
  validateFurther?: (call: { env: Env; scope: Scope; params: Params; body: unknown }) => Promise<Fault[]>
  /** Does the work. The outcome is plain JSON, so that it can be kept for a retry. */
  perform: (call: Call<Params, Query, Body>) => Promise<Outcome>
  /** Makes the response from the outcome, also from one kept for an identical earlier request. */
  respond: (
    outcome: Outcome,
    call: Pick<Call<Params, Query, Body>, 'c' | 'scope' | 'params'>,
  ) => JsonResponse | Response
  /** Makes the outcome of what was kept for a retry: of a shorter form, or of a reference to something that goes on changing. */
  refreshOutcome?: (
    kept: Outcome,
    call: Pick<Call<Params, Query, Body>, 'c' | 'scope' | 'params' | 'body'>,
  ) => Promise<Outcome>
}

type AnyRoute<Id extends string> = Route<unknown, unknown, unknown, unknown, Id>

/** Each route infers its own types. All but its id are then dropped, so that all routes fit one list. */
export const route = <Params, Query, Body, Outcome, const Id extends string>(
  spec: Route<Params, Query, Body, Outcome, Id>,
): AnyRoute<Id> => spec as unknown as AnyRoute<Id>

export const changesNothing = ({ method, onlyReads }: Route): boolean => method === 'get' || onlyReads === true

/** Whether a route is refused to a team that has written what it may write on a day. What takes something away goes on. */
export const isWithinAllowance = (spec: Route): boolean =>
  !changesNothing(spec) && spec.method !== 'delete' && spec.isBeyondAllowance !== true

/** Whether a route may be answered by a replica of the database. */
export const takesBookmark = (spec: Route): boolean => spec.permission !== null && changesNothing(spec)

/** Whether a route takes an idempotency key: it changes something, needs a token, and is no DELETE. */
export const isIdempotent = ({ method, permission, onlyReads }: Route): boolean =>
  ['post', 'put', 'patch'].includes(method) && permission !== null && !onlyReads
