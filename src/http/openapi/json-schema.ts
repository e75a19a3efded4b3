import * as z from 'zod'
import { type JsonSchema, simplifySchema } from './plain-schema.ts'

/** Converts zod schemas into JSON Schema. A schema with an `id` becomes a component to which the others refer. */
export function createSchemaConverter() {
  const components: Record<string, JsonSchema> = {}
  const keep = (name: string, schema: JsonSchema): void => {
    const known = components[name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas are called ${name}: one for requests, one for answers?`)
    components[name] = schema
  }
  /** Converts a schema: for `input` as a caller sends it, before defaults and conversions; for `output` as it is returned. */
  const of = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    // Inside another schema, even the outermost one becomes a component if it has an id.
    const { $defs = {}, properties } = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: 'any',
      override: restoreExamples,
    })
    for (const [name, each] of Object.entries($defs)) keep(name, relink(each))
    return relink(properties?.it ?? {})
  }
  return { components, of }
}

/** Restores the examples of converted values, which zod leaves out because they could be of either side. Ours are of the input. */
const restoreExamples = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }): void => {
  const examples = z.globalRegistry.get(zodSchema)?.examples
  if (examples !== undefined) jsonSchema.examples ??= examples
}

const relink = (schema: unknown): JsonSchema =>
  JSON.parse(JSON.stringify(simplifySchema(schema)).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema

export const toRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** Describes an object with exactly these members, all of them required but the optional ones. */
export const describeExactObject = (properties: Record<string, JsonSchema>, optional: string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter(name => !optional.includes(name)),
  additionalProperties: false,
})
