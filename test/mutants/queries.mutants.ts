import type { Mutant } from './mutant.ts'

const QUERY = 'src/process/query'
const LIST = ['test/query/list.test.ts']
const HOSTILE = ['test/query/hostile.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'query: the definition is not compared',
    file: `${QUERY}/run-statement.ts`,
    find: 'current?.version !== procedure.version',
    replace: 'current === undefined',
    tests: LIST,
    why: 'A list reads slot columns that hold another attribute by now.',
  },
  {
    name: 'query: a cursor of another query is taken',
    file: `${QUERY}/read/cursor.ts`,
    find: 'query === null || read.query === query',
    replace: 'true',
    tests: LIST,
    why: 'A page of one query continues another one.',
  },
  {
    name: 'query: the process at the cursor comes again',
    file: `${QUERY}/sql/index-order.ts`,
    find: '`${process.rid} < ${after.rid}`',
    replace: '`${process.rid} <= ${after.rid}`',
    tests: ['test/query/list.property.test.ts'],
    why: 'Pages by cursor repeat a process.',
  },
  {
    name: 'query: a filter may be nested without end',
    file: `${QUERY}/read/filter-depth.ts`,
    find: 'if (next.level > FILTER_LEVELS_MAX) return true',
    replace: 'if (next.level > 1_000_000) return true',
    tests: HOSTILE,
    why: 'A deep filter overflows the stack: 500.',
  },
  {
    name: 'query: names are repeated whole by each fault',
    file: `${QUERY}/read/shortened.ts`,
    find: 'name.length > SHOWN_NAME_LENGTH_MAX',
    replace: 'name.length > 1_000_000_000',
    tests: HOSTILE,
    why: 'A request of 400 KB is answered with 120 MB.',
  },
]
