import { expect } from 'vitest'
import { toRecordKey } from '../../src/customer-record/query-references.ts'
import type { CompiledStatement } from '../../src/db/statement.ts'
import { planIndexOrder } from '../../src/process/query/plan/index-order.ts'
import { planQuery } from '../../src/process/query/plan/plan.ts'
import { parseFilter } from '../../src/process/query/read/filter.ts'
import type { SortPosition, SortRequest } from '../../src/process/query/read/sort.ts'
import { isNewestFirst, parseSort } from '../../src/process/query/read/sort.ts'
import { SCAN_LIMITS } from '../../src/process/query/scan-limits.ts'
import { selectInIndexOrder } from '../../src/process/query/sql/index-order-page.ts'
import type { ScanPage } from '../../src/process/query/sql/scan-page.ts'
import { buildScan } from '../../src/process/query/sql/scan-page.ts'
import { buildSortExpressions } from '../../src/process/query/sql/sort-expressions.ts'
import { CUSTOMERS } from './cases.ts'
import { LEADS } from './leads.ts'

const RECORDS = new Map(CUSTOMERS.map(({ id: value, rid }) => [toRecordKey({ field: 'record', value }), rid]))

interface Listed extends Partial<Pick<ScanPage, 'selected' | 'before' | 'indexScan' | 'skip' | 'limit'>> {
  where?: unknown
  sort?: SortRequest[]
  after?: SortPosition
  /** Compares all matches although an index has the order. */
  inMemory?: boolean
}

/** The first statement that a list of leads runs. */
export function buildStatement({ where = {}, sort = [], after, inMemory = false, ...rest }: Listed): CompiledStatement {
  const { condition, faults } = parseFilter(where, LEADS, { users: new Map(), records: RECORDS, now: Date.now })
  const { fields, faults: sortFaults } = parseSort(sort, LEADS)
  expect([...faults, ...sortFaults]).toEqual([])
  const plan = planQuery(condition, LEADS)
  if (plan === null) throw new Error('nothing to look for')
  const page = { skip: 0, limit: 11, limits: SCAN_LIMITS, after: after ?? null, ...rest }
  const indexOrder = inMemory || isNewestFirst(fields) ? null : planIndexOrder(plan, fields)
  if (indexOrder !== null) return selectInIndexOrder(indexOrder, page).compile()
  const isSorted = !isNewestFirst(fields)
  return buildScan(plan, {
    before: isSorted ? null : (after?.rid ?? null),
    indexScan: null,
    selected: 'process',
    ...page,
    sort: isSorted ? buildSortExpressions(fields, LEADS, page.after) : null,
  }).compile()
}
