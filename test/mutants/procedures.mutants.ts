import type { Mutant } from './mutant.ts'

const STORE = 'src/procedure/index/statements.ts'
const SLOTS = 'src/procedure/index/slot-rules.ts'
const PLAN = 'src/procedure/definition-change/plan.ts'
const BUILD = ['test/procedure/index-build.test.ts']
const DRY_RUN = ['test/procedure/dry-run.test.ts']
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
    name: 'index: a build that goes on forgets the values of another type',
    file: PLAN,
    find: 'isSameBuild(row, before) ? row : {',
    replace: 'isSameBuild(row, before) ? { ...row, unfitSlots: 0 } : {',
    tests: BUILD,
    why: 'A definition that is sent again makes an index ready that leaves processes out.',
  },
  {
    name: 'index: a build goes on although other words are to be found',
    file: SLOTS,
    find: '    definition.wordsReady,\n    formatSearchableNames(definition),\n',
    replace: '    definition.wordsReady,\n',
    tests: BUILD,
    why: 'The words of an attribute that became searchable meanwhile are missing in processes that the build has passed.',
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
    find: '      ready: isEmpty,',
    replace: '      ready: true,',
    tests: BUILD,
    why: 'Filters find only the processes that were written since.',
  },
  {
    name: 'dry run: it saves the definition',
    file: 'src/procedure/routes.ts',
    find: "query.dryRun === 'true'",
    replace: "query.dryRun === 'false'",
    tests: DRY_RUN,
    why: 'Whoever asks what a change would do has made it.',
  },
  {
    name: 'dry run: a new place in the order counts for what is added, too',
    file: 'src/procedure/definition-change/difference-rules.ts',
    find: 'known.has(shortId) ? [shortId] : []',
    replace: '[known.has(shortId) ? shortId : shortId]',
    tests: DRY_RUN,
    why: 'A state that is added looks as if others had been moved.',
  },
  {
    name: 'dry run: values that keep an index away are those that do not fit',
    file: 'src/procedure/definition-change/dry-run.ts',
    find: 'own.filter(({ preventsIndex }) => preventsIndex === 1).length : 0',
    replace: 'unfit.length : 0',
    tests: DRY_RUN,
    why: 'An enum with an old value is said to get no index, and has one.',
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
  {
    name: 'procedures: If-Match * creates',
    file: 'src/procedure/definition-change/precondition.ts',
    find: "(required === '*' && before)",
    replace: "required === '*'",
    tests: ['test/procedure/procedure.test.ts'],
    only: 'the entity tag of a procedure',
    why: 'A definition that was to be replaced is made anew after somebody has renamed it.',
  },
  {
    name: 'procedures: a tag in another format is that of no procedure',
    file: 'src/procedure/routes.ts',
    find: '?.[1] ?? -1)',
    replace: '?.[1] ?? 0)',
    tests: ['test/procedure/procedure.test.ts'],
    only: 'the entity tag of a procedure',
    why: 'A mistyped If-Match creates a procedure.',
  },
  {
    name: 'put back: what is only read is not compared',
    file: 'src/procedure/definition-change/read-only.ts',
    find: 'if (sent[name] === undefined || sent[name] === before?.[name]) return []',
    replace: 'if (sent[name] === undefined || before?.[name] !== null) return []',
    tests: ['test/procedure/put-back.test.ts'],
    why: 'A definition of another procedure, or of last week, is put over this one.',
  },
  {
    name: 'procedure: what was read of an index is kept',
    file: 'src/procedure/definition-change/read-only.ts',
    find: 'attributes.map(({ indexReady, searchReady, ...attribute }) => attribute)',
    replace: 'attributes.map(({ searchReady, ...attribute }) => attribute)',
    tests: ['test/procedure/put-back.test.ts'],
    why: 'An attribute without an index says for good that its index is ready.',
  },
]
