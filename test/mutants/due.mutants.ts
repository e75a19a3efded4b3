import type { Mutant } from './mutant.ts'

const STATEMENTS = 'src/process/due/store.ts'
const RULES = 'src/process/due/due-rules.ts'
const FAR = ['test/far/due.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'due: a transaction does not ask how far was scanned',
    file: STATEMENTS,
    find: 'SELECT max(${now}, ifnull(${team.dueScannedTo}, 0)) FROM',
    replace: 'SELECT max(${now}, 0 * ifnull(${team.dueScannedTo}, 0)) FROM',
    tests: FAR,
    only: 'committed after its scan',
    why: 'A time that comes while it is on its way to the database is never told.',
  },
  {
    name: 'due: values that have their event count as new ones',
    file: STATEMENTS,
    find: 'AND ${process.nextActionAt} IS NOT ${process.notifiedDueAt}`',
    replace: 'AND ${process.nextActionAt} IS NOT 0 * ${process.notifiedDueAt}`',
    tests: FAR,
    only: 'is notified once: not again',
    why: 'An integrator acts twice when the same time is sent again.',
  },
  {
    name: 'due: the rest of one time is left out',
    file: STATEMENTS,
    find: 'sql`(${tied} UNION ALL ${later} LIMIT',
    replace: 'sql`(${later} UNION ALL ${later} LIMIT',
    tests: ['test/process/due/cost.test.ts'],
    why: 'Of many next actions at the same time only the first page is told.',
  },
  {
    name: 'due: any later time counts as covered',
    file: RULES,
    find: 'const isFar = (at: number) => at > now + COMMIT_MS_MAX',
    replace: 'const isFar = (at: number) => at > now',
    tests: ['test/process/due/due-rules.test.ts'],
    why: 'A time that is committed after the look that covers it waits for the cron.',
  },
]
