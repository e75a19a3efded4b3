import { inline, make } from './make.js'

export const spec = await (await fetch('/openapi.json')).json()
export const resolve = thing =>
  thing?.$ref
    ? thing.$ref
        .slice(2)
        .split('/')
        .reduce((at, key) => at[key], spec)
    : thing

export function typeOf(schema) {
  const { $ref, anyOf, oneOf, type, items, format, enum: allowed, const: only } = schema
  if ($ref) return $ref.split('/').at(-1)
  if (only !== undefined) return JSON.stringify(only)
  if (allowed)
    return allowed.length > 8
      ? `one of ${allowed.length} values`
      : allowed.map(each => JSON.stringify(each)).join(' | ')
  if (anyOf ?? oneOf) return [...new Set((anyOf ?? oneOf).map(typeOf))].join(' | ')
  if (type === 'array') return `array of ${items && Object.keys(items).length ? typeOf(items) : 'anything'}`
  return format ? `${[type].flat().join(' | ')} (${format})` : [type].flat().join(' | ') || 'anything'
}

const count = (least, most, what) => {
  if (least === undefined && most === undefined) return []
  if (most === undefined) return least > 0 ? [`${least} or more ${what}`] : []
  return [least ? `${least} to ${most} ${what}` : `at most ${most} ${what}`]
}

export function limitsOf(schema) {
  const { minimum, maximum, default: initial, enum: allowed } = schema
  const isEmpty = initial === '' || (Array.isArray(initial) && initial.length === 0)
  return [
    ...count(schema.minLength, schema.maxLength, 'characters'),
    ...count(schema.minItems, schema.maxItems, 'items'),
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? [`at least ${minimum}`] : []),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? [`at most ${maximum}`] : []),
    ...(initial === undefined || initial === null || isEmpty ? [] : [`default ${JSON.stringify(initial)}`]),
    ...(allowed?.length > 8 ? [allowed.join(', ')] : []),
  ].join('; ')
}

/** The child attributes of an object, of the items of an array, of the alternatives. */
export function insideOf(schema, seen) {
  if (schema.$ref) return seen.includes(schema.$ref) ? undefined : insideOf(resolve(schema), [...seen, schema.$ref])
  if (schema.properties || typeof schema.additionalProperties === 'object') return members(schema, seen)
  if (schema.items) return insideOf(schema.items, seen)
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []).map(each => insideOf(each, seen)).filter(Boolean)
  if (alternatives.length < 2) return alternatives[0]
  return make(
    'div',
    { class: 'alternatives' },
    alternatives.flatMap((each, at) => (at ? [make('p', { class: 'or' }, 'or'), each] : [each])),
  )
}

/** The description of a field, or of the first of its alternatives that has one. */
const noteOf = schema =>
  schema.description ??
  (schema.$ref ? resolve(schema).description : (schema.anyOf ?? []).map(noteOf).find(note => note !== undefined))

function members(schema, seen = []) {
  const { properties = {}, additionalProperties: others } = schema
  const named = Object.entries(properties)
  if (typeof others === 'object' && Object.keys(others).length > 0) named.push(['any other key', others])
  const rows = named.map(([name, member]) => {
    const isRequired = schema.required?.includes(name) && seen[0] === 'body'
    return row(
      name,
      { type: typeOf(member), limits: limitsOf(member), isRequired, note: noteOf(member) },
      insideOf(member, seen),
    )
  })
  return make('ul', { class: 'members' }, rows)
}

/** One field or parameter: name, type, limits, description and child attributes. */
export const row = (name, { type, limits, isRequired, note }, inside) =>
  make(
    'li',
    {},
    make('code', { class: 'name' }, name),
    ' ',
    make('span', { class: 'type' }, limits ? `${type} · ${limits}` : type),
    isRequired ? make('span', { class: 'must' }, ' required') : undefined,
    note ? make('div', { class: 'note' }, inline(note)) : undefined,
    inside ? make('details', {}, make('summary', {}, 'Fields'), inside) : undefined,
  )
