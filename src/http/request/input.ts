import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { type Fault, invalid } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { changesNothing, type Route } from '../route.ts'
import { isObject } from '../shapes.ts'
import { type Place, pointer, toFaults } from './faults.ts'
import {
  BODY_BYTES_MAX,
  limitBody,
  readJson,
  requireJson,
  requireMediaType,
  UNAUTHENTICATED_BODY_BYTES_MAX,
} from './json-body.ts'
import { readMediaType } from './media-type.ts'
import { streamBody } from './streamed-body.ts'

/** The parts of a request, validated by the schemas of its route. */
interface Input {
  params: unknown
  query: unknown
  body: unknown
}

export type ReadInput = (c: Context<AppEnv>) => Promise<Input>

const noNext = async () => {}

const listMembers = (schema: z.ZodType): string[] => ('shape' in schema ? Object.keys(schema.shape as object) : [])

/** Lists the members of an object inside a body, so that the nearest one can be suggested. */
function listMembersAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return listMembersAt(schema.unwrap(), path)
  const [key, ...rest] = path
  if (schema instanceof z.ZodArray && key !== undefined) return listMembersAt(schema.element, rest)
  if (!(schema instanceof z.ZodObject)) return []
  return key === undefined ? Object.keys(schema.shape) : listMembersAt(schema.shape[String(key)], rest)
}

type Validate = (value: unknown, faults: Fault[]) => unknown

/** Creates a validator of one part of a request. It collects faults: all parts are validated before the request is refused. */
function createValidator(place: Place, schema: z.ZodType, hint?: string): Validate {
  const faultNames = {
    known: listMembers(schema),
    whole: `the ${place}`,
    unknownHint: hint,
    membersAt: (path: readonly PropertyKey[]) => listMembersAt(schema, path),
  }
  return (value, faults) => {
    const result = schema.safeParse(value, { reportInput: true })
    if (result.success) return result.data
    faults.push(...toFaults(place, result.error.issues, faultNames))
    return undefined
  }
}

class Faults extends Array<Fault> {}

/** Reads a query through hono. Path and body are read without it: the path in every call, and the body's bytes are checked first. */
function createQueryReader(schema: z.ZodType, hint?: string) {
  const validate = createValidator('query', schema, hint)
  const absent = schema.safeParse({}).data
  const middleware: MiddlewareHandler<AppEnv> = zValidator('query', schema, undefined, {
    validationFunction: (_, value) => {
      const faults = new Faults()
      const data = validate(value, faults)
      return { success: true, data: (faults.length > 0 ? faults : data) as never }
    },
  })
  return async (c: Context<AppEnv>, faults: Fault[]): Promise<unknown> => {
    // Without parameters, as in most searches, there is nothing to parse.
    if (typeof absent === 'object' && absent !== null && !c.req.url.includes('?')) return { ...absent }
    await middleware(c, noNext)
    const value: unknown = c.req.valid('query' as never)
    if (!(value instanceof Faults)) return value
    faults.push(...value)
    return undefined
  }
}

/** Makes the schema strict, here for all routes, so that none can ignore a parameter on which a caller relies, as `dryRun=true`. */
function getQuerySchema({ query = z.object({}), isProvidersCall, path }: Route): z.ZodType {
  if (isProvidersCall) return query
  if (!(query instanceof z.ZodObject)) throw new Error(`the query of ${path} is no object of parameters`)
  return query.strict()
}

/** Refuses unknown parameters likewise, for an address that is not in the list of routes. */
export const refuseOtherParameters = (...names: string[]): MiddlewareHandler<AppEnv> => {
  let readQuery: ReturnType<typeof createQueryReader> | undefined
  return async (c, next) => {
    readQuery ??= createQueryReader(
      z.strictObject(Object.fromEntries(names.map(name => [name, z.string().optional()]))),
    )
    const faults: Fault[] = []
    await readQuery(c, faults)
    if (faults.length > 0) throw invalid(faults)
    await next()
  }
}

/** Limits the size of a request's body, by its content type. */
export function createBodyLimiter({
  bodyBytesMax,
  otherBodyTypes = {},
  otherBodyBytesMax,
  permission,
}: Route): (c: Context) => number {
  const bytesMax = bodyBytesMax ?? (permission === null ? UNAUTHENTICATED_BODY_BYTES_MAX : BODY_BYTES_MAX)
  if (otherBodyBytesMax === undefined) return () => bytesMax
  return c => (Object.hasOwn(otherBodyTypes, readMediaType(c).type ?? '') ? otherBodyBytesMax : bytesMax)
}

const hasNoBody = (c: Context): boolean =>
  c.req.raw.body === null || (c.req.header('content-length') === '0' && !c.req.header('transfer-encoding'))

const lenientDecoder = new TextDecoder()

/**
 * Creates a validator for a route that takes no body: what it does not look at, a caller may rely on, as `{"dryRun": true}`.
 * Many clients send an empty object or list where there is nothing to say.
 */
function createBodyRefuser(spec: Route, getBytesMax: (c: Context) => number) {
  if (spec.method === 'get' || spec.body || spec.bodyAs || spec.isProvidersCall) return undefined
  const parameters = spec.query === undefined ? [] : listMembers(spec.query)
  const suggestFor = (name: string): string => {
    const more = parameters.includes(name)
      ? `${JSON.stringify(name)} is a parameter of the address`
      : spec.unknownParameterHint
    return more === undefined ? NO_BODY : `${NO_BODY}; ${more}`
  }
  return async (c: Context<AppEnv>, faults: Fault[]): Promise<void> => {
    if (hasNoBody(c)) return
    await limitBody(getBytesMax(c))(c, noNext)
    const value = readLeniently(lenientDecoder.decode(await c.req.arrayBuffer()))
    if (value === null || (Array.isArray(value) && value.length === 0)) return
    if (!isObject(value)) faults.push({ message: NO_BODY, path: '/body' })
    else
      for (const name of Object.keys(value))
        faults.push({
          message: `unknown field ${JSON.stringify(name)}`,
          path: pointer('body', name),
          hint: suggestFor(name),
        })
  }
}

const NO_BODY = 'this request takes no body'

function readLeniently(text: string): unknown {
  try {
    return text.trim() === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

/** Finds the conditions of a request that its route would not look at: it would change what it was to leave alone. */
function createConditionRefuser(spec: Route) {
  if (spec.permission === null || changesNothing(spec)) return undefined
  return (c: Context<AppEnv>, faults: Fault[]): void => {
    const ifMatch = c.req.header('if-match')
    // `*` asks for a change of whatever is there, which every change is.
    if (!spec.takesIfMatch && ifMatch !== undefined && ifMatch.trim() !== '*') faults.push(toConditionFault('if-match'))
    if (c.req.header('if-none-match') !== undefined) faults.push(toConditionFault('if-none-match'))
  }
}

const toConditionFault = (header: string): Fault => ({
  message: `this request takes no ${header}`,
  path: `/header/${header}`,
})

/** Creates the reader of a route's input. What each request needs is prepared here, once. */
export function createInputReader(spec: Route): ReadInput {
  const validateParams = spec.params && createValidator('path', spec.params)
  const readQuery = createQueryReader(getQuerySchema(spec), spec.unknownParameterHint)
  const validateBody = spec.body && createValidator('body', spec.body)
  const takesJson = spec.body !== undefined || spec.bodyAs === 'json stream'
  const getBytesMax = createBodyLimiter(spec)
  const refuseBody = createBodyRefuser(spec, getBytesMax)
  const refuseConditions = createConditionRefuser(spec)
  return async c => {
    const isLeftOut = spec.isBodyOptional === true && hasNoBody(c)
    if (takesJson && !isLeftOut) {
      if (spec.otherBodyTypes) requireMediaType(c, spec.otherBodyTypes)
      else requireJson(c)
      if (spec.body) await limitBody(getBytesMax(c))(c, noNext)
    }
    const stream = spec.bodyAs && streamBody(c, getBytesMax(c), c.req.header('idempotency-key') !== undefined)
    const faults: Fault[] = []
    await refuseBody?.(c, faults)
    const params = validateParams?.(c.req.param(), faults)
    const areParamsValid = faults.length === 0
    refuseConditions?.(c, faults)
    const query = await readQuery(c, faults)
    const json = isLeftOut ? {} : spec.body && (await readJson(c))
    const body = validateBody?.(json, faults)
    if (faults.length === 0) return { params, query, body: stream ?? body }
    const more =
      spec.validateFurther && areParamsValid
        ? await spec.validateFurther({ env: c.env, scope: c.get('scope'), params, body: json })
        : []
    throw invalid([...faults, ...more.filter(({ path }) => !faults.some(fault => fault.path === path))])
  }
}
