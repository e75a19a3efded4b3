import { expect, it } from 'vitest'
import { plainSchema } from '../../src/http/openapi/plain-schema.ts'

const CITY = { type: 'string' }

it('says of an object without fields that it may have any, and leaves closed ones alone', () => {
  expect(plainSchema({ type: 'object' })).toEqual({ type: 'object', additionalProperties: true })
  expect(plainSchema({ type: 'object', additionalProperties: {} })).toEqual({
    type: 'object',
    additionalProperties: true,
  })
  const closed = { type: 'object', additionalProperties: false }
  expect(plainSchema(closed)).toEqual(closed)
  const open = { type: 'object', properties: { city: CITY } }
  expect(plainSchema(open)).toEqual(open)
})

it('says each of several types by itself', () => {
  expect(plainSchema({ description: 'A time.', type: ['number', 'string'] })).toEqual({
    description: 'A time.',
    anyOf: [{ type: 'number' }, { type: 'string' }],
  })
})

it('says named fields and the type of all others apart, with what must be there beside the fields', () => {
  const schema = {
    description: 'A query.',
    type: 'object',
    properties: { city: CITY },
    required: ['city'],
    additionalProperties: { type: 'number' },
  }
  expect(plainSchema(schema)).toEqual({
    description: 'A query.',
    allOf: [
      { type: 'object', properties: { city: CITY }, required: ['city'] },
      { type: 'object', additionalProperties: { type: 'number' } },
    ],
  })
})

it('looks into fields, items, others and alternatives, and not into values', () => {
  const free = { type: 'object' }
  const said = { type: 'object', additionalProperties: true }
  const made = plainSchema({
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
