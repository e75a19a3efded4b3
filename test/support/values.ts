import fc from 'fast-check'
import type { AttributeType } from '../../src/procedure/model.ts'
import { ATTRIBUTE_TYPES } from '../../src/procedure/model.ts'
import { sentText, storableText } from './unicode.ts'

// Values that callers send for attributes of each type: right ones, nearly right ones, and those of another type.

export const TYPES = Object.keys(ATTRIBUTE_TYPES) as AttributeType[]
/** The types whose values are the same in each team: a user belongs to one team. */
export const TEAMLESS_TYPES = TYPES.filter(type => type !== 'user')

export const ENUM_VALUES: Partial<Record<AttributeType, (string | number)[]>> = {
  stringEnum: ['', 'a', 'B', '105', 'Pune', 'e\u0301', '😀'],
  multiStringEnum: ['a', 'B', '105', 'é', '\u202ea'],
  integerEnum: [0, 1, 105],
  multiIntegerEnum: [0, 1, -1, 105],
  floatEnum: [0.1, 105],
  multiFloatEnum: [-0.5, 0.1, 105],
}

const two = (most: number) => fc.integer({ min: 0, max: most }).map(number => String(number).padStart(2, '0'))
const year = fc.oneof(
  fc.constantFrom('2024', '2025', '2026', '1900', '2000'),
  fc.integer({ min: 0, max: 9_999 }).map(number => String(number).padStart(4, '0')),
)
const day = fc.tuple(year, two(13), two(32)).map(parts => parts.join('-'))
const fraction = fc.constantFrom('', '', '.5', '.123', '.123456', '.', '.1234567890123')
const clock = fc
  .tuple(two(25), two(61), fc.option(two(61), { freq: 2 }), fraction)
  .map(([hours, minutes, seconds, part]) => `${hours}:${minutes}${seconds === null ? '' : `:${seconds}${part}`}`)
const offset = fc.oneof(
  fc.constantFrom('Z', 'Z', '', '+05:30', '-0330', '+14:00', 'z', '+5', '+05:3', ' Z', '+05:60', '-24:00'),
  fc.tuple(fc.constantFrom('+', '-'), two(25), fc.constantFrom(':', ''), two(60)).map(parts => parts.join('')),
)
const moment = fc
  .tuple(day, fc.constantFrom('T', 'T', 'T', 'T', ' ', 't'), clock, offset)
  .map(([date, between, time, zone]) => `${date}${between}${time}${zone}`)

const digits = fc
  .array(fc.constantFrom(...'00112345678999'), { minLength: 1, maxLength: 18 })
  .map(characters => characters.join(''))
const numberText = fc
  .tuple(fc.constantFrom('', '', '-', '+'), digits, fc.option(digits, { freq: 2 }))
  .map(([sign, whole, part]) => `${sign}${whole}${part === null ? '' : `.${part}`}`)
const numbers = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 105, 105.5, 0.1, -0.5, 2 ** 53, 2 ** 53 - 1, -(2 ** 60), 1e21, 1.5e-7, 5e-324, 1e308),
  fc.integer({ min: -3, max: 200 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
)

const email = fc.oneof(
  fc.constantFrom('asha@example.com', 'a@b', '@b.c', 'a@b.c', 'a b@c.d', 'a@b@c.d', 'a@.c', 'a@b.', 'ä@ö.de', 'a@b..c'),
  fc
    .tuple(storableText(3), fc.constantFrom('@', '@', '@@', ''), storableText(3), storableText(2))
    .map(([name, at, host, top]) => `${name}${at}${host}.${top}`),
)
const phone = fc.oneof(
  fc.constantFrom(
    '+91 94483 00000',
    '919448300000',
    '0',
    '(030) 123-45',
    '9.19448E+11',
    '++49 30',
    '٠١٢٣٤٥',
    '+',
    '....',
  ),
  fc.array(fc.constantFrom(...'+0123456789 ()-.\u00a0'), { maxLength: 44 }).map(characters => characters.join('')),
)
const url = fc.oneof(
  fc.constantFrom(
    'https://example.com',
    'HTTP://EXAMPLE.com/ä?q=😀',
    'ftp://a.b',
    'http://',
    'https:/a',
    'http://a b',
    '',
  ),
  storableText(5).map(part => `https://example.com/${part}`),
  storableText(4).map(host => `http://${host}`),
)

const place = fc.oneof(
  fc.tuple(fc.integer({ min: -92, max: 92 }), fc.double({ min: -181, max: 181, noNaN: true })).map(pair => [...pair]),
  fc.record({ latitude: numbers, longitude: fc.integer({ min: -181, max: 181 }) }),
  fc.constantFrom<unknown[]>([], [1], [1, 2, 3], ['1', 2], { latitude: 1 }, { latitude: 1, longitude: 2, more: 'x' }),
)

const nested = (depth: number): unknown => {
  let inner: unknown = 'in'
  for (let level = 0; level < depth; level++) inner = level % 2 === 0 ? [inner] : { a: inner }
  return inner
}
const documents = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(sentText(3), sentText(3), { maxKeys: 3 }),
  fc.constantFrom(nested(63), nested(64), nested(65), nested(70), JSON.parse('{"__proto__": {"x": 1}}') as unknown),
)

const texts = fc.oneof(
  { weight: 3, arbitrary: sentText(8) },
  fc.constantFrom(
    '',
    'a',
    'B',
    '105',
    'true',
    'null',
    '{}',
    'constructor',
    '__proto__',
    "it's",
    '%',
    '\\',
    'x'.repeat(1_001),
  ),
)

/** Values near to those of a type, or of it. */
const NEAR: Partial<Record<AttributeType, fc.Arbitrary<unknown>>> = {
  email,
  phone,
  url,
  date: fc.oneof(day, moment, fc.integer({ min: 20_260_101, max: 20_261_231 })),
  time: fc.oneof(clock, fc.nat({ max: 86_400_000 })),
  datetime: fc.oneof(moment, moment, numbers, numberText),
  datetimeISO8601: fc.oneof(moment, moment, day),
  boolean: fc.boolean(),
  geolocation: place,
  json: documents,
}

function nearTo(type: AttributeType): fc.Arbitrary<unknown> {
  const values = ENUM_VALUES[type]
  const fromValues =
    values && fc.constantFrom(...values, ...values.map(String), ...values.map(Number).filter(Number.isFinite))
  if (ATTRIBUTE_TYPES[type] === 'list') {
    const elements = fromValues ?? texts
    const stray = fc.oneof({ weight: 8, arbitrary: elements }, numbers, fc.constantFrom<unknown[]>(null, [], true))
    return fc.oneof(
      { weight: 3, arbitrary: fc.array(elements, { maxLength: 4 }) },
      { weight: 2, arbitrary: fc.array(stray, { maxLength: 4 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(100, 101, 1_000, 1_001).map(count => Array(count).fill(values?.[0] ?? 'a')),
      },
    )
  }
  if (fromValues) return fromValues
  return NEAR[type] ?? (ATTRIBUTE_TYPES[type] === 'number' ? fc.oneof(numbers, numberText) : texts)
}

/** Anything, whatever the type. */
const anything = fc.oneof(texts, numbers, numberText, fc.boolean(), documents, moment, place)

/** Generates the values for an attribute: mostly of its type. `null` is not a value. */
export const sentFor = (type: AttributeType): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: nearTo(type) }, { weight: 1, arbitrary: anything }).filter(each => each !== null)
