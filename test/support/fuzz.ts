import { document, type Operation } from './document.ts'
import type { Random } from './random.ts'

/** The part of JSON Schema that the document uses. */
interface Schema {
  $ref?: string
  type?: string | string[]
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  format?: string
}

const LONG = 3_000
const NESTED = 400
/** Texts that break careless code. */
export const NASTY_TEXTS = [
  ...[
    '',
    ' ',
    '\0',
    '\u202e',
    '\ud800',
    '💥',
    'é'.repeat(40),
    'ﷺ',
    'İ',
    'ß',
    '\n\r\t',
    '%',
    '%25',
    '%E0%A4%A',
    '..',
    '../..',
    '/',
    '\\',
  ],
  ...[
    "'",
    '"',
    '`',
    "'; DROP TABLE process; --",
    '" OR 1=1',
    '$' + '{7*7}',
    '{{7*7}}',
    '<script>',
    '$.x',
    '?1',
    ':x',
    '$[0]',
    'data.x',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
    'true',
    '0',
    '-0',
    '1e999',
    '007',
    'and',
    'or',
    'id',
  ],
  ...['x'.repeat(LONG), '💥'.repeat(LONG / 2), '9'.repeat(400)],
]
export const NASTY_VALUES: unknown[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 63, 1_795_276_206, 1_795_276_206_000],
  ...[[], {}, [[]], [null], { '': '' }, { $ref: '#' }, JSON.parse('{"__proto__": {"x": 1}}') as unknown],
  ...[Array.from({ length: 1_200 }, (_, index) => index), nested(NESTED)],
  ...NASTY_TEXTS,
]

function nested(depth: number): unknown {
  let inner: unknown = 1
  for (let level = 0; level < depth; level++) inner = level % 2 === 0 ? [inner] : { and: [inner] }
  return inner
}

const resolve = ({ $ref = '' }: Schema): Schema =>
  (document.components.schemas as Record<string, Schema>)[$ref.split('/').at(-1) ?? ''] ?? {}

/** A value that a schema allows, more or less. */
function makeSample(schema: Schema, random: Random, depth = 0): unknown {
  if (schema.$ref !== undefined) return depth > 6 ? undefined : makeSample(resolve(schema), random, depth + 1)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return makeSample(random.pick(alternatives), random, depth + 1)
  if (schema.allOf !== undefined) return getObject(Object.assign({}, ...schema.allOf), random, depth)
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
  if (type === 'object') return getObject(schema, random, depth)
  if (type === 'array') {
    const most = depth > 3 ? 1 : Math.min(schema.maxItems ?? 4, 4)
    const items = Array.from({ length: random.whole(Math.min(schema.minItems ?? 0, most), most) }, () =>
      makeSample(schema.items ?? {}, random, depth + 1),
    )
    return items.filter(each => each !== undefined)
  }
  if (type === 'string') return getText(schema, random)
  if (type === 'integer')
    return random.whole(Math.max(schema.minimum ?? 0, 0), Math.min(schema.maximum ?? 10_000, 10_000))
  if (type === 'number') return random.pick([0, 1, -3.25, 105, random.whole(0, 1_000), 1_795_276_206_000])
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'null') return null
  return random.pick(['free', 105, true, null, ['a', 'b'], { inner: 1 }])
}

const WORDS = [
  'lead_id',
  'city',
  'score',
  'source',
  'undeclared',
  'status',
  'state',
  'assignedTo',
  'createdAt',
  'nextActionAt',
]

function getObject({ properties = {}, required = [], additionalProperties }: Schema, random: Random, depth: number) {
  const members = Object.entries(properties)
    .filter(([name]) => required.includes(name) || random.chance(0.6))
    .map(([name, member]): [string, unknown] => [name, makeSample(member, random, depth + 1)])
  const free =
    additionalProperties === false ? [] : Array.from({ length: random.whole(0, 3) }, () => random.pick(WORDS))
  const others = free.map((name): [string, unknown] => [
    name,
    makeSample(typeof additionalProperties === 'object' ? additionalProperties : {}, random, depth + 1),
  ])
  return Object.fromEntries([...members, ...others].filter(([, value]) => value !== undefined))
}

function getText({ pattern, format, minLength = 0, maxLength = LONG }: Schema, random: Random): string {
  const word = Array.from({ length: 8 }, () => random.pick([...'abcdefghijklmnopqrstuvwxyz'])).join('')
  if (format === 'uuid') return '01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f'
  const candidates = [word, `${word}@acme.example`, '+0530', '1795276206000', '1', '2026-11-21T20:20:06+05:30']
  const fitting = candidates.filter(each => pattern === undefined || new RegExp(pattern).test(each))
  const text = fitting.length === 0 ? word : random.pick(fitting)
  return text.padEnd(minLength, 'x').slice(0, maxLength)
}

/** The same with one thing wrong, somewhere in it. */
export function broken(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.25)) return random.pick(NASTY_VALUES)
  if (Array.isArray(value)) {
    if (value.length === 0) return [random.pick(NASTY_VALUES)]
    const at = random.whole(0, value.length - 1)
    return value.map((each, index) => (index === at ? broken(each, random) : each))
  }
  const entries = Object.entries(value)
  if (entries.length === 0 || random.chance(0.2))
    return { ...value, [random.pick(NASTY_TEXTS)]: random.pick(NASTY_VALUES) }
  const at = random.whole(0, entries.length - 1)
  if (random.chance(0.2)) return Object.fromEntries(entries.filter((_, index) => index !== at))
  return Object.fromEntries(entries.map(([name, each], index) => [name, index === at ? broken(each, random) : each]))
}

const NOT_UTF8 = new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])
/** A body larger than most routes accept. */
const HUGE = JSON.stringify({ data: { note: 'x'.repeat(1_100_000) } })

/** The body of a request: as the example, as the schema, with a mistake in it, or no JSON at all. */
export function makeBody(
  { requestBody }: Operation,
  random: Random,
  personal: (body: unknown) => unknown,
): string | Uint8Array<ArrayBuffer> | undefined {
  const [media] = Object.values(requestBody?.content ?? {})
  if (media === undefined) return undefined
  const example = personal(structuredClone(media.example))
  if (random.chance(0.45)) return JSON.stringify(example)
  const made = makeSample(media.schema as Schema, random)
  if (random.chance(0.3)) return JSON.stringify(personal(made))
  if (random.chance(0.85)) return JSON.stringify(broken(random.chance(0.5) ? example : made, random))
  return random.pick([
    ...['', '{', 'null', '"text"', '[]', '{"a":1}}', '\ufeff{}', 'a=b', '[['.repeat(5_000), '{"a":'.repeat(5_000)],
    ...[JSON.stringify(made)?.slice(0, -2) ?? '', HUGE, NOT_UTF8],
  ])
}
