import type { Mutant } from './mutant.ts'

const STORE = 'src/procedure/index/build-store.ts'
const SLOTS = 'src/procedure/index/slot-rules.ts'
const BUILD = ['test/procedure/index-build.test.ts']
const PROCEDURE = ['test/procedure/procedure.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'index: a build that was overtaken goes on',
    file: STORE,
    find: 'sql`EXISTS (SELECT 1 FROM ${procedure} WHERE ${procedure.no} = ${no} AND ${procedure.version} = ${version}\n      AND ${procedure.indexingBelow} = ${below} AND ${procedure.unfitSlots} = ${unfitSlots})`',
    replace: 'sql`${no} + ${version} + ${below} + ${unfitSlots} IS NOT NULL`',
    tests: BUILD,
    why: 'A build that was overtaken by a change of the definition brings the old definition back.',
  },
  {
    name: 'index: values of another type are not looked for',
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
    find: 'WHERE ${procedure.no} = ${no}) = ${version}`',
    replace: 'WHERE ${procedure.no} = ${no}) >= 0 * ${version}`',
    tests: PROCEDURE,
    why: 'A process is created in a state that was removed.',
  },
  {
    name: 'definition: an update is refused by the one at hand',
    file: 'src/process/operations.ts',
    find: 'const current = await findProcessToJudge(',
    replace: 'const current = await findProcess(',
    tests: PROCEDURE,
    why: 'A move between states that was just allowed is refused where an isolate remembers the older definition.',
  },
]
