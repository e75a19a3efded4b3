import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    name: 'lists: a reader who scrolls upwards skips to each page',
    file: 'src/admin/process/list/held-pages.ts',
    find: 'isHeld(wanted + 1) ? nearest : wanted',
    replace: 'wanted',
    tests: ['test/admin/list-pages.test.ts'],
    only: 'scrolls upwards',
    why: 'Each page upwards reads all rows before it.',
  },
  {
    name: 'lists: pages that were read are held for good',
    file: 'src/admin/process/list/held-pages.ts',
    find: 'this.#pages.delete(each)',
    replace: 'this.#pages.has(each)',
    tests: ['test/admin/list-pages.test.ts'],
    only: 'rows far away',
    why: 'The memory of the browser grows with each page that is scrolled through.',
  },
  {
    name: 'lists: the row that has the focus goes with those out of sight',
    file: 'src/admin/parts/table/rows-in-sight.ts',
    find: 'if (focused !== undefined && focused < from) rows.unshift(focused)',
    replace: 'if (focused !== undefined && focused < 0) rows.unshift(focused)',
    tests: ['test/admin/rows-in-sight.test.ts'],
    only: 'draws the rows in the viewport',
    why: 'Who scrolls loses the focus, and begins at the top again.',
  },
  {
    name: 'lists: what was left out of all is changed with them',
    file: 'src/admin/process/bulk/selection.ts',
    find: 'without(where, [...selection.except])',
    replace: 'without(where, [])',
    tests: ['test/admin/selection.test.ts'],
    only: 'a selection of all but some',
    why: 'A process is deleted whose box the reader had emptied.',
  },
]
