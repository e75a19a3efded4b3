import { CaseworkerError, type Procedure, type Process } from 'caseworker'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { formatValue, localTime, parseValue } from '../../src/admin/parts/attribute/value-text.ts'
import { isSame } from '../../src/admin/parts/form/same.ts'
import {
  buildBody,
  dataFields,
  differences,
  fieldNamed,
  toPointer,
  valueAt,
} from '../../src/admin/parts/process/fields.ts'
import { formatNumber } from '../../src/admin/parts/text/number-text.ts'
import {
  applyChange,
  changeIfUnmoved,
  fieldsIn,
  hasMoved,
  ProcessMoved,
} from '../../src/admin/process/change/changes.ts'
import { checkValue } from '../../src/procedure/values.ts'
import { HOUR_MS } from '../../src/time-units.ts'
import { attribute, definition } from './definition.ts'

type Type = Procedure['attributes'][number]['type']

/** A zone's clocks are put back: an hour is there twice, and an input can't say which is meant. */
const isTwice = (ms: number) => [1, -1].some(way => localTime(ms) === localTime(ms + way * HOUR_MS))
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('true', '12', '007', ' a ', 'two\nlines', '"quoted"', '{"a": 1}', '[1, 2]', 'null'),
)
const written = texts.filter(text => text.trim() !== '')
const times = fc.integer({ min: Date.UTC(1990), max: Date.UTC(2090) }).filter(ms => !isTwice(ms))
const days = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map(day => day.toISOString().slice(0, 10))
const clocks = fc.constantFrom('09:30', '23:59:59', '00:00:00.5')
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true })
const latitudes = fc.double({ min: -90, max: 90, noNaN: true })
const longitudes = fc.double({ min: -180, max: 180, noNaN: true })

const VALUES: Record<Exclude<Type, 'user'>, { of: fc.Arbitrary<unknown>; values?: (string | number)[] }> = {
  string: { of: written },
  text: { of: written },
  name: { of: written },
  email: { of: fc.emailAddress() },
  phone: { of: fc.constantFrom('919448300007', '+91 94483 00007') },
  url: { of: fc.webUrl() },
  photo: { of: fc.webUrl() },
  stringEnum: { of: fc.constantFrom('a', ' b', '1'), values: ['a', ' b', '1'] },
  integer: { of: fc.maxSafeInteger() },
  float: { of: numbers },
  integerEnum: { of: fc.constantFrom(1, -2), values: [1, -2] },
  floatEnum: { of: fc.constantFrom(1.5, 2), values: [1.5, 2] },
  boolean: { of: fc.boolean() },
  date: { of: fc.oneof(days, fc.integer()) },
  time: { of: fc.oneof(clocks, fc.integer()) },
  datetime: { of: times },
  datetimeISO8601: { of: times.map(ms => new Date(ms).toISOString()) },
  multiString: { of: fc.array(texts, { minLength: 1, maxLength: 4 }) },
  multiStringEnum: { of: fc.subarray(['a', ' b', 'c\nd', ''], { minLength: 1 }), values: ['a', ' b', 'c\nd', ''] },
  multiIntegerEnum: { of: fc.subarray([1, 20, -3], { minLength: 1 }), values: [1, 20, -3] },
  multiFloatEnum: { of: fc.subarray([0.5, 1e21, -3], { minLength: 1 }), values: [0.5, 1e21, -3] },
  multiPhoto: { of: fc.array(fc.webUrl(), { minLength: 1, maxLength: 3 }) },
  geolocation: {
    of: fc.oneof(fc.tuple(latitudes, longitudes), fc.record({ latitude: latitudes, longitude: longitudes })),
  },
  json: { of: fc.jsonValue({ maxDepth: 3 }) },
}

describe('an edited value', () => {
  test.each(Object.entries(VALUES))(
    'is the same afterwards if its text is, for the type %s',
    (type, { of, values }) => {
      const declared = attribute('x', { type: type as Type, ...(values && { values }) })
      let seen = 0
      fc.assert(
        fc.property(of, value => {
          const checked = checkValue(declared, value)
          if ('fault' in checked) return
          seen += 1
          expect(parseValue(declared, formatValue(declared, checked.value))).toEqual(
            JSON.parse(JSON.stringify(checked.value)),
          )
        }),
      )
      expect(seen).toBeGreaterThan(5)
    },
  )

  test('is empty if its text is blank, and is sent as typed if it does not fit: the API says why', () => {
    for (const type of Object.keys(VALUES) as Type[]) expect(parseValue({ type }, ' \n ')).toBeNull()
    const typed = (type: Type, text: string) => parseValue({ type }, text)
    expect([typed('integer', '007'), typed('integer', 'many'), typed('float', '1,5')]).toEqual(['007', 'many', '1,5'])
    expect([typed('boolean', 'maybe'), typed('datetime', 'soon'), typed('json', '{a}')]).toEqual([
      'maybe',
      'soon',
      '{a}',
    ])
    expect([typed('geolocation', '12.9, 77.6'), typed('geolocation', '1-2, 3'), typed('geolocation', 'Pune')]).toEqual([
      [12.9, 77.6],
      '1-2, 3',
      'Pune',
    ])
  })

  test('is the stored one on a day on which the clocks change', () => {
    for (const text of ['2026-03-08T06:59:00Z', '2026-03-08T07:00:00Z', '2026-11-01T08:00:00Z']) {
      const ms = Date.parse(text)
      expect(parseValue({ type: 'datetime' }, formatValue({ type: 'datetime' }, ms))).toBe(ms)
    }
  })
})

test('a missing value and null are one value to the API, and nothing else is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(isSame(one, structuredClone(one))).toBe(true)
      expect(isSame(one, other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
  )
  expect([isSame(undefined, null), isSame('', null), isSame(0, null), isSame(false, null)]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

const processWith = (data: Process['data'], more: Partial<Process> = {}): Process =>
  ({
    ...({ status: 'OPEN', state: 'OPEN', assignedTo: null, nextActionAt: null, record: null } as Partial<Process>),
    ...more,
    data,
  }) as Process
const toData = fc.dictionary(fc.constantFrom('city', 'score', 'a/b', 'a~b', 'state'), fc.jsonValue({ maxDepth: 1 }))
const changes = fc.record(
  { state: fc.constantFrom('OPEN', 'DONE'), nextActionAt: fc.option(fc.nat()), data: toData },
  { requiredKeys: [] },
)

test('the preview of a change has the new value of each field that it names, and the old one of all others', () => {
  fc.assert(
    fc.property(toData, changes, (data, change) => {
      const shown = processWith(data)
      const changed = applyChange(shown, change)
      const named = fieldsIn(change)
      for (const { name, value } of named) expect(valueAt(changed, name)).toEqual(value)
      const names = new Set(named.map(({ name }) => name))
      for (const name of ['status', 'state', 'assignedTo', ...Object.keys(data).map(each => `data.${each}`)])
        if (!names.has(name)) expect(valueAt(changed, name)).toEqual(valueAt(shown, name))
      expect(shown).toEqual(processWith(data))
    }),
  )
})

test('a process counts as changed only if somebody else has changed a field that the reader is about to change', () => {
  const shown = processWith({ city: 'Pune', score: 1 })
  const now = processWith({ city: 'Goa', score: 1 }, { state: 'DONE' })
  expect(hasMoved(shown, now, { data: { city: 'Agra' } })).toBe(true)
  expect(hasMoved(shown, now, { state: 'OPEN' })).toBe(true)
  expect(hasMoved(shown, now, { data: { score: 2 } })).toBe(false)
  expect(hasMoved(shown, now, { assignedTo: 'meera' })).toBe(false)
  expect(hasMoved(processWith({}), processWith({ city: null }), { data: { city: 'Pune' } })).toBe(false)
})

describe('a change of a cell, while others are changed,', () => {
  const shown = processWith({ city: 'Pune', score: 1 })
  const refusal = new CaseworkerError({
    code: 'precondition_failed',
    status: 412,
    errors: [{ code: 'precondition_failed', message: 'it was changed' }],
    operation: 'updateProcessById',
  })
  /** The versions that are read one after the other, each of which but the last was replaced before the change came. */
  const changeWhile = async (...versions: Process[]) => {
    const sent: (string | undefined)[] = []
    let reads = 0
    const changed = changeIfUnmoved(
      shown,
      { data: { city: 'Agra' } },
      {
        read: async () => ({ process: versions[reads++] ?? shown, tag: String(reads) }),
        async update(tag) {
          sent.push(tag)
          if (reads < versions.length) throw refusal
          return applyChange(versions[reads - 1] ?? shown, { data: { city: 'Agra' } })
        },
      },
    )
    return { sent, outcome: await changed.then(({ data }) => data, String) }
  }

  it('is made on the newest version, if they are other fields', async () => {
    expect(await changeWhile(shown, processWith({ city: 'Pune', score: 2 }))).toEqual({
      sent: ['1', '2'],
      outcome: { city: 'Agra', score: 2 },
    })
  })

  it('is not made on what the reader never saw, and not tried for ever', async () => {
    const moved = { sent: ['1'], outcome: String(new ProcessMoved(shown)) }
    expect(await changeWhile(shown, processWith({ city: 'Goa', score: 1 }))).toEqual(moved)
    expect(await changeWhile(...Array.from({ length: 9 }, () => shown))).toEqual({
      sent: ['1', '2', '3'],
      outcome: String(refusal),
    })
  })
})

test('the differences of two versions are the fields whose values differ, and taking them over leaves none', () => {
  fc.assert(
    fc.property(toData, toData, fc.constantFrom('OPEN', 'DONE'), (data, other, state) => {
      const [from, to] = [processWith(data), processWith(other, { state })]
      const found = differences(from, to)
      for (const { path, from: before, to: after } of found) {
        expect(isSame(before, after)).toBe(false)
        expect([valueAt(from, path), valueAt(to, path)]).toEqual([before, after])
      }
      const mended = found.reduce((process, { path, to: value }) => applyChange(process, buildBody(path, value)), from)
      expect(differences(mended, to)).toEqual([])
      expect(found.length === 0).toBe(differences(to, from).length === 0)
    }),
  )
})

test('a field is found in the form where the API says that it is wrong', () => {
  expect(['state', 'data.city', 'data.a/b', 'data.a~b'].map(toPointer)).toEqual([
    '/body/state',
    '/body/data/city',
    '/body/data/a~1b',
    '/body/data/a~0b',
  ])
})

test('undeclared attributes of a process are shown after the declared ones, and marked as such', () => {
  const fields = dataFields(definition(), { city: 'Pune', note: 'x', more: { a: 1 } })
  expect(fields.map(({ path, isDeclared }) => [path, isDeclared])).toEqual([
    ['data.lead_id', true],
    ['data.city', true],
    ['data.score', true],
    ['data.note', false],
    ['data.more', false],
  ])
  expect(fields.slice(3).map(each => each.attribute.type)).toEqual(['string', 'json'])
  expect([fieldNamed(definition(), 'record').label, fieldNamed(definition(), 'data.gone').label]).toEqual([
    'Customer',
    'gone',
  ])
})

test('numbers are grouped by one rule, whatever their type, and lose no digit', () => {
  const digits = (value: number) => formatNumber(value).replace(/[^\d.-]/g, '')
  expect([2026, 3301, 9999].map(formatNumber)).toEqual(['2026', '3301', '9999'])
  expect(formatNumber(248_100)).not.toBe('248100')
  for (const value of [0.1, 12.345678, 248_100, 1_000_000.25, -10_000.5]) expect(digits(value)).toBe(String(value))
})
