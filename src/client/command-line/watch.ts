import { CaseworkerError, type Job, type JobFailures } from '../client.ts'
import { isRestRunnable } from '../jobs.ts'
import { type Command, EXIT, type ExitCode, type ParsedArguments, type Session, toExitCode } from './command/command.ts'
import { getOption, hasFlag } from './command/options.ts'
import { adviseOnRows } from './failed-row-advice.ts'
import { FAILED_TO_OPTION, getFailedRowsFile, JOB } from './job-options.ts'
import { countFailed, createProgressReporter } from './output/progress.ts'
import { formatNumber, print, printError } from './output/terminal.ts'
import { downloadResults, FAILED_STATUSES } from './results.ts'

export const watchCommand: Command = {
  name: 'watch',
  group: 'Jobs',
  summary: 'Show the progress of a job until it has ended',
  details: 'With how long it will take if it goes on like that, and what holds it up.',
  arguments: [JOB],
  options: { ...FAILED_TO_OPTION },
  examples: ['watch 01a20220-abf5-79f6-85f4-01e9682e120b'],
  run: {
    async remote(session, args) {
      const [id = ''] = args.words
      await getFailedRowsFile(args)
      printError(`${(await session.client.jobs.get(id, { signal: session.signal })).title}\n`)
      return watchWithFailures(session, args, id)
    },
  },
}

/** The number of reasons that are printed for a job, and of entries for each. */
const REASONS_PRINTED = 20
const NAMES_PRINTED = 3

/** Shows the progress of a job until it has ended. */
export async function watchToEnd({ client, signal }: Session, id: string): Promise<Job> {
  const progress = createProgressReporter(printError, process.stderr.isTTY)
  const job = await client.jobs
    .wait(id, { onProgress: progress.show, signal })
    .finally(progress.end)
    .catch((error: unknown) => {
      if (signal.aborted || (error instanceof CaseworkerError && toExitCode(error) === EXIT.unavailable))
        printError(`the job continues: caseworker watch ${id}\n`)
      throw error
    })
  printError(`${job.statusMessage ?? job.completionStatus}\n`)
  return job
}

/** Shows the progress of a job, and how many entries failed for which reason. */
async function watchWithFailures(session: Session, args: ParsedArguments, id: string): Promise<ExitCode | undefined> {
  const { completionStatus } = await watchToEnd(session, id)
  const codes = completionStatus === 'ERROR' ? await printFailures(session, id) : []
  const output = getOption(args, 'failed-to')
  if (completionStatus === 'SUCCESS' && output === undefined) return undefined
  const job = await session.client.jobs.get(id, { signal: session.signal })
  printWayOn(job)
  if (output !== undefined) await downloadResults(session, id, { format: 'csv', statuses: FAILED_STATUSES, output })
  const advice = countFailed(job) === 0 ? undefined : adviseOnFailedRows(job, codes, output)
  if (advice !== undefined) printError(`${advice}\n`)
  return completionStatus === 'SUCCESS' ? undefined : EXIT.failed
}

/** Says what is to be done with failed rows. */
function adviseOnFailedRows(
  { applyOf, undoOf, deliveries }: Job,
  codes: readonly JobFailures['code'][],
  output: string | undefined,
): string | undefined {
  // Results of messages are no rows that could be sent.
  if (deliveries !== undefined) return output === undefined ? undefined : `the failed entries are in ${output}`
  if (undoOf !== null)
    return output === undefined ? undefined : `what was left as it is stands in ${output}, its former values in _before`
  return adviseOnRows(applyOf === null ? [] : codes, output)
}

/** Says how what a cancelled job has not run is run, or which job has it. */
export function printWayOn({ id, counts, continuedBy, ...job }: Job): void {
  if (continuedBy !== undefined) printError(`what was not run is run by background job ${continuedBy}\n`)
  else if (isRestRunnable({ id, ...job }, counts))
    printError(`to run what was not run: caseworker retry ${id} --status CANCELLED\n`)
}

/** Prints the id of a new job, and follows it unless `--detach` is given. */
export async function followJob(session: Session, args: ParsedArguments, id: string): Promise<ExitCode | undefined> {
  await print(`${id}\n`)
  if (!hasFlag(args, 'detach')) return watchWithFailures(session, args, id)
  printError('to follow the job: caseworker watch <job>\n')
  return undefined
}

/** Prints the most frequent reasons of failures, and returns their codes. */
async function printFailures({ client, signal }: Session, id: string): Promise<JobFailures['code'][]> {
  const { items, hasMore } = await client.jobs.errors(id, { pageSize: REASONS_PRINTED }, { signal }).page()
  for (const reason of items.flatMap(({ reasons }) => reasons)) printError(`  ${formatFailures(reason)}\n`)
  if (hasMore) printError('  and more reasons\n')
  printError(`all reasons: caseworker errors ${id}; all failures: caseworker results ${id} --failed\n`)
  return [...new Set(items.map(({ code }) => code))]
}

/** "12 × process not found (LEAD-7, LEAD-9, …)". */
export function formatFailures({ count, message, entries }: JobFailures['reasons'][number]): string {
  const names = entries
    .slice(0, NAMES_PRINTED)
    .map(({ index, primaryKey, line }) => primaryKey ?? (typeof line === 'number' ? `line ${line}` : `index ${index}`))
  return `${formatNumber(count)} × ${message} (${names.join(', ')}${count > names.length ? ', …' : ''})`
}
