import fc from 'fast-check'
import { type ImportMode, proposeTargets } from 'import-file/columns'
import { createRowChecker } from 'import-file/faults'
import { findHeaderFault } from 'import-file/header'
import { expect, test } from 'vitest'
import { targetOptions, targetsFault } from '../../src/admin/process/import/columns.ts'
import { attribute, definition } from './definition.ts'

const MODES: readonly ImportMode[] = ['create', 'update', 'upsert']
const lead = definition({
  attributes: [
    attribute('lead_id', { name: 'Lead', required: true }),
    attribute('phone_number', { name: 'Phone', type: 'phone' }),
    attribute('city', { name: 'City' }),
  ],
})
const columnNames = fc.oneof(
  fc.constantFrom('id', 'isDeleted', 'status', 'State', 'createdAt', 'team', 'record.name', 'record.city', 'record.'),
  fc.constantFrom(
    'constructor',
    'toString',
    '__proto__',
    '_error',
    '',
    'Lead ID',
    'lead_id',
    'LEAD-ID',
    'city',
    'Phone',
  ),
  fc.string({ maxLength: 6 }),
)
const modes = fc.constantFrom(...MODES)

test('each target is offered once for a column', () => {
  fc.assert(
    fc.property(columnNames, fc.boolean(), (column, strict) => {
      for (const mode of MODES) {
        const places = targetOptions({ ...lead, strict }, mode, column).map(({ value }) => value)
        expect(places).toEqual([...new Set(places)])
      }
    }),
    { numRuns: 300 },
  )
})

test('every target that is offered accepts the values of the column', () => {
  fc.assert(
    fc.property(columnNames, modes, (column, mode) => {
      for (const { value } of targetOptions(lead, mode, column).filter(each => each.value !== '')) {
        const read = createRowChecker({ procedure: lead, mode, targets: [value], header: [column], separator: ',' })
        const { update, ...item } = read({ line: 2, cells: ['x'] }).item
        expect(Object.keys({ ...item, ...(update as object | undefined) }), value).not.toEqual([])
      }
    }),
  )
})

test('proposed targets are among those offered, and no two columns have the same', () => {
  fc.assert(
    fc.property(fc.array(columnNames, { maxLength: 6 }), modes, (header, mode) => {
      const targets = proposeTargets(lead, mode, header)
      const used = targets.filter(target => target !== '')
      expect(used).toEqual([...new Set(used)])
      expect(targets).toHaveLength(header.length)
      for (const [at, target] of targets.entries())
        expect(targetOptions(lead, mode, header[at] ?? '').map(({ value }) => value)).toContain(target)
    }),
  )
})

test.each([
  ['by its short id', 'lead_id', 'lead_id'],
  ['by its name', 'phone', 'phone_number'],
  ['whatever case, spaces and hyphens it has', 'LEAD-ID', 'lead_id'],
  ['as a field', 'Next action', 'nextActionAt'],
  ['to the customer, however it is written', 'Customer name', 'record.name'],
  ['to the customer’s name, if it is called Customer', 'Customer', 'record.name'],
  ['nowhere, if the API alone sets it', 'createdAt', ''],
  ['nowhere, if it is a note of an earlier import', '_error', ''],
  ['nowhere, if nothing is called so', 'nickname', ''],
])('a column of a file goes %s', (_, column, target) => {
  expect(proposeTargets(lead, 'create', [column])).toEqual([target])
})

test('a column Status is the state where most of its cells are states, and the status otherwise', () => {
  const rows = (...cells: string[]) => cells.map(cell => ({ cells: [cell] }))
  const target = (header: string[], ...cells: string[]) => proposeTargets(lead, 'create', header, rows(...cells))
  expect(target(['Status'], 'Done', 'open', 'Waiting')).toEqual(['state'])
  expect(target(['Status'], 'CANCELLED', 'COMPLETED', 'OPEN')).toEqual(['status'])
  expect(target(['Status'], '', '')).toEqual(['status'])
  expect(target(['status'], 'Done', 'open')).toEqual(['status'])
  expect(target(['Status', 'State'], 'Done', 'Open')).toEqual(['status', 'state'])
})

test('a column with exactly the name goes before one with a similar name', () => {
  expect(proposeTargets(lead, 'create', ['Lead ID', 'lead_id'])).toEqual(['', 'lead_id'])
})

test('a repeated heading is refused, unless both columns were given a target', () => {
  const fault = (targets: string[], ...header: string[]) => targetsFault(lead, 'create', targets, { header })
  const twice = 'The header: "City" stands there twice, as column 2 and as column 3.'
  expect(fault(['lead_id', 'city', ''], 'lead_id', 'City', 'City')).toBe(twice)
  expect(fault(['lead_id', 'city', 'phone_number'], 'lead_id', 'City', 'City')).toBeUndefined()
  expect(fault(['lead_id', '', 'city'], 'lead_id', 'City', 'Place')).toBeUndefined()
  expect(fault(['lead_id', '', ''], 'lead_id', '_error', '_error')).toBeUndefined()
  expect(fault(['lead_id', 'record.name', ''], 'lead_id', 'record.name', 'Customer')).toBe(
    'The header: "record.name", column 2, and "Customer", column 3, are both record.name.',
  )
})

test('a value that does not fit the chosen targets is described in a sentence', () => {
  expect(targetsFault(lead, 'create', ['', ''])).toBe('No column goes anywhere yet.')
  expect(targetsFault(lead, 'create', ['city', ''])).toBe('No column is Lead, which a new process needs.')
  expect(targetsFault(lead, 'update', ['city'])).toMatch(/^No column says which process a row is about: .*\.$/)
  expect(targetsFault(lead, 'upsert', ['lead_id', 'city'])).toBeUndefined()
  for (const mode of MODES) {
    const used = ['lead_id', 'city']
    expect(targetsFault(lead, mode, ['', ...used])).toBe(findHeaderFault(lead, used, mode))
  }
})
