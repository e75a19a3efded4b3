import type { Mutant } from './mutant.ts'

const RULES = 'src/background-job/rules.ts'
const ROWS = 'src/background-job/job-rows.ts'
const STEP = 'src/background-job/run/step/step-write.ts'
const CHANGE = 'src/background-job/run/step/step-rules.ts'
const WAKE = 'src/background-job/run/wake.ts'
const EXPIRE = 'src/background-job/run/expire.ts'
const TURN = 'src/background-job/run/turn.ts'
const RACES = ['test/background-job/races.test.ts']
const JOB = ['test/background-job/job.test.ts']
const FAULTS = ['test/background-job/faults.test.ts']
const BULK_RACES = ['test/message/bulk-races.test.ts']
const BULK = ['test/message/bulk-faults.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'job: reports in any order',
    file: 'src/background-job/run/job-progress.ts',
    find: 'if (this.#latest && !isNewer(job, this.#latest)) return',
    replace: '',
    tests: RACES,
    why: 'Whoever watches a job sees its counts go back.',
  },
  {
    name: 'job: a cancellation is no news',
    file: RULES,
    find: ' || (one.revision === other.revision && isCancelled(one) && !isCancelled(other))',
    replace: '',
    tests: ['test/background-job/times.test.ts'],
    why: 'Whoever watches a job is not told that it was cancelled before it has ended.',
  },
  {
    name: 'job: an ended job is as new as any',
    file: RULES,
    find: 'if (hasEnded(one) !== hasEnded(other)) return hasEnded(one)',
    replace: '',
    tests: RACES,
    why: 'A job that has ended is told as still running by a late report.',
  },
  {
    name: 'job: the revision is not compared',
    file: STEP,
    find: 'AND ${job.revision} = ${revision} AND',
    replace: 'AND ${job.revision} >= ${revision} AND',
    tests: FAULTS,
    why: 'Two runners of one job write the same entries.',
  },
  {
    name: 'job: a cancelled job goes on',
    file: STEP,
    find: 'AND ${job.completedAt} = 0 AND ${more})`,',
    replace: 'AND ${more} IS NOT NULL)`,',
    tests: [...RACES, ...BULK_RACES],
    why: 'A runner that was in the middle of a step when the job was cancelled writes it, or sends, all the same.',
  },
  {
    name: 'job: a step does not count its revision',
    file: STEP,
    find: '      revision: sql`${job.revision} + 1`,\n      cursor: change.cursor,',
    replace: '      revision: job.revision.getSQL(),\n      cursor: change.cursor,',
    tests: FAULTS,
    why: 'A runner that was overtaken writes its step once more.',
  },
  {
    name: 'job: a finished job is finished again',
    file: ROWS,
    find: 'WHERE ${isJob(team, no)} AND ${job.completedAt} = 0 AND ${hasRunAll}`,',
    replace: 'WHERE ${isJob(team, no)} AND ${hasRunAll}`,',
    tests: RACES,
    why: 'A job that has ended ends again, later.',
  },
  {
    name: 'job: an ended job is cancelled',
    file: ROWS,
    find: 'AND ${job.completedAt} = 0 AND NOT ${hasRunAll}`',
    replace: 'AND NOT ${hasRunAll}`',
    tests: JOB,
    why: 'A job that was cancelled is cancelled again, with other counts.',
  },
  {
    name: 'job: what was dispatched is cancelled',
    file: ROWS,
    find: '- ${job.error} - ${job.dispatched}\n',
    replace: '- ${job.error}\n',
    tests: BULK_RACES,
    only: 'ends at once',
    why: 'An entry whose message is being sent is counted as cancelled, and then as sent, too.',
  },
  {
    name: 'job: a cancelled job does not wait',
    file: ROWS,
    find: 'completedAt: sql`iif(${hasDispatched}, 0, ${notBefore(now)})`,\n  updatedAt',
    replace: 'completedAt: notBefore(now),\n  updatedAt',
    tests: BULK,
    why: 'A cancelled job has ended while its messages are still being sent.',
  },
  {
    name: 'job: times go back',
    file: ROWS,
    find: 'sql`max(${job.updatedAt}, ${now})`',
    replace: 'sql`${now}`',
    tests: ['test/background-job/times.test.ts'],
    why: 'A job was completed before it was last changed.',
  },
  {
    name: 'job: another team finds it',
    file: ROWS,
    find: 'sql`${job.no} = ${no} AND +${job.team} = ${team}`',
    replace: 'sql`${job.no} = ${no} AND +${job.team} >= 0*${team}`',
    tests: JOB,
    why: 'Another team reads and cancels the job.',
  },
  {
    name: 'job: deferred entries are forgotten',
    file: CHANGE,
    find: "if (outcome?.status === 'DEFERRED') deferred.push({ index, at: outcome.at })\n    else if",
    replace: 'if',
    tests: BULK,
    why: 'What the provider defers is never tried again, and the job never ends.',
  },
  {
    name: 'job: what was dispatched is dispatched for ever',
    file: CHANGE,
    find: 'Math.max(0, job.dispatched - outcomes.length)',
    replace: 'job.dispatched',
    tests: BULK,
    why: 'A job with messages waits for entries that have ended.',
  },
  {
    name: 'job: silent jobs are woken without end',
    file: WAKE,
    find: 'assignments(job, { wakeAt: now + resendAfterMs })',
    replace: 'assignments(job, { wakeAt: now })',
    tests: RACES,
    why: 'Each minute the cron sends another message for the same job.',
  },
  {
    name: 'job: jobs that have ended are woken',
    file: WAKE,
    find: 'WHERE ${job.completedAt} = 0 AND ${job.wakeAt} <= ${now} ORDER BY',
    replace: 'WHERE ${job.completedAt} = 0 AND ${job.wakeAt} <= ${now} + 86400000 ORDER BY',
    tests: JOB,
    why: 'A scheduled job is woken a day before its time.',
  },
  {
    name: 'job: jobs that have not ended expire',
    file: EXPIRE,
    find: 'AND ${job.completedAt} > 0\n',
    replace: '\n',
    tests: RACES,
    why: 'Paused and scheduled jobs are removed with their entries.',
  },
  {
    name: 'job: entries of expired jobs stay',
    file: EXPIRE,
    find: 'statement(sql`${insertInto(chunkRemoval, values, sql`FROM ${expired}`)} ON CONFLICT DO NOTHING`),',
    replace: '',
    tests: JOB,
    why: 'The entries of a job that has expired are never removed.',
  },
  {
    name: 'job: an old message runs the job',
    file: TURN,
    find: 'if (attempts === 1 && turn.job.revision !== message.revision) return',
    replace: '',
    tests: RACES,
    why: 'A message that was delivered twice starts a second runner; each step of it fails.',
  },
  {
    name: 'job: a job starts before its time',
    file: TURN,
    find: ' || (turn.job.startAt ?? 0) > startedAt) return',
    replace: ') return',
    tests: RACES,
    why: 'A scheduled job runs at once.',
  },
  {
    name: 'job: entries end while the database is down',
    file: TURN,
    find: 'if (error instanceof StorageError && !isTooMuchAtOnce(error)) throw error',
    replace: '',
    tests: FAULTS,
    why: 'An outage of the database ends entries as ERROR, one after the other.',
  },
  {
    name: 'job: outcomes are bounded in characters',
    file: 'src/background-job/entry.ts',
    find: 'utf8Bytes(JSON.stringify(failure)) <= FAILURE_BYTES_MAX',
    replace: 'JSON.stringify(failure).length <= FAILURE_BYTES_MAX',
    tests: ['test/background-job/bounds.test.ts'],
    why: 'The outcomes of a chunk outgrow their row in any script but the Latin one.',
  },
  {
    name: 'job: one row of outcomes',
    file: 'src/background-job/chunk.ts',
    find: 'if (last && last.bytes + bytes <= OUTCOME_ROW_BYTES_MAX) {',
    replace: 'if (last) {',
    tests: ['test/background-job/bounds.test.ts'],
    why: 'The outcomes of a step outgrow their row, and the job never ends.',
  },
]
