import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler, ValidationTargets } from 'hono'
import type { z } from 'zod'
import { type Fault, invalid } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { Scope } from '../scope.ts'
import type { AppEnv } from './context.ts'
import type { Answer } from './envelope.ts'
import { faultsOf, type Place } from './faults.ts'
import type { Receipt } from './idempotency/record.ts'
import type { Deprecation, RouteDocs } from './route-docs.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What a handler is given: everything checked, nothing of HTTP but what it asks `c` for. */
export interface Call<Params, Query, Body> {
  c: Context<AppEnv>
  scope: Scope
  params: Params
  query: Query
  body: Body
  /** To be written in the same transaction as the change, so that a retry finds out what became of it. */
  receipt: Receipt
}

/** Everything that is known of a route, once: it is mounted, authorised, validated and described from this. */
export interface Route<Params = unknown, Query = unknown, Body = unknown, Outcome = unknown> {
  method: Method
  path: string
  summary: string
  /** Without it a route works, and `test/docs/every-route.test.ts` fails. */
  docs?: RouteDocs
  deprecated?: Deprecation
  /** What the caller's role must allow. Null: no token is asked for. */
  permission: Permission | null
  params?: z.ZodType<Params>
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
  /** The body is JSON, but too much of it to be read at once: `perform` is given its bytes. */
  bodyAs?: 'bytes'
  bodyBytesMax?: number
  /** A GET whose answer is worth keeping: it gets an entity tag of its contents, and a 304 to whoever has them. */
  tagged?: boolean
  /** A POST that changes nothing, because its question does not fit an address: it needs no idempotency. */
  onlyReads?: boolean
  /** What else is wrong with a body whose shape is refused already, so that the caller hears of everything at once. */
  alsoWrong?: (call: { scope: Scope; params: Params; body: unknown }) => Promise<Fault[]>
  /** Does it, and says what came out of it as plain JSON. */
  perform: (call: Call<Params, Query, Body>) => Promise<Outcome>
  /** Says the outcome to the caller; also when it is replayed from an earlier, identical request. */
  respond: (outcome: Outcome, call: Pick<Call<Params, Query, Body>, 'c' | 'scope' | 'params'>) => Answer | Response
  /** Where what is kept for a retry is only a reference to what goes on changing: looks up what it has come to. */
  recall?: (kept: Outcome, call: Pick<Call<Params, Query, Body>, 'scope'>) => Promise<Outcome>
}

/** The body of a route that takes it `bodyAs: 'bytes'`. */
export type Bytes = Uint8Array<ArrayBuffer>

/** Lets each route infer its own types, then forgets them, so that routes of all kinds fit one list. */
export const route = <Params, Query, Body, Outcome>(spec: Route<Params, Query, Body, Outcome>): Route =>
  spec as unknown as Route

/** Whether it takes an idempotency key: it changes something, on behalf of somebody, and is no DELETE. */
export const isIdempotent = ({ method, permission, onlyReads }: Route): boolean =>
  ['post', 'put', 'patch'].includes(method) && permission !== null && !onlyReads

const PLACES = { param: 'path', query: 'query', json: 'body' } as const satisfies Partial<
  Record<keyof ValidationTargets, Place>
>
type Target = keyof typeof PLACES

class Faults extends Array<Fault> {}

const known = (schema: z.ZodType): string[] => ('shape' in schema ? Object.keys(schema.shape as object) : [])

/** Checks one part of the request, and lets the others be checked, too, before anything is refused. */
const collect = (target: Target, schema: z.ZodType): MiddlewareHandler<AppEnv> =>
  zValidator(target, schema, undefined, {
    validationFunction: async (_, value) => {
      const result = await schema.safeParseAsync(value, { reportInput: true })
      if (result.success) return result
      const place = PLACES[target]
      const faults = faultsOf(place, result.error.issues, known(schema), `the ${place}`)
      return { success: true, data: Faults.from(faults) as never }
    },
  })

const refuseFaults =
  (targets: Target[], alsoWrong: Route['alsoWrong']): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const values = targets.map((target): unknown => c.req.valid(target as never))
    const faults = values.flatMap(value => (value instanceof Faults ? [...value] : []))
    if (faults.length > 0) {
      const params = values[targets.indexOf('param')]
      const more =
        alsoWrong && !(params instanceof Faults)
          ? await alsoWrong({ scope: c.var.scope, params, body: await c.req.json() })
          : []
      throw invalid([...faults, ...more.filter(({ path }) => !faults.some(fault => fault.path === path))])
    }
    await next()
  }

export function validators({ params, query, body, alsoWrong }: Route): MiddlewareHandler<AppEnv>[] {
  const schemas = Object.entries({ param: params, query, json: body }) as [Target, z.ZodType | undefined][]
  const given = schemas.flatMap(([target, schema]) => (schema ? [{ target, schema }] : []))
  const targets = given.map(({ target }) => target)
  return [...given.map(({ target, schema }) => collect(target, schema)), refuseFaults(targets, alsoWrong)]
}
