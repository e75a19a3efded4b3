import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildQuery, isGroup, parseTree, type RuleItem } from '../../src/admin/process/filter/filter-tree.ts'
import { CUSTOMERS, NOW_MS, USERS } from '../support/cases.ts'
import { answer } from '../support/oracle.ts'
import { exams } from '../support/queries.ts'

const QUERIES_PER_EXAM = 10
const EXAMS = 20

const rulesIn = (item: RuleItem): number =>
  isGroup(item) ? item.items.reduce((sum, each) => sum + rulesIn(each), 0) : 1

// The filter builder of the admin area shows any filter as a tree, and writes the tree back into the address.
test('a filter that was taken apart into conditions and put together again finds the same', () => {
  let found = 0
  const property = fc.property(exams(QUERIES_PER_EXAM), ({ procedure, processes, questions }) => {
    const context = { procedure, users: USERS, customers: CUSTOMERS, now: NOW_MS }
    for (const { where } of questions) {
      const tree = parseTree(where as Parameters<typeof parseTree>[0])
      const again = buildQuery(tree) ?? {}
      const expected = answer(context, processes, { where, sort: [] })
      found += expected.length
      expect(answer(context, processes, { where: again, sort: [] }), JSON.stringify({ where, again })).toEqual(expected)
      expect(rulesIn(parseTree(again))).toBe(rulesIn(tree))
    }
  })
  fc.assert(property, { numRuns: EXAMS })
  expect(found).toBeGreaterThan(EXAMS)
})
