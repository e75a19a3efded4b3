import { expect, it } from 'vitest'
import { document, misfits, operations } from '../support/document.ts'

interface Schema {
  $ref?: string
  description?: string
  examples?: unknown[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: boolean | Schema
  not?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

const components = document.components.schemas as Record<string, Schema>
const getName = ({ $ref = '' }: Schema) => $ref.split('/').at(-1) ?? ''
const resolve = (schema: Schema): Schema => (schema.$ref === undefined ? schema : (components[getName(schema)] ?? {}))
const parts = ({ anyOf = [], oneOf = [], allOf = [] }: Schema) => [...anyOf, ...oneOf, ...allOf]

interface Field {
  place: string
  schema: Schema
}

/** Every field of a schema, and those inside of it. Each component is visited once. */
function getFields(schema: Schema, place: string, visited: Set<string>): Field[] {
  if (schema.$ref !== undefined) {
    const name = getName(schema)
    if (visited.has(name)) return []
    visited.add(name)
    return getFields(resolve(schema), name, visited)
  }
  const { items, additionalProperties } = schema
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [
    { place: `${place}.${name}`, schema: each },
    ...getFields(each, `${place}.${name}`, visited),
  ])
  return [
    ...own,
    ...parts(schema).flatMap(each => getFields(each, place, visited)),
    ...(items === undefined ? [] : getFields(items, `${place}[]`, visited)),
    ...(typeof additionalProperties === 'object' ? getFields(additionalProperties, `${place}.*`, visited) : []),
  ]
}

/** Returns whether an object's fields have examples, so that it needs none. */
function holdsFields(schema: Schema): boolean {
  const { properties, items, ...rest } = resolve(schema)
  return properties !== undefined || (items !== undefined && holdsFields(items)) || parts(rest).some(holdsFields)
}

const isDescribed = (schema: Schema): boolean => (schema.description ?? resolve(schema).description ?? '').length > 5
/** What a request may not have has no example. */
const isRefused = (schema: Schema): boolean => schema.not !== undefined
const hasExample = (schema: Schema): boolean => (schema.examples ?? resolve(schema).examples ?? []).length > 0

const requestFields = () => {
  const visited = new Set<string>()
  return operations.flatMap(({ operation: { operationId, requestBody } }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
      getFields(schema as Schema, operationId, visited),
    ),
  )
}
const responseFields = () => {
  const visited = new Set<string>()
  return operations.flatMap(({ operation: { operationId, responses } }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ schema }) => getFields(schema as Schema, `${operationId} ${status}`, visited)),
    ),
  )
}
const parameters = () =>
  operations.flatMap(({ operation: { operationId, parameters = [] } }) =>
    parameters
      .filter(({ $ref }) => $ref === undefined)
      .map(({ name, ...rest }) => ({ place: `${operationId} ${name}`, ...(rest as typeof rest & Schema) })),
  )

it('the tests of this file see the real document', () => {
  expect(requestFields().length).toBeGreaterThan(150)
  expect(responseFields().length).toBeGreaterThan(400)
  expect(parameters().length).toBeGreaterThan(80)
})

it('the OpenAPI document describes every field of a request, with an example: .meta({ description, examples })', () => {
  const lacking = requestFields().filter(
    ({ schema }) => !isDescribed(schema) || !(hasExample(schema) || holdsFields(schema) || isRefused(schema)),
  )
  expect(lacking.map(({ place }) => place)).toEqual([])
})

it('the OpenAPI document describes every field of a response: .describe(…)', () => {
  expect(
    responseFields()
      .filter(({ schema }) => !isDescribed(schema))
      .map(({ place }) => place),
  ).toEqual([])
})

it('the OpenAPI document describes every parameter of a path or query, with an example', () => {
  const lacking = parameters().filter(
    ({ description = '', example, schema }) =>
      description.length <= 5 || (example === undefined && !hasExample(schema as Schema)),
  )
  expect(lacking.map(({ place }) => place)).toEqual([])
})

it('the OpenAPI document shows examples that fit their field or parameter', () => {
  const wrong = [
    ...requestFields().flatMap(({ place, schema }) =>
      (schema.examples ?? []).flatMap(each =>
        misfits(`field ${place}`, schema, each).map(fault => `${place}: ${fault}`),
      ),
    ),
    ...parameters().flatMap(({ place, schema, example }) =>
      [example, ...((schema as Schema).examples ?? [])]
        .filter(each => each !== undefined)
        .flatMap(each => misfits(`parameter ${place}`, schema, each).map(fault => `${place}: ${fault}`)),
    ),
  ]
  expect(wrong).toEqual([])
})
