import type { Config } from 'caseworker'
import { expect, test, vi } from 'vitest'
import { ATTRIBUTE_TYPES } from '../../src/admin/parts/attribute/types.ts'
import { listOperators } from '../../src/admin/process/filter/fields.ts'
import {
  buildQuery,
  newGroup,
  newKey,
  type Operator,
  type RuleValue,
} from '../../src/admin/process/filter/filter-tree.ts'
import { attribute, definition } from './definition.ts'

interface Rules {
  parseFilter: (
    where: unknown,
    procedure: typeof KNOWN,
    names: { users: Map<string, string>; now: () => number },
  ) => { faults: object[] }
  UpdateProcess: { parse: (body: unknown) => unknown }
  planChange: (procedure: typeof KNOWN, sent: unknown) => { faults: object[] }
}
// These are not imported: they need types of the Worker, which the pages are not compiled with.
const RULES = import.meta.glob<Partial<Rules>>(
  ['../../src/process/query/read/filter.ts', '../../src/process/rules.ts', '../../src/process/schema.ts'],
  { eager: true },
)
const { parseFilter, UpdateProcess, planChange } = Object.assign({}, ...Object.values(RULES)) as Rules

// The names of users are read from the API at the page's own address.
vi.stubGlobal('location', { origin: 'http://localhost' })
const { listFilterFields } = await import('../../src/admin/process/filter/fields.ts')
const { changeableFields, buildUpdate } = await import('../../src/admin/process/bulk/field-changes.ts')
type FilterField = ReturnType<typeof listFilterFields>[number]

const USER = '01935c1e-5a00-7001-8f00-2b7d1c9e4a55'
const USERS = [{ id: USER, username: 'meera', displayName: '', isActive: true }] as unknown as Config['users']
const VALUES = { stringEnum: ['a', 'b'], integerEnum: [1, 2], floatEnum: [1.5] }
const ENUMS: Record<string, (string | number)[]> = {
  ...VALUES,
  multiStringEnum: VALUES.stringEnum,
  multiIntegerEnum: VALUES.integerEnum,
  multiFloatEnum: VALUES.floatEnum,
}
const PROCEDURE = definition({
  attributes: ATTRIBUTE_TYPES.map(type =>
    attribute(`of_${type}`, { type, required: type === 'email', ...(ENUMS[type] ? { values: ENUMS[type] } : {}) }),
  ),
  primaryKey: 'of_string',
})
const REQUIRED = 'of_email'
/** The procedure as the server has it. */
const KNOWN = { ...PROCEDURE, no: 1, version: 1, slots: {} }

/** The values of the input for each kind of field. */
const TYPED: Record<FilterField['kind'], readonly RuleValue[]> = {
  text: ['Pune'],
  exact: [USER],
  number: [7],
  moment: ['2026-11-22T12:00:00.000Z'],
  date: ['2026-11-22'],
  time: ['09:30'],
  boolean: [true],
  choice: ['a'],
  list: ['one', 'another'],
  presence: [],
}

/** Values for types that few texts fit. */
const FITTING: Record<string, readonly RuleValue[]> = {
  of_email: ['asha@example.com'],
  of_phone: ['919448300007'],
  of_url: ['https://example.com'],
  of_photo: ['https://example.com/a.jpg'],
  of_datetimeISO8601: ['2026-11-22T12:00:00.000Z'],
}

function valuesFor({ id, kind, choices, isNumeric }: FilterField): readonly RuleValue[] {
  if (choices) return choices.map(({ value }) => (isNumeric ? Number(value) : value))
  const fitting = FITTING[id]
  if (fitting) return fitting
  if (id === 'record.phone') return ['+91 94483 00007']
  if (id === 'record.email') return ['asha@example.com']
  return TYPED[kind]
}

const OFFERED = listFilterFields(PROCEDURE, USERS).flatMap(field =>
  listOperators(field).map(({ value }) => ({ field, operator: value })),
)

test('every field of a process has conditions to be found by', () => {
  const found = new Set(OFFERED.map(({ field }) => field.id))
  expect([...found].sort()).toEqual(
    listFilterFields(PROCEDURE, USERS)
      .map(({ id }) => id)
      .sort(),
  )
  expect(OFFERED.length).toBeGreaterThan(100)
})

test.each(OFFERED.map(({ field, operator }) => [field.id, operator, field] as const))(
  'the condition on %s by %s that the filter builder offers is one that the API takes',
  (id, operator: Operator, field) => {
    const where = buildQuery(newGroup('and', [{ key: newKey(), field: id, operator, values: valuesFor(field) }]))
    expect(where).toBeDefined()
    expect(parseFilter(where, KNOWN, { users: new Map([[USER, USER]]), now: Date.now }).faults).toEqual([])
  },
)

const CHANGEABLE = changeableFields(PROCEDURE, USERS)

test('all attributes can be changed in bulk except the primary key and large ones', () => {
  const ids = CHANGEABLE.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(['state', 'status', 'assignedTo', 'nextActionAt', REQUIRED]))
  for (const id of ['of_string', 'of_json', 'of_geolocation', 'of_multiString', 'createdAt', 'record'])
    expect(ids).not.toContain(id)
})

test.each(CHANGEABLE.map(field => [field.id, field] as const))(
  'each value of %s that a bulk change offers is one that the API accepts, and empty where it may be',
  (id, field) => {
    const offered = FITTING[id] ?? valuesFor(field)
    expect(offered.length).toBeGreaterThan(0)
    for (const value of field.mayBeUnset ? [...offered, null] : offered) {
      const body = UpdateProcess.parse(buildUpdate([{ field: id, value }]))
      expect(planChange(KNOWN, body).faults, String(value)).toEqual([])
    }
  },
)

test('a required attribute can not be emptied', () => {
  expect(CHANGEABLE.find(({ id }) => id === REQUIRED)?.mayBeUnset).toBe(false)
})
