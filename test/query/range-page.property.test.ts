import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CompiledStatement } from '../../src/db/statement.ts'
import { planQuery } from '../../src/process/query/plan/plan.ts'
import { parseFilter } from '../../src/process/query/read/filter.ts'
import { SCAN_LIMITS } from '../../src/process/query/scan-limits.ts'
import { buildFilteredScan } from '../../src/process/query/sql/filtered-scan.ts'
import { buildRangePage } from '../../src/process/query/sql/range-page.ts'
import type { ScanPage } from '../../src/process/query/sql/scan-page.ts'
import { LEADS } from '../support/leads.ts'

const TIME = 1_750_000_000_000

/** A statement with its values in their places: where two are equal, they may have one number or two. */
const written = ({ text, params }: CompiledStatement): string =>
  text.replace(/\?(\d+)/g, (_, number: string) => JSON.stringify(params[Number(number) - 1]))

const numbers = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(0.5, 1990, 10_000, 9_007_199_254_740_900))
const texts = fc.constantFrom('', 'a', 'b', 'value 9007199254740892', '\ud800', '%s', '?1')
const sides = (values: fc.Arbitrary<string | number>) =>
  fc
    .tuple(fc.constantFrom('>', '>=', null), fc.constantFrom('<', '<=', '>', null), values, values)
    .filter(([low, high]) => low !== null || high !== null)
    .map(([low, high, one, other]) => ({ ...(low && { [low]: one }), ...(high && { [high]: other }) }))

const asked = fc.record({
  where: fc.oneof(
    fc.record({ value: sides(numbers) }),
    fc.record({ city: sides(texts) }),
    fc.record({ value: sides(numbers), createdAt: fc.record({ '>=': fc.constantFrom(TIME, TIME + 1) }) }),
  ),
  no: fc.integer({ min: 1, max: 12 }),
  version: fc.integer({ min: 1, max: 12 }),
  limit: fc.constantFrom(2, 11, 12, 2_000),
  skip: fc.constantFrom(0, 0, 0, 5),
  before: fc.constantFrom(null, 7, 7_168_000_000_000_000),
  selected: fc.constantFrom('process' as const, 'id' as const, 'position' as const),
})

test('the cached text for a shape of a range is, with its values, the statement of each request', () => {
  let kept = 0
  fc.assert(
    fc.property(asked, ({ where, no, version, before, ...rest }) => {
      const procedure = { ...LEADS, no, version }
      const { condition, faults } = parseFilter(where, procedure, { users: new Map(), now: Date.now })
      const plan = planQuery(condition, procedure)
      if (faults.length > 0 || plan === null || plan.rangeScan === null) return
      const page: ScanPage = { ...rest, before, indexScan: null, sort: null, limits: SCAN_LIMITS }
      const rows = { from: plan.from, before }
      const known = buildRangePage(plan, rows, page)
      if (known === null) return
      kept += 1
      const made = buildFilteredScan({ plan, indexScans: plan.indexScans, rangeScan: plan.rangeScan, rows, page })
      expect(written(known.compile())).toBe(written(made.compile()))
    }),
    { numRuns: 2_000 },
  )
  expect(kept).toBeGreaterThan(300)
})
