import { expect, it, vi } from 'vitest'
import { find } from '../../src/docs/site/docs/find.js'
import { fetchWorker } from '../support/api.ts'

// Anybody may ask, without a token: what a query costs must not grow with its length. Words looked for are counted, not
// milliseconds.

const ENTRIES = Array.from({ length: 50 }, (_, nth) => ({
  ...{ kind: 'guide' as const, title: `Title ${nth}`, where: 'Guide', href: `/docs/${nth}` },
  text: `Text ${'abcdefghijklmnopqrstuvwxyz'.split('').join(' ')} of entry ${nth}`,
}))

/** How many times a text is looked through for a query. */
function looksOf(query: string): number {
  const looks = [
    vi.spyOn(String.prototype, 'indexOf'),
    vi.spyOn(String.prototype, 'includes'),
    vi.spyOn(RegExp.prototype, 'test'),
    vi.spyOn(String.prototype, 'toLowerCase'),
  ]
  find(ENTRIES, query, 40)
  const sum = looks.reduce((all, { mock }) => all + mock.calls.length, 0)
  for (const look of looks) look.mockRestore()
  return sum
}

const TEN = 'a b c d e f g h i j'
/** 16 kB of words of one letter, and of words that are all different. */
const LONG = [`${TEN} `.repeat(800), Array.from({ length: 4_500 }, (_, nth) => nth.toString(36)).join(' ')]

it('a query of 16 kB looks for no more words than one of ten', () => {
  find(ENTRIES, TEN, 1)
  const ofTen = looksOf(TEN)
  expect(ofTen).toBeGreaterThan(ENTRIES.length)
  for (const long of LONG) {
    expect(long.length).toBeGreaterThan(10_000)
    expect(looksOf(long)).toBeLessThanOrEqual(ofTen)
  }
})

it('the texts that are searched are made small once', () => {
  find(ENTRIES, 'text', 1)
  const spy = vi.spyOn(String.prototype, 'toLowerCase')
  find(ENTRIES, 'text', 1)
  const calls = spy.mock.calls.length
  spy.mockRestore()
  expect(calls).toBe(1)
})

const page = async (query: string) => (await fetchWorker(`/docs/search?q=${encodeURIComponent(query)}`)).text()
const results = (html: string) =>
  [...(html.split('class="results"')[1] ?? '').matchAll(/<li><a href="([^"]+)"/g)].map(([, href]) => href)

it('what stands behind the bounds is not looked for: not the 201st character, and not the eleventh word', async () => {
  const expected = results(await page('restore process'))
  expect(expected.length).toBeGreaterThan(0)
  expect(results(await page(`restore process${' '.repeat(185)}zebra`))).toEqual(expected)
  expect(results(await page('restore process '.repeat(1_000)))).toEqual(expected)
  expect(await page('x'.repeat(16_000))).not.toContain('x'.repeat(201))
})
