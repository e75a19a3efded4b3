/** The part of the document's JSON Schemas that the pages read. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

const ALTERNATIVES_SHOWN_MAX = 8

const getReferenceName = (reference: string): string => reference.split('/').at(-1) ?? ''

/** Joins an `allOf` into one object with the fields of each part. */
const joinParts = (parts: readonly Schema[], resolve: Resolve): Schema => {
  const whole = parts.map(part => (part.$ref === undefined ? part : resolve(part)))
  const others = whole.map(part => part.additionalProperties).find(isSchema)
  return {
    properties: Object.assign({}, ...whole.map(({ properties }) => properties)) as Record<string, Schema>,
    required: whole.flatMap(({ required }) => required ?? []),
    ...(others === undefined ? {} : { additionalProperties: others }),
  }
}

const getAlternatives = ({ anyOf, oneOf }: Schema): Schema[] | undefined => anyOf ?? oneOf

/** Formats a type in words: `array of Process`, `"OPEN" | "COMPLETED"`. */
export function formatType(schema: Schema): string {
  const { $ref, type, items, format, enum: allowed, const: only } = schema
  if ($ref !== undefined) return getReferenceName($ref)
  if (only !== undefined) return JSON.stringify(only)
  if (allowed !== undefined)
    return allowed.length > ALTERNATIVES_SHOWN_MAX
      ? `one of ${allowed.length} values`
      : allowed.map(each => JSON.stringify(each)).join(' | ')
  const alternatives = getAlternatives(schema)
  if (alternatives !== undefined) return [...new Set(alternatives.map(formatType))].join(' | ')
  if (type === 'array') return `array of ${items && Object.keys(items).length > 0 ? formatType(items) : 'anything'}`
  if (schema.allOf !== undefined) return 'object'
  const names = [type ?? []].flat().join(' | ') || 'anything'
  return format === undefined ? names : `${names} (${format})`
}

function formatCount(least: number | undefined, most: number | undefined, what: string): string[] {
  if (most === undefined) return least !== undefined && least > 0 ? [`${least} or more ${what}`] : []
  return [
    least ? `${least} to ${most.toLocaleString('en-US')} ${what}` : `at most ${most.toLocaleString('en-US')} ${what}`,
  ]
}

/** Formats the bounds of a value, without those that only say that a number is exact. */
export function formatBounds(schema: Schema): string[] {
  const { minimum, maximum, enum: allowed } = schema
  const alternatives = getAlternatives(schema) ?? []
  return [
    ...formatCount(schema.minLength, schema.maxLength, 'characters'),
    ...formatCount(schema.minItems, schema.maxItems, 'items'),
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? [`at least ${minimum}`] : []),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? [`at most ${maximum}`] : []),
    ...(allowed !== undefined && allowed.length > ALTERNATIVES_SHOWN_MAX ? [allowed.join(', ')] : []),
    ...new Set(alternatives.flatMap(formatBounds)),
  ]
}

/** Resolves the schema of a reference. */
export type Resolve = (schema: Schema) => Schema

/** Returns the description of a field, or of the first of its alternatives that has one. */
export function getDescription(schema: Schema, resolve: Resolve): string | undefined {
  if (schema.description !== undefined) return schema.description
  if (schema.$ref !== undefined) return resolve(schema).description
  return getAlternatives(schema)
    ?.map(each => getDescription(each, resolve))
    .find(each => each !== undefined)
}

/** Finds the objects with fields: the schema itself, the items of an array, or each alternative. `via` are the references that led here. */
export function findObjects(
  schema: Schema,
  resolve: Resolve,
  via: readonly string[],
): { schema: Schema; via: string[] }[] {
  if (schema.$ref !== undefined)
    return via.includes(schema.$ref) ? [] : findObjects(resolve(schema), resolve, [...via, schema.$ref])
  if (schema.allOf !== undefined) return findObjects(joinParts(schema.allOf, resolve), resolve, via)
  if (schema.properties !== undefined || typeof schema.additionalProperties === 'object')
    return Object.keys(schema.properties ?? {}).length > 0 || isSchema(schema.additionalProperties)
      ? [{ schema, via: [...via] }]
      : []
  if (schema.items !== undefined) return findObjects(schema.items, resolve, via)
  return (getAlternatives(schema) ?? []).flatMap(each => findObjects(each, resolve, via))
}

/** Tells whether a schema says anything of its values: `{}` allows all of them. */
export const isSchema = (schema: Schema['additionalProperties']): schema is Schema =>
  typeof schema === 'object' && Object.keys(schema).length > 0
