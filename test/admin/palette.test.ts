import type { Procedure, Process } from 'caseworker'
import { expect, test } from 'vitest'
import { buildProcessSearches, getProcessPerson, getTextKind } from '../../src/admin/shell/process-search.ts'

const ID = '01935c1e-5a00-7008-9b1c-3d4e5f6a7b8c'

type Attribute = Partial<Procedure['attributes'][number]>
const procedure = (shortId: string, primaryKey: string | null, ...attributes: Attribute[]): Procedure =>
  ({ shortId, name: shortId, primaryKey, attributes }) as unknown as Procedure

const NAME: Attribute = { shortId: 'guest', type: 'name', searchable: true }
const CODE: Attribute = { shortId: 'code', type: 'string', searchable: true }

test('a text in the palette is an id, an address, a number or a name', () => {
  expect(getTextKind(ID)).toBe('id')
  expect(getTextKind('asha@acme.example')).toBe('address')
  for (const number of ['+91 94483-00007', '+49 89/1234567']) expect(getTextKind(number)).toBe('number')
  for (const name of ['Asha', 'asha rao', '李明', 'Jo']) expect(getTextKind(name)).toBe('name')
  for (const text of ['', 'a', '@', '- -']) expect(getTextKind(text)).toBe('none')
})

test('the palette finds processes by their key, and by words where a name is searchable and indexed', () => {
  const visitor = procedure('visitor', null, NAME)
  const lead = procedure('lead', 'code', CODE, { ...NAME, shortId: 'full_name', type: 'string' })
  const building = procedure('building', null, { ...NAME, searchReady: false })
  const silent = procedure('silent', 'nr', { shortId: 'nr', type: 'integer' }, { ...NAME, searchable: false })
  const coded = procedure('coded', null, CODE)
  const all = [visitor, lead, building, silent, coded]
  expect(buildProcessSearches(all, 'asha').map(({ procedure: { shortId }, body }) => [shortId, body])).toEqual([
    ['lead', { where: { code: 'asha' }, limit: 1 }],
    ['visitor', { search: 'asha', limit: 3 }],
    ['lead', { search: 'asha', limit: 3 }],
  ])
  // A key has no spaces, and a number is a number.
  expect(buildProcessSearches(all, 'asha rao').map(({ body }) => body)).toEqual([
    { search: 'asha rao', limit: 3 },
    { search: 'asha rao', limit: 3 },
  ])
  expect(buildProcessSearches([silent], '42')).toEqual([{ procedure: silent, body: { where: { nr: 42 }, limit: 1 } }])
  expect(buildProcessSearches([silent, visitor], ID.toUpperCase()).map(({ body }) => body)).toEqual([
    { where: { id: ID }, limit: 1 },
    { where: { id: ID }, limit: 1 },
  ])
  expect(buildProcessSearches(all, '')).toEqual([])
})

test('the palette searches words in a few procedures, however many there are', () => {
  const many = Array.from({ length: 40 }, (_, nth) => procedure(`p${nth}`, null, NAME))
  expect(buildProcessSearches(many, 'asha')).toHaveLength(6)
})

test('the palette shows a process with its customer, or with the name in its own attributes', () => {
  const visitor = procedure('visitor', null, CODE, NAME)
  const process = (data: object, record: object | null) => ({ data, record }) as unknown as Process
  expect(getProcessPerson(visitor, process({ guest: 'Ingeborg' }, null))).toBe('Ingeborg')
  expect(getProcessPerson(visitor, process({ guest: 'I' }, { id: ID, data: { name: 'Asha' } }))).toBe('Asha')
  expect(getProcessPerson(visitor, process({ code: 'X', guest: '' }, null))).toBe(undefined)
})
