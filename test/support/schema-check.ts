import { dereference, type Schema, validate } from '@cfworker/json-schema'

/** The address of the components for the validator: read once, and referred to by every schema. */
const COMPONENTS = 'https://components.test/'

const relinked = (schema: unknown): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${COMPONENTS}#/$defs/`)) as Schema

/** Lists the misfits of a value by a schema of a document with these components; empty if it fits. */
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
    // The innermost errors are the most precise.
    return valid ? [] : errors.slice(-3).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
  }
}
