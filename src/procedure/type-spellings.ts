import type { AttributeType } from './model.ts'

/** Types of other APIs with the types that they mean here. It is a Map, because the word that was sent may be `constructor`. */
const SPELLINGS: ReadonlyMap<string, readonly AttributeType[]> = new Map([
  ['number', ['integer', 'float']],
  ['decimal', ['float']],
  ['double', ['float']],
  ['int', ['integer']],
  ['document', ['json']],
  ['object', ['json']],
  ['list', ['multiString']],
  ['array', ['multiString']],
  ['select', ['stringEnum']],
  ['choice', ['stringEnum']],
  ['multiselect', ['multiStringEnum']],
  ['timestamp', ['datetime']],
  ['location', ['geolocation']],
  ['place', ['geolocation']],
  ['image', ['photo']],
  ['file', ['photo']],
])

/** Suggests types for a word of another API; undefined if it is none. */
export function suggestTypes(word: unknown): string | undefined {
  const types = typeof word === 'string' ? SPELLINGS.get(word.toLowerCase().replaceAll(/[_-]/g, '')) : undefined
  return types && `did you mean ${types.map(type => JSON.stringify(type)).join(' or ')}?`
}
