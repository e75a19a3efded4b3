import type { Mutant } from './mutant.ts'

const LISTS = ['test/query/list.property.test.ts']
const FILTER = ['test/query/filter.test.ts']
const HOSTILE = ['test/query/hostile.test.ts']
const ORDER = 'src/process/query/sql/index-order-page.ts'
const WHERE = 'src/process/query/sql/where.ts'
const CURSOR = 'src/process/query/read/cursor.ts'

export const mutants: readonly Mutant[] = [
  {
    name: 'query: the cursor of another query',
    file: CURSOR,
    find: 'if (query === null || read.query === query) return',
    replace: 'if (query === null || read.query.length > 0) return',
    tests: ['test/query/list.test.ts', 'test/query/filter.test.ts'],
    why: 'A cursor that is sent with another filter skips processes.',
  },
  {
    name: 'query: the order of members makes another query',
    file: CURSOR,
    find: '.sort(([one], [other]) => (one < other ? -1 : 1))',
    replace: '',
    tests: ['test/query/list.test.ts', 'test/query/filter.test.ts'],
    why: 'A client that writes the same filter in another order cannot go on to the next page.',
  },
  {
    name: 'query: the position itself comes again',
    file: ORDER,
    find: 'sql`${process.rid} < ${after.rid}`]',
    replace: 'sql`${process.rid} <= ${after.rid}`]',
    tests: LISTS,
    why: 'The last process of a page is the first one of the next.',
  },
  {
    name: 'query: the value at the end of a page',
    file: ORDER,
    find: 'const hasCut = !descending && !column.unique',
    replace: 'const hasCut = false',
    tests: LISTS,
    why: 'In an ascending order processes with equal values come oldest first, and pages repeat and skip them.',
  },
  {
    name: 'query: a page that may be incomplete',
    file: ORDER,
    find: 'if (summary?.is_complete !== 1) return null',
    replace: 'if (summary === undefined) return null',
    tests: LISTS,
    why: 'A page ends where the index was read far enough, although more match.',
  },
  {
    name: 'query: absent values come first',
    file: 'src/process/query/plan/sort-position.ts',
    find: 'if (value === null) return 1\n      if (against === null) return -1',
    replace: 'if (value === null) return -1\n      if (against === null) return 1',
    tests: LISTS,
    why: 'The order of a list depends on how it was found.',
  },
  {
    name: 'query: text among numbers',
    file: WHERE,
    find: "sql`(${compared} AND ${column.column} < '')`",
    replace: 'sql`(${compared})`',
    tests: LISTS,
    why: 'A filter for more than a number finds texts as well.',
  },
  {
    name: 'query: not equal to what is not there',
    file: WHERE,
    find: 'condition.negated ? sql`(${equal} IS NOT TRUE)` : equal',
    replace: 'condition.negated ? sql`(NOT ${equal})` : equal',
    tests: LISTS,
    why: 'Processes without an attribute are not found by what it is not.',
  },
  {
    name: 'query: the looser bound',
    file: 'src/process/query/plan/bounds.ts',
    find: 'return one === other ? strict : isAbove(one, other)',
    replace: 'return one === other ? strict : isAbove(other, one)',
    tests: LISTS,
    why: 'Of two bounds on one side the looser one counts.',
  },
  {
    name: 'query: texts by their UTF-16 units',
    file: 'src/process/query/plan/value-order.ts',
    find: '(one.codePointAt(at) ?? 0) > (other.codePointAt(at) ?? 0)',
    replace: '(one.charCodeAt(at) ?? 0) > (other.charCodeAt(at) ?? 0)',
    tests: ['test/query/list.property.test.ts', 'test/query/list.test.ts', 'test/query/plan.test.ts'],
    why: 'Pages of texts with emoji repeat and skip processes.',
  },
  {
    name: 'query: nested filters without a bound',
    file: 'src/process/query/read/filter.ts',
    find: 'export const NESTED_QUERIES_MAX = 8',
    replace: 'export const NESTED_QUERIES_MAX = 80',
    tests: FILTER,
    why: 'A filter is nested so deeply that the database refuses the statement.',
  },
  {
    name: 'query: the definition is not compared',
    file: 'src/procedure/definition-guard.ts',
    find: 'guarded(STALE_PROCEDURE, isInForce(definition), limit)',
    replace: 'limit',
    tests: ['test/query/list.test.ts'],
    why: 'A list reads slot columns that hold another attribute by now.',
  },
  {
    name: 'query: no room for the end of a range',
    file: 'src/process/query/sql/filtered-scan.ts',
    find: 'LIMIT ${skip + limit} + 1))`',
    replace: 'LIMIT ${skip + limit}))`',
    tests: ['test/query/list.test.ts'],
    why: 'A batch of a bulk update holds the end of the range in place of a newer process, and passes over it.',
  },
  {
    name: 'query: one text for two operators',
    file: 'src/process/query/sql/range-page.ts',
    find: '`${operator} ${typeof value}`',
    replace: 'typeof value',
    tests: ['test/query/range-page.property.test.ts'],
    why: 'A list of what is above a number gets the statement of one that is below it.',
  },
  {
    name: 'query: a filter may be nested without end',
    file: 'src/process/query/read/filter-depth.ts',
    find: 'if (next.level > FILTER_LEVELS_MAX) return true',
    replace: 'if (next.level > 1_000_000) return true',
    tests: HOSTILE,
    why: 'A deep filter overflows the stack: 500.',
  },
  {
    name: 'query: names are repeated whole by each fault',
    file: 'src/process/query/read/shortened.ts',
    find: 'name.length > SHOWN_NAME_LENGTH_MAX',
    replace: 'name.length > 1_000_000_000',
    tests: HOSTILE,
    why: 'A request of 400 KB is answered with 120 MB.',
  },
]
