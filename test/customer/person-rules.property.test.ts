import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseEmail, normalisePhone } from '../../src/customer-record/identity-rules.ts'
import { toPersonFinder } from '../../src/customer-record/person-rules.ts'

const isNamed = (name: string | null, value: unknown): boolean => name !== null && toPersonFinder([name])(value)

const digits = fc.stringMatching(/^\d{1,8}$/)
const between = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '(0)',
    '(0) ',
    '-',
    '–',
    '\u2011',
    ',',
    '\t',
    '\r\n',
    '\\',
    '"',
    '/',
    '\u202c',
    ' ext. ',
    '٣',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
/** A number as anybody may write it. */
const spelling = fc
  .tuple(
    fc.constantFrom('', '+', '00', ' +', '0000'),
    fc.array(fc.tuple(digits, between), { minLength: 1, maxLength: 6 }),
    between,
  )
  .map(([before, parts, after]) => `${before}${parts.flat().join('')}${after}`)
  .filter(text => (normalisePhone(text) ?? '').length >= 6)
/** A spelling that a reader takes for one number within a text. */
const plainSpelling = fc
  .array(fc.tuple(digits, fc.constantFrom(' ', '-', '–', '\u2011', ',', '\t', '\r\n', ' / ', '.', '(0)', '')), {
    minLength: 2,
    maxLength: 6,
  })
  .map(parts => `+${parts.flat().join('')}1`)
  .filter(text => (normalisePhone(text) ?? '').length >= 6 && text.split('(0)').length <= 2)
/** What belongs to no word and to no address. */
const around = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\t', '"', '\\', "'", ',', '>', 'ς', 'n'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
})
const endsApart = (text: string): boolean => /(?<![\p{L}\p{N}._%+-])$/u.test(text)
const beginsApart = (text: string): boolean => /^(?![\p{L}\p{N}._-])/u.test(text)
const letters = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('a', 'ß', 'Σ', 'ς', 'İ', 'Ü', '"', '\\', '\n', '.', ' ', ':', 'ſ', 'K'),
    minLength: 1,
    maxLength: 8,
  }),
)
const address = fc.tuple(letters, letters).map(([name, host]) => `${name}@${host}`)
/** The same in an entry, wherever it stands. */
const entryWith = (text: unknown): fc.Arbitrary<unknown> =>
  fc.constantFrom([text], ['PROCESS_CREATE', { processCreate: { data: { note: text } } }], {
    list: ['x', { [String(text)]: null }],
  })

describe('an entry of an erased person is found', () => {
  it('by a number, in each spelling that makes it the number of a customer', () => {
    fc.assert(
      fc.property(
        spelling.chain(text => fc.tuple(fc.constant(text), entryWith(text))),
        ([text, entry]) => isNamed(normalisePhone(text), entry),
      ),
      { numRuns: 1_000 },
    )
  })

  it('by a number that is a number of JSON', () => {
    const numbers = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    fc.assert(
      fc.property(
        numbers.filter(value => (normalisePhone(value) ?? '').length >= 6),
        value => isNamed(normalisePhone(value), [value]),
      ),
    )
  })

  it('by a number within a text', () => {
    fc.assert(
      fc.property(plainSpelling, around, around, (text, before, after) => {
        fc.pre(!/\d$/.test(before) && !/^\d/.test(after))
        return isNamed(normalisePhone(text), [before + text + after])
      }),
      { numRuns: 1_000 },
    )
  })

  it('by an address or an id in whatever case, whatever stands around it', () => {
    const names = fc.oneof(address, fc.uuid())
    const inCase = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toUpperCase(),
    )
    fc.assert(
      fc.property(names, inCase, around, around, (sent, change, before, after) => {
        const name = normaliseEmail(sent) ?? sent
        // Some letters have no capital of their own: as one, they are another address.
        const written = change(sent)
        fc.pre((normaliseEmail(written) ?? written.toLowerCase()) === name)
        fc.pre(endsApart(before) && beginsApart(after))
        return isNamed(name, [before + written + after])
      }),
      { numRuns: 300 },
    )
  })
})

describe('an entry of others is not found', () => {
  it('by a part of a longer number', () => {
    const number = fc.stringMatching(/^[1-9]\d{5,14}$/)
    fc.assert(
      fc.property(number, fc.stringMatching(/^\d{0,3}$/), fc.stringMatching(/^\d{0,3}$/), (own, before, after) => {
        const other = before + own + after
        fc.pre(normalisePhone(other) !== own && other.split(own).length === 2)
        return !isNamed(own, [other, `call ${other}`])
      }),
    )
  })

  it('by a part of a longer address', () => {
    for (const other of [
      'joann@acme.de',
      'jo-ann@acme.de',
      'ann@acme.de.example',
      'ann@acme.deutsch',
      'x\nu.ann@acme.de',
    ])
      expect([other, isNamed('ann@acme.de', [other])]).toEqual([other, false])
  })

  it('by digits that stand in several texts', () => {
    expect(isNamed('491701234567', ['49170', 1234567, { 49170: 1234567 }, '49170', '1234567'])).toBe(false)
  })
})
