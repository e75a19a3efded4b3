import type { Context } from 'hono'
import type { z } from 'zod'
import { type Fault, invalid } from '../errors.ts'
import type { AppEnv } from './context.ts'
import { faultsOf, type Place } from './faults.ts'
import { BODY_BYTES_MAX, limitBody, readJson, requireJson } from './json-body.ts'
import type { Route } from './route.ts'

/** What a route is given of a request, validated by its schemas. */
export interface Input {
  params: unknown
  query: unknown
  body: unknown
}

type ReadInput = (c: Context<AppEnv>) => Promise<Input>

const noNext = async () => {}

const memberNames = (schema: z.ZodType): string[] => ('shape' in schema ? Object.keys(schema.shape as object) : [])

/** Validates one part of the request. Its faults are collected: all parts are validated before the request is refused. */
function validator(place: Place, schema: z.ZodType | undefined) {
  if (schema === undefined) return () => undefined
  const names = memberNames(schema)
  return (value: unknown, faults: Fault[]): unknown => {
    const result = schema.safeParse(value, { reportInput: true })
    if (result.success) return result.data
    faults.push(...faultsOf(place, result.error.issues, names, `the ${place}`))
    return undefined
  }
}

/** A parameter that is given once is a text, one that is given several times a list. */
const queryOf = (c: Context): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )

/** Everything that is looked at in each request of a route is prepared here, once. */
export function inputReader(spec: Route): ReadInput {
  const validateParams = validator('path', spec.params)
  const validateQuery = validator('query', spec.query)
  const validateBody = validator('body', spec.body)
  const takesJson = spec.body !== undefined || spec.bodyAs !== undefined
  const limitSize = limitBody(spec.bodyBytesMax ?? BODY_BYTES_MAX)
  return async c => {
    if (takesJson) {
      await requireJson(c, noNext)
      await limitSize(c, noNext)
    }
    const faults: Fault[] = []
    const params = validateParams(c.req.param(), faults)
    const areParamsValid = faults.length === 0
    const query = spec.query && validateQuery(queryOf(c), faults)
    const json = spec.body && (await readJson(c))
    const body = validateBody(json, faults)
    if (faults.length === 0)
      return { params, query, body: spec.bodyAs === 'bytes' ? new Uint8Array(await c.req.arrayBuffer()) : body }
    const more =
      spec.validateFurther && areParamsValid
        ? await spec.validateFurther({ scope: c.get('scope'), params, body: json })
        : []
    throw invalid([...faults, ...more.filter(({ path }) => !faults.some(fault => fault.path === path))])
  }
}
