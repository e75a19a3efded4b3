export type JsonSchema = Record<string, unknown>

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const each = (of: JsonSchema, change: (schema: unknown) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]))

/** Rewrites a schema in forms that every generator of `test/generators.check.ts` reads correctly. */
export function simplifySchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const changed = each(schema, value => value)
  for (const keyword of ['items', 'additionalProperties', 'not'])
    if (keyword in schema) changed[keyword] = simplifySchema(schema[keyword])
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const parts = schema[keyword]
    if (Array.isArray(parts)) changed[keyword] = parts.map(simplifySchema)
  }
  if (isObject(schema.properties)) changed.properties = each(schema.properties, simplifySchema)
  return separateTypes(separateNames(allowOthers(changed)))
}

const isEmpty = (schema: unknown): boolean => isObject(schema) && Object.keys(schema).length === 0

/** Adds `additionalProperties`, without which openapi-typescript reads an object as an empty one. */
function allowOthers(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object') return schema
  const isFree = schema.properties === undefined && schema.additionalProperties === undefined
  return isFree || isEmpty(schema.additionalProperties) ? { ...schema, additionalProperties: true } : schema
}

/** Separates named members from others: a TypeScript interface can't have optional fields beside others of one type, and orval's zod drops those. */
function separateNames(schema: JsonSchema): JsonSchema {
  const { type, properties, required, additionalProperties, ...rest } = schema
  if (properties === undefined || !isObject(additionalProperties)) return schema
  const named = { type, properties, ...(required === undefined ? {} : { required }) }
  return { ...rest, allOf: [named, { type, additionalProperties }] }
}

/** Separates types: orval's zod reads only the first of several in one schema. */
function separateTypes({ type, ...rest }: JsonSchema): JsonSchema {
  if (!Array.isArray(type)) return type === undefined ? rest : { type, ...rest }
  return { ...rest, anyOf: type.map(one => ({ type: one })) }
}
