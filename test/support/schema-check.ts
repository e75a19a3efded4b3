import { dereference, type Schema, validate } from '@cfworker/json-schema'

/** Where the components stand, for the validator: read once, and referred to by every schema. */
const COMPONENTS = 'https://components.test/'

const relinked = (schema: unknown): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${COMPONENTS}#/$defs/`)) as Schema

/** What is wrong with a value, by a schema of a document with these components; empty where nothing is. */
export type Misfits = (name: string, described: unknown, value: unknown) => string[]

export function schemaCheck(components: object): Misfits {
  const lookup = dereference({ $id: COMPONENTS, $defs: relinked(components) as Record<string, Schema> })
  const schemas = new Map<string, Schema>()
  return (name, described, value) => {
    const known = schemas.get(name)
    const schema = known ?? relinked(described)
    if (known === undefined) {
      schemas.set(name, schema)
      dereference(schema, lookup, new URL(`https://schema.test/${encodeURIComponent(name)}`))
    }
    const { valid, errors } = validate(value, schema, '2020-12', lookup)
    // What is innermost says most.
    return valid ? [] : errors.slice(-3).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
  }
}
