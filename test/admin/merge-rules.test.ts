import type { PutProcedureBody } from 'caseworker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { definitionBody } from '../../src/admin/procedure/definition.ts'
import { asSent } from '../../src/admin/procedure/draft.ts'
import { listDrifts, mergeDefinition } from '../../src/admin/procedure/merge-rules.ts'
import { attribute, definition } from './definition.ts'

type States = PutProcedureBody['states']

/** The possible changes of the states: renamed, left out, reordered, others at the end. */
const edits = fc.record({
  renamed: fc.subarray(['A', 'B', 'C']),
  left: fc.subarray(['A', 'B', 'C']),
  added: fc.subarray(['X', 'Y']),
  isTurned: fc.boolean(),
})
type Edit = typeof edits extends fc.Arbitrary<infer One> ? One : never
const NO_EDIT: Edit = { renamed: [], left: [], added: [], isTurned: false }

const BEGUN: States = ['A', 'B', 'C'].map(shortId => ({ shortId, name: shortId }))
const body = (states: States, more: Partial<PutProcedureBody> = {}): PutProcedureBody => ({
  ...asSent(definitionBody(definition())),
  ...more,
  states,
})

function edited({ renamed, left, added, isTurned }: Edit, by: string): States {
  const kept = BEGUN.filter(({ shortId }) => !left.includes(shortId))
  const named = kept.map(each =>
    renamed.includes(each.shortId) ? { ...each, name: `${each.shortId} of ${by}` } : each,
  )
  const all = [...named, ...added.map(shortId => ({ shortId, name: `${shortId} of ${by}` }))]
  return isTurned ? all.toReversed() : all
}

const base = body(BEGUN)
const merged = (theirs: Edit, mine: Edit): States =>
  mergeDefinition({ base, theirs: body(edited(theirs, 'theirs')), mine: body(edited(mine, 'mine')) }).states
const ids = (states: States): string[] => states.map(({ shortId }) => shortId)
const stateIn = (states: States, shortId: string) => states.find(each => each.shortId === shortId)

test("a reader who has changed nothing gets the other's version, in the order of the other", () => {
  fc.assert(
    fc.property(edits, edit => {
      expect(merged(edit, NO_EDIT)).toEqual(edited(edit, 'theirs'))
      expect(merged(NO_EDIT, edit)).toEqual(edited(edit, 'mine'))
    }),
  )
})

test('a reader keeps their changes to each state, and gets those that only the other made', () => {
  fc.assert(
    fc.property(edits, edits, (theirs, mine) => {
      const [now, own, states] = [edited(theirs, 'theirs'), edited(mine, 'mine'), merged(theirs, mine)]
      expect(new Set(ids(states)).size).toBe(states.length)
      for (const shortId of ['A', 'B', 'C', 'X', 'Y']) {
        const isMine = JSON.stringify(stateIn(own, shortId)) !== JSON.stringify(stateIn(BEGUN, shortId))
        expect(stateIn(states, shortId), shortId).toEqual(stateIn(isMine ? own : now, shortId))
      }
    }),
    { numRuns: 300 },
  )
})

test('the order is that of the reader if they changed it, and additions of the other come after', () => {
  const turned = { ...NO_EDIT, isTurned: true }
  expect(ids(merged({ ...NO_EDIT, added: ['X'] }, turned))).toEqual(['C', 'B', 'A', 'X'])
  expect(ids(merged(turned, { ...NO_EDIT, renamed: ['A'] }))).toEqual(['C', 'B', 'A'])
})

test('fields and attributes are merged one by one: a field that both have changed is the reader’s', () => {
  const attributes = [attribute('lead_id', { required: true }), attribute('city')]
  const begun = body(BEGUN, { name: 'Lead', strict: false, attributes })
  const theirs = body(BEGUN, { name: 'Theirs', strict: true, attributes: [...attributes, attribute('colour')] })
  const mine = body(BEGUN, {
    name: 'Mine',
    strict: false,
    attributes: attributes.map(each => ({ ...each, indexed: true })),
  })
  const both = mergeDefinition({ base: begun, theirs, mine })
  expect([both.name, both.strict]).toEqual(['Mine', true])
  expect(both.attributes?.map(({ shortId, indexed }) => [shortId, indexed])).toEqual([
    ['lead_id', true],
    ['city', true],
    ['colour', false],
  ])
})

test('every part that either has changed is listed with all three versions, and nothing else', () => {
  expect(listDrifts({ base, theirs: base, mine: base })).toEqual([])
  const theirs = body(edited({ ...NO_EDIT, left: ['C'] }, 'theirs'), { strict: true })
  const mine = body(edited({ ...NO_EDIT, renamed: ['A'] }, 'mine'))
  expect(listDrifts({ base, theirs, mine })).toEqual([
    { subject: 'procedure', name: 'strict', base: false, theirs: true, mine: false },
    {
      subject: 'state',
      name: 'A',
      base: { shortId: 'A', name: 'A' },
      theirs: { shortId: 'A', name: 'A' },
      mine: { shortId: 'A', name: 'A of mine' },
    },
    {
      subject: 'state',
      name: 'C',
      base: { shortId: 'C', name: 'C' },
      theirs: undefined,
      mine: { shortId: 'C', name: 'C' },
    },
  ])
})
