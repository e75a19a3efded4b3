import { expect, it } from 'vitest'
import { createCache } from '../src/cache.ts'

it('a cache holds a bounded number of bytes, and drops what was used longest ago', () => {
  const cache = createCache<string>(5_000, text => text.length)
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, key.repeat(1_000))
  expect(cache.get('a')).toBeDefined()
  cache.set('e', 'e'.repeat(1_000))
  const held = () => ['a', 'b', 'c', 'd', 'e'].filter(key => cache.get(key) !== undefined)
  expect(held()).toEqual(['a', 'c', 'd', 'e'])
  // A value that is too large by itself does not push the others out; it replaces the earlier one.
  cache.set('c', 'c'.repeat(6_000))
  expect(held()).toEqual(['a', 'd', 'e'])
  cache.set('a', 'a')
  cache.delete('d')
  for (let n = 0; n < 2; n++) cache.set(`f${n}`, 'f'.repeat(1_500))
  expect(held()).toEqual(['a', 'e'])
})
