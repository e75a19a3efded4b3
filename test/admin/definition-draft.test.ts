import type { Procedure } from 'caseworker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ATTRIBUTE_TYPES, isEnumType } from '../../src/admin/parts/attribute/types.ts'
import { definitionBody } from '../../src/admin/procedure/definition.ts'
import {
  createDraft,
  hasField,
  keyHint,
  moveItem,
  newAttribute,
  newState,
  removeState,
  renamePart,
  replaced,
  toAttributeId,
  toBody,
  toDraft,
  toProcedureId,
  toStateId,
  withCompletedState,
  withoutAttribute,
} from '../../src/admin/procedure/draft.ts'
import { findDefinitionFaults } from '../../src/procedure/definition-rules.ts'
import { PutProcedure } from '../../src/procedure/schema.ts'
import { attribute, definition } from './definition.ts'

const ids = (prefix: string, max: number) =>
  fc.uniqueArray(fc.nat({ max: 99 }), { minLength: 1, maxLength: max }).map(all => all.map(each => `${prefix}${each}`))
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(each => each + 0),
)
const getValues = (type: string): fc.Arbitrary<(string | number)[]> =>
  /string/i.test(type)
    ? fc.uniqueArray(fc.oneof(text, fc.constantFrom(' a', 'b ', 'c\nd', ' ', '["e"]', '1')), {
        minLength: 1,
        maxLength: 4,
      })
    : fc.uniqueArray(numbers, { minLength: 1, maxLength: 4 })

const attributes = ids('a', 6).chain(names =>
  fc.tuple(
    ...names.map(shortId =>
      fc.constantFrom(...ATTRIBUTE_TYPES).chain(type =>
        fc.record({
          shortId: fc.constant(shortId),
          name: text,
          type: fc.constant(type),
          required: fc.boolean(),
          indexed: fc.boolean(),
          ...(isEnumType(type) ? { values: getValues(type) } : {}),
        }),
      ),
    ),
  ),
)
const states = ids('S', 6).chain(names =>
  fc.tuple(
    ...names.map(shortId =>
      fc.record(
        {
          shortId: fc.constant(shortId),
          name: text,
          next: fc.uniqueArray(fc.constantFrom(...names)),
          status: fc.constantFrom('COMPLETED' as const, 'CANCELLED' as const),
          startsHere: fc.constant(false as const),
        },
        { requiredKeys: ['shortId', 'name'] },
      ),
    ),
  ),
)
const definitions: fc.Arbitrary<Procedure> = fc
  .record({ states, attributes, start: fc.nat(), end: fc.nat(), key: fc.nat(), strict: fc.boolean(), name: text })
  .map(({ start, end, key, ...rest }) => {
    const nth = <Part>(parts: readonly Part[], at: number) => parts[at % parts.length]
    return definition({
      ...rest,
      startState: nth(rest.states, start)?.shortId ?? '',
      completedState: nth(rest.states, end)?.shortId ?? '',
      primaryKey: nth([...rest.attributes, null], key)?.shortId ?? null,
      phoneAttribute: nth([null, ...rest.attributes], key)?.shortId ?? null,
    })
  })

/** Blank names are left to the API: it calls the thing by its short id. */
const named = ({ states, attributes, ...rest }: ReturnType<typeof definitionBody>) => ({
  ...rest,
  states: states.map(each => ({ ...each, name: each.name?.trim() ? each.name : undefined })),
  attributes: attributes?.map(each => ({ ...each, name: each.name?.trim() ? each.name : undefined })),
})

test('a definition that is opened in the editor and saved is the same', () => {
  fc.assert(
    fc.property(definitions, procedure => {
      expect(named(toBody(toDraft(procedure)))).toEqual(named(definitionBody(procedure)))
    }),
    { numRuns: 300 },
  )
})

const wholeBody = (draft: ReturnType<typeof toDraft>) => PutProcedure.parse(toBody(draft))
const listFaults = (draft: ReturnType<typeof toDraft>) => findDefinitionFaults('lead', wholeBody(draft))

test('a new procedure begins with a definition that the API accepts as soon as it has a name', () => {
  expect(listFaults({ ...createDraft(), name: 'Lead' })).toEqual([])
})

test('a draft refers to no state or attribute that was removed from it', () => {
  fc.assert(
    fc.property(definitions, fc.nat(), (procedure, nth) => {
      const draft = toDraft(procedure)
      const state = draft.states[nth % draft.states.length]
      const gone = draft.attributes[nth % draft.attributes.length]
      if (!state || !gone) return
      const left = withoutAttribute(draft.states.length > 1 ? removeState(draft, state) : draft, gone)
      const known = left.states.map(({ key }) => key)
      expect(known).toHaveLength(Math.max(1, draft.states.length - 1))
      for (const each of [left.startState, left.completedState, ...left.states.flatMap(({ next }) => next ?? [])])
        expect(known).toContain(each)
      expect([left.primaryKey, left.phoneAttribute]).not.toContain(gone.key)
      const of = toBody(left)
      expect(of.attributes?.map(({ shortId }) => shortId)).not.toContain(gone.shortId)
    }),
  )
})

test('a draft without its start state begins with the first one that is left, and without its completed state ends with the last one', () => {
  const draft = toDraft(
    definition({
      states: ['A', 'B', 'C'].map(shortId => ({ shortId, name: shortId })),
      startState: 'A',
      completedState: 'C',
    }),
  )
  const [a, , c] = draft.states
  if (!a || !c) throw new Error('no states')
  expect(toBody(removeState(draft, a))).toMatchObject({ startState: 'B', completedState: 'C' })
  expect(toBody(removeState(draft, c))).toMatchObject({ startState: 'A', completedState: 'B' })
})

test('the short id that is made of a name is one that the API accepts, or nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), name => {
      const procedureId = toProcedureId(name)
      if (procedureId !== '')
        expect(findDefinitionFaults(procedureId, wholeBody({ ...createDraft(), name: 'x' }))).toEqual([])
      for (const shortId of [toStateId(name), toAttributeId(name)]) expect(shortId).toMatch(/^[\p{L}\p{M}\p{N}_]*$/u)
    }),
    { numRuns: 500 },
  )
  expect([toProcedureId(' Café-Visite №1! '), toStateId('in progress…'), toAttributeId('E-mail')]).toEqual([
    'cafe_visite_no1',
    'IN_PROGRESS',
    'e_mail',
  ])
})

test('the short id follows the name until it is saved or somebody has written another', () => {
  const part = (shortId: string, isSaved = false) => ({ name: 'Open', shortId, isSaved })
  expect(renamePart(part('OPEN'), 'Very new', toStateId)).toEqual({
    name: 'Very new',
    shortId: 'VERY_NEW',
    isSaved: false,
  })
  expect(renamePart(part('MINE'), 'Very new', toStateId).shortId).toBe('MINE')
  expect(renamePart(part('OPEN', true), 'Very new', toStateId).shortId).toBe('OPEN')
})

test('moving a part down and up again changes nothing, and parts at the ends stay where they are', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(), { maxLength: 8 }), fc.nat({ max: 9 }), (parts, place) => {
      expect(moveItem(moveItem(parts, place, 1), place + 1, -1)).toEqual(parts)
      expect([...moveItem(parts, place, 1)].sort()).toEqual([...parts].sort())
    }),
  )
  expect(moveItem(['a', 'b'], 0, -1)).toEqual(['a', 'b'])
  expect(moveItem(['a', 'b'], 1, 1)).toEqual(['a', 'b'])
  expect(moveItem(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
})

test('one part is replaced by its key', () => {
  const [one, other] = [newAttribute(), newAttribute()]
  expect(replaced([one, other], { ...other, name: 'Other' })).toEqual([one, { ...other, name: 'Other' }])
})

test('values of an enum of numbers are sent as numbers, and others unchanged', () => {
  const draft = toDraft(definition({ attributes: [attribute('size', { type: 'integerEnum', values: [1, 2] })] }))
  const typed = { ...draft, attributes: draft.attributes.map(each => ({ ...each, values: ' 1\n\n20 \nmany' })) }
  expect(toBody(typed).attributes?.[0]).toMatchObject({ values: [1, 20, 'many'] })
})

test.each([
  ['/body/name', true],
  ['/body/states/3/shortId', true],
  ['/body/states/3/next/1', true],
  ['/body/attributes/0/values/2', true],
  ['/path/procedureShortId', true],
  ['/body/attributes', true],
  ['/body/states/3/next/1/x', false],
  ['/body/attributes/0/unit', false],
  ['/header/if-match', false],
  [undefined, false],
])('a fault at %s has a field in the form: %s', (path, has) => {
  expect(hasField(path)).toBe(has)
})

test('the start and the completed state stay the same, whatever is added or moved', () => {
  const closed = newState('CLOSED', 'Closed')
  const roles = (draft: ReturnType<typeof createDraft>) => {
    const { startState, completedState } = toBody(draft)
    return [startState, completedState]
  }
  const begun = createDraft()
  const grown = { ...begun, states: [...begun.states, closed] }
  expect(roles(grown)).toEqual(['OPEN', 'DONE'])
  expect(roles({ ...grown, states: moveItem(grown.states, 2, -1) })).toEqual(['OPEN', 'DONE'])
  expect(roles({ ...grown, states: moveItem(grown.states, 0, 1) })).toEqual(['OPEN', 'DONE'])
})

test('a chosen completed state gets that status, where states have one; one that cancels does not follow by itself', () => {
  const begun = createDraft()
  const lost = { ...newState('LOST', 'Lost'), status: 'CANCELLED' as const }
  const grown = { ...begun, name: 'Lead', states: [...begun.states, newState('WON', 'Won'), lost] }
  const [, done, won] = grown.states
  if (!done || !won) throw new Error('no states')
  expect(listFaults(grown)).toEqual([])
  const chosen = withCompletedState(grown, won.key)
  expect(listFaults(chosen)).toEqual([])
  expect(toBody(chosen).states[2]).toMatchObject({ shortId: 'WON', status: 'COMPLETED' })
  expect(toBody(removeState(chosen, won)).completedState).toBe('DONE')
  expect(toBody(removeState(grown, done)).completedState).toBe('WON')
  const silent = { ...grown, states: grown.states.map(each => ({ ...each, status: '' as const })) }
  expect(toBody(withCompletedState(silent, won.key)).states[2]).not.toHaveProperty('status')
})

test('an optional primary key leaves processes without a name, which the form says', () => {
  const getHint = (required: boolean, primaryKey: string | null) =>
    keyHint(
      toDraft(definitionBody(definition({ attributes: [attribute('no', { name: 'Number', required })], primaryKey }))),
    )
  expect(getHint(false, 'no')).toContain('Number is not required')
  expect([getHint(true, 'no'), getHint(false, null)]).toEqual(
    Array(2).fill('What names a process: no two have the same.'),
  )
})
