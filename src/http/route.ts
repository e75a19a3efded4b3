import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler, ValidationTargets } from 'hono'
import type { z } from 'zod'
import { type Fault, invalid } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { Scope } from '../scope.ts'
import type { AppEnv } from './context.ts'
import type { JsonResponse } from './envelope.ts'
import { faultsOf, type Place } from './faults.ts'
import type { Receipt } from './idempotency/record.ts'
import type { Deprecation, RouteDocs } from './route-docs.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What a handler is given: validated input, and `c` for the rest of HTTP. */
export interface Call<Params, Query, Body> {
  c: Context<AppEnv>
  scope: Scope
  params: Params
  query: Query
  body: Body
  /** Written in the same transaction as the change, so that a retry finds its outcome. */
  receipt: Receipt
}

/** One declaration per route: it is mounted, authorised, validated and documented from this. */
export interface Route<Params = unknown, Query = unknown, Body = unknown, Outcome = unknown> {
  method: Method
  path: string
  summary: string
  /** Without it a route works, and `test/docs/every-route.test.ts` fails. */
  docs?: RouteDocs
  deprecated?: Deprecation
  /** The permission that the caller's role must have. Null: no token is needed. */
  permission: Permission | null
  params?: z.ZodType<Params>
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
  /** The body is JSON that is too large to be parsed at once: `perform` is given its bytes. */
  bodyAs?: 'bytes'
  bodyBytesMax?: number
  /** A GET whose response has an entity tag made of its contents, and a 304 for a caller who has them. */
  etag?: boolean
  /** A POST that changes nothing, because its query does not fit a URL: it needs no idempotency. */
  onlyReads?: boolean
  /** More faults of a body that its schema refuses already, so that one response names all of them. */
  validateFurther?: (call: { scope: Scope; params: Params; body: unknown }) => Promise<Fault[]>
  /** Does the work. The outcome is plain JSON, so that it can be kept for a retry. */
  perform: (call: Call<Params, Query, Body>) => Promise<Outcome>
  /** Makes the response from the outcome, also from one kept for an identical earlier request. */
  respond: (
    outcome: Outcome,
    call: Pick<Call<Params, Query, Body>, 'c' | 'scope' | 'params'>,
  ) => JsonResponse | Response
  /** Where the outcome kept for a retry refers to something that goes on changing: reads its present state. */
  refreshOutcome?: (kept: Outcome, call: Pick<Call<Params, Query, Body>, 'scope'>) => Promise<Outcome>
}

/** The body of a route that takes it `bodyAs: 'bytes'`. */
export type Bytes = Uint8Array<ArrayBuffer>

/** Each route infers its own types, which are then dropped, so that all routes fit one list. */
export const route = <Params, Query, Body, Outcome>(spec: Route<Params, Query, Body, Outcome>): Route =>
  spec as unknown as Route

/** Whether a route takes an idempotency key: it changes something, needs a token, and is no DELETE. */
export const isIdempotent = ({ method, permission, onlyReads }: Route): boolean =>
  ['post', 'put', 'patch'].includes(method) && permission !== null && !onlyReads

const PLACES = { param: 'path', query: 'query', json: 'body' } as const satisfies Partial<
  Record<keyof ValidationTargets, Place>
>
type Target = keyof typeof PLACES

class FaultList extends Array<Fault> {}

const memberNames = (schema: z.ZodType): string[] => ('shape' in schema ? Object.keys(schema.shape as object) : [])

/** Validates one part of the request and collects its faults; `refuseFaults` refuses after all parts are validated. */
const collectFaults = (target: Target, schema: z.ZodType): MiddlewareHandler<AppEnv> =>
  zValidator(target, schema, undefined, {
    validationFunction: async (_, value) => {
      const result = await schema.safeParseAsync(value, { reportInput: true })
      if (result.success) return result
      const place = PLACES[target]
      const faults = faultsOf(place, result.error.issues, memberNames(schema), `the ${place}`)
      return { success: true, data: FaultList.from(faults) as never }
    },
  })

const refuseFaults =
  (targets: Target[], validateFurther: Route['validateFurther']): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const values = targets.map((target): unknown => c.req.valid(target as never))
    const faults = values.flatMap(value => (value instanceof FaultList ? [...value] : []))
    if (faults.length > 0) {
      const params = values[targets.indexOf('param')]
      const more =
        validateFurther && !(params instanceof FaultList)
          ? await validateFurther({ scope: c.var.scope, params, body: await c.req.json() })
          : []
      throw invalid([...faults, ...more.filter(({ path }) => !faults.some(fault => fault.path === path))])
    }
    await next()
  }

export function validators({ params, query, body, validateFurther }: Route): MiddlewareHandler<AppEnv>[] {
  const schemas = Object.entries({ param: params, query, json: body }) as [Target, z.ZodType | undefined][]
  const given = schemas.flatMap(([target, schema]) => (schema ? [{ target, schema }] : []))
  const targets = given.map(({ target }) => target)
  return [...given.map(({ target, schema }) => collectFaults(target, schema)), refuseFaults(targets, validateFurther)]
}
