import type { Mutant } from './mutant.ts'

const STORE = 'src/procedure/index/build-store.ts'
const SLOTS = 'src/procedure/index/slot-rules.ts'
const BUILD = ['test/procedure/index-build.test.ts']
const PROCEDURE = ['test/procedure/procedure.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'index: two builders make one step',
    file: STORE,
    find: 'AND ${procedure.indexingBelow} = ${below} AND ${procedure.unfitSlots} = ${unfitSlots})`',
    replace: 'AND ${below} = ${below} AND ${unfitSlots} = ${unfitSlots})`',
    tests: BUILD,
    why: 'A builder that was overtaken takes the build back, or ends it.',
  },
  {
    name: 'index: the definition is not compared',
    file: STORE,
    find: 'AND ${procedure.version} = ${version}\n',
    replace: 'AND ${version} = ${version}\n',
    tests: [...BUILD, ...PROCEDURE],
    why: 'A build that was overtaken by a change of the definition brings the old definition back.',
  },
  {
    name: 'index: what was found unfit is forgotten',
    file: STORE,
    find: 'unfitSlots: sql`${procedure.unfitSlots} | ${found}`',
    replace: 'unfitSlots: found',
    tests: BUILD,
    why: 'An index is ready although it lacks values, because the last step found none.',
  },
  {
    name: 'index: unfit values are not looked for',
    file: 'src/procedure/index/build.ts',
    find: 'const isDone = build.unfitSlots === 0 && build.lowest === null',
    replace: 'const isDone = build.lowest === null',
    tests: BUILD,
    why: 'An index is ready although it lacks values.',
  },
  {
    name: 'index: a column with old values is given out',
    file: SLOTS,
    find: 'const taken = new Set([...kept.map(([, slot]) => slot.column), ...clearing])',
    replace: 'const taken = new Set(kept.map(([, slot]) => slot.column))',
    tests: BUILD,
    why: 'A filter finds processes by the values of another attribute.',
  },
  {
    name: 'index: a column keeps values of another kind',
    file: SLOTS,
    find: 'return slot && kinds.get(shortId) === ATTRIBUTE_TYPES[type]',
    replace: 'return slot && kinds.size >= 0',
    tests: [...BUILD, ...PROCEDURE],
    why: 'An attribute whose type changes from text to number is found by its text.',
  },
  {
    name: 'index: ready before it is built',
    file: SLOTS,
    find: '{ column: free[index] ?? 0, ready: isEmpty },',
    replace: '{ column: free[index] ?? 0, ready: true },',
    tests: BUILD,
    why: 'Filters find only the processes that were written since.',
  },
  {
    name: 'definition: not compared',
    file: 'src/procedure/definition-guard.ts',
    find: '= ${version}`,',
    replace: '>= 0 * ${version}`,',
    tests: PROCEDURE,
    why: 'A process is created in a state that was removed.',
  },
]
