import { escapeHtml, renderInline } from '../markup.ts'
import { findObjects, formatBounds, formatType, getDescription, isSchema, type Resolve, type Schema } from './schema.ts'

/** A field as the reference shows it. */
export interface Field {
  /** Its anchor on the page: `body-sort-order`. */
  id: string
  name: string
  type: string
  /** Markdown. */
  description?: string | undefined
  isRequired: boolean
  /** Default, bounds and example, as HTML. */
  facts: string[]
  /** The shapes of its contents: several, if there are alternatives. */
  shapes: Shape[]
}

/** The fields of an object, or of one of several alternatives. */
export interface Shape {
  description?: string | undefined
  fields: Field[]
}

/** The place of a schema: the beginning of its fields' ids, and the references that led to it. */
export interface Place {
  id: string
  resolve: Resolve
  via?: readonly string[]
}

interface FieldDeclaration {
  name: string
  schema: Schema
  isRequired: boolean
  description?: string | undefined
  example?: unknown
}

/** Reads the fields in a schema, including nested ones. There are none if it is no object and contains none. */
export function readShapes(schema: Schema, example: unknown, { id, resolve, via = [] }: Place): Shape[] {
  const value = Array.isArray(example) ? (example[0] as unknown) : example
  return findObjects(schema, resolve, via).map((found, nth) => {
    const { description, examples } = found.schema
    const place = { id: nth === 0 ? id : `${id}-or${nth + 1}`, resolve, via: found.via }
    const members = listMembers(found.schema, examples?.[0] ?? value, resolve)
    return { description, fields: members.map(member => readField(member, place)) }
  })
}

export function readField({ name, schema, isRequired, description, example }: FieldDeclaration, place: Place): Field {
  const id = `${place.id}-${name.replaceAll(' ', '-')}`
  return {
    id,
    name,
    isRequired,
    description,
    type: formatType(schema),
    facts: formatFacts(schema, example ?? schema.examples?.[0]),
    shapes: readShapes(schema, example, { ...place, id }),
  }
}

/** Lists the fields of an object. If a body has several forms, each has the examples of the fields that it shares with the example. */
function listMembers(schema: Schema, example: unknown, resolve: Resolve): FieldDeclaration[] {
  const values = isRecord(example) ? example : {}
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, member]): FieldDeclaration => ({
      name,
      schema: member,
      example: values[name],
      isRequired: schema.required?.includes(name) === true,
      description: getDescription(member, resolve),
    }),
  )
  const others = schema.additionalProperties
  if (!isSchema(others)) return members
  const name = members.length === 0 ? 'any key' : 'any other key'
  return [...members, { name, schema: others, isRequired: false, description: getDescription(others, resolve) }]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const EXAMPLE_CHARACTERS_MAX = 80

/** Formats default, bounds and example, each only if it says something. */
function formatFacts(schema: Schema, example: unknown): string[] {
  const code = (value: unknown) =>
    `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`
  const saysNothing = (value: unknown) => value === undefined || value === null || value === '' || isEmptyList(value)
  const isShort = (value: unknown) => !isRecord(value) && JSON.stringify(value).length <= EXAMPLE_CHARACTERS_MAX
  return [
    ...(saysNothing(schema.default) ? [] : [`Default ${code(schema.default)}`]),
    ...formatBounds(schema).map(escapeHtml),
    ...(saysNothing(example) || !isShort(example) ? [] : [`Example ${code(example)}`]),
  ]
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Whether fields are of a request or a response. Only a request marks required ones: a response has what it has. */
export type Direction = 'request' | 'response'

export const renderFields = (fields: readonly Field[], direction: Direction): string =>
  `<ul class="fields">${fields.map(field => renderField(field, direction)).join('')}</ul>`

/** Beyond this number, alternatives are closed, each under its description. */
const ALTERNATIVES_OPEN_MAX = 4

/** Renders shapes. Nested fields open without a script. */
export const renderShapes = (shapes: readonly Shape[], direction: Direction): string =>
  shapes
    .map(({ description, fields }) => {
      const list = renderFields(fields, direction)
      return shapes.length > ALTERNATIVES_OPEN_MAX && description !== undefined
        ? `<details><summary>${renderInline(description)}</summary>${list}</details>`
        : list
    })
    .join('<p class="or">or</p>')

function renderField({ id, name, type, description, isRequired, facts, shapes }: Field, direction: Direction): string {
  const parts = [
    `<div class="field-head"><code class="name">${escapeHtml(name)}</code> <span class="type">${escapeHtml(type)}</span>${isRequired && direction === 'request' ? ' <span class="must">required</span>' : ''}</div>`,
    description === undefined ? '' : `<div class="note">${renderInline(description)}</div>`,
    facts.length === 0 ? '' : `<div class="facts">${facts.join(' <span aria-hidden="true">·</span> ')}</div>`,
    shapes.length === 0
      ? ''
      : `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>${renderShapes(shapes, direction)}</details>`,
  ]
  return `<li id="${escapeHtml(id)}">${parts.join('')}</li>`
}
