import { expect, it } from 'vitest'
import { simplifySchema } from '../../src/http/openapi/plain-schema.ts'

const CITY = { type: 'string' }

it('a plain schema of an object without fields allows any, and leaves closed objects alone', () => {
  expect(simplifySchema({ type: 'object' })).toEqual({ type: 'object', additionalProperties: true })
  expect(simplifySchema({ type: 'object', additionalProperties: {} })).toEqual({
    type: 'object',
    additionalProperties: true,
  })
  const closed = { type: 'object', additionalProperties: false }
  expect(simplifySchema(closed)).toEqual(closed)
  const open = { type: 'object', properties: { city: CITY } }
  expect(simplifySchema(open)).toEqual(open)
})

it('a plain schema has each of several types by itself', () => {
  expect(simplifySchema({ description: 'A time.', type: ['number', 'string'] })).toEqual({
    description: 'A time.',
    anyOf: [{ type: 'number' }, { type: 'string' }],
  })
})

it('a plain schema has named fields and the type of all others apart, with those that are required', () => {
  const schema = {
    description: 'A query.',
    type: 'object',
    properties: { city: CITY },
    required: ['city'],
    additionalProperties: { type: 'number' },
  }
  expect(simplifySchema(schema)).toEqual({
    description: 'A query.',
    allOf: [
      { type: 'object', properties: { city: CITY }, required: ['city'] },
      { type: 'object', additionalProperties: { type: 'number' } },
    ],
  })
})

it('a plain schema is made of fields, items, others and alternatives, and leaves values alone', () => {
  const free = { type: 'object' }
  const said = { type: 'object', additionalProperties: true }
  const made = simplifySchema({
    anyOf: [
      { type: 'array', items: free },
      { type: 'object', properties: { type: free } },
      { additionalProperties: free },
    ],
    examples: [free],
    default: free,
  })
  expect(made).toEqual({
    anyOf: [
      { type: 'array', items: said },
      { type: 'object', properties: { type: said } },
      { additionalProperties: said },
    ],
    examples: [free],
    default: free,
  })
})
