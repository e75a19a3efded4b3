import { escapeHtml } from '../markup/html.ts'
import { inline } from '../markup/markdown.ts'
import { boundsOf, descriptionOf, isSchema, objectsIn, type Resolve, type Schema, typeOf } from './schema.ts'

export interface ReferenceField {
  name: string
  schema: Schema
  /** Where it stands: `path`, `query`, `header`; of a body or a response nothing. */
  place?: string
  isRequired: boolean
  description?: string | undefined
  /** A value that a reader can begin with. */
  example?: unknown
}

interface Around {
  resolve: Resolve
  /** The beginning of the ids of the fields, such as `body`. */
  at: string
  /** Which fields a response has is no question; of a request, those that must be sent are marked. */
  marksRequired: boolean
  via: readonly string[]
}

/** A list of fields with all that is known of them. Nested fields open without a script. */
export const fieldList = (fields: readonly ReferenceField[], around: Around): string =>
  `<ul class="fields">${fields.map(field => item(field, around)).join('')}</ul>`

/** The fields in a schema, nested ones included; empty if it has none. */
export function fieldsIn(schema: Schema, example: unknown, around: Around): string {
  const objects = objectsIn(schema, around.resolve, around.via)
  const one = Array.isArray(example) ? (example[0] as unknown) : example
  const isLong = objects.length > ALTERNATIVES_OPEN_MAX
  return objects
    .map((object, nth) => {
      const at = nth === 0 ? around.at : `${around.at}-or${nth + 1}`
      const { description, examples } = object.schema
      const members = membersOf(object.schema, examples?.[0] ?? one, around.resolve)
      const fields = fieldList(members, { ...around, at, via: object.via })
      return isLong && description !== undefined
        ? `<details><summary>${inline(description)}</summary>${fields}</details>`
        : fields
    })
    .join('<p class="or">or</p>')
}

/** More forms than these are closed, each under its description. */
const ALTERNATIVES_OPEN_MAX = 4

/** Where a body has several forms, each has the examples of the fields that it shares with the example. */
function membersOf(schema: Schema, example: unknown, resolve: Resolve): ReferenceField[] {
  const values = isRecord(example) ? example : {}
  const named = Object.entries(schema.properties ?? {}).map(
    ([name, member]): ReferenceField => ({
      name,
      schema: member,
      isRequired: schema.required?.includes(name) === true,
      description: descriptionOf(member, resolve),
      example: values[name],
    }),
  )
  const others = schema.additionalProperties
  if (!isSchema(others)) return named
  const description = descriptionOf(others, resolve)
  return [
    ...named,
    { name: named.length === 0 ? 'any key' : 'any other key', schema: others, isRequired: false, description },
  ]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function item({ name, schema, place, isRequired, description, example }: ReferenceField, around: Around): string {
  const id = `${around.at}-${name.replaceAll(' ', '-')}`
  const inside = fieldsIn(schema, example, { ...around, at: id })
  const type = place === undefined ? typeOf(schema) : `${place} · ${typeOf(schema)}`
  const must = isRequired && around.marksRequired ? ' <span class="must">required</span>' : ''
  const nested =
    inside === '' ? '' : `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>${inside}</details>`
  return `<li id="${escapeHtml(id)}"><div class="field-head"><code class="name">${escapeHtml(name)}</code> <span class="type">${escapeHtml(type)}</span>${must}</div>${
    description === undefined ? '' : `<div class="note">${inline(description)}</div>`
  }${facts(schema, example ?? schema.examples?.[0])}${nested}</li>`
}

const EXAMPLE_CHARACTERS_MAX = 80

/** Default, bounds and example, each only if it tells something. */
function facts(schema: Schema, example: unknown): string {
  const code = (value: unknown) =>
    `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`
  const initial = schema.default
  const said = [
    ...(initial === undefined || initial === null || isEmpty(initial) ? [] : [`Default ${code(initial)}`]),
    ...boundsOf(schema).map(each => escapeHtml(each)),
    ...(isShort(example) ? [`Example ${code(example)}`] : []),
  ]
  return said.length === 0 ? '' : `<div class="facts-of">${said.join(' <span aria-hidden="true">·</span> ')}</div>`
}

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0)
const isShort = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  !isEmpty(value) &&
  !isRecord(value) &&
  JSON.stringify(value).length <= EXAMPLE_CHARACTERS_MAX
