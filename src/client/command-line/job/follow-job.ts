import type { EntryStatus, Job } from '../../client.ts'
import type { Given, Session } from '../command/command.ts'
import { EXIT, type ExitCode } from '../command/exit-code.ts'
import { hasFlag } from '../command/options.ts'
import { progressReporter } from '../output/progress-bar.ts'
import { print, printError } from '../output/terminal.ts'

export const FAILED_STATUSES: EntryStatus[] = ['INVALID', 'ERROR']
/** How many failures of each status are printed. The results have all. */
const FAILURES_PRINTED = 3

/** Shows the progress of a job until it has ended. */
export async function watchToEnd({ client, signal }: Session, id: string): Promise<Job> {
  const progress = progressReporter(printError, process.stderr.isTTY)
  const job = await client.jobs
    .wait(id, { onProgress: progress.show, signal })
    .finally(progress.end)
    .catch((error: unknown) => {
      if (signal.aborted) printError(`the job continues: caseworker watch ${id}\n`)
      throw error
    })
  printError(`${job.statusMessage ?? job.completionStatus}\n`)
  return job
}

/** Shows the progress and the first failures of a job. */
export async function watchWithFailures(session: Session, id: string): Promise<ExitCode | undefined> {
  const job = await watchToEnd(session, id)
  if (job.completionStatus === 'ERROR') await printFailures(session, id)
  return job.completionStatus === 'SUCCESS' ? undefined : EXIT.entriesFailed
}

/** Prints the id of a new job, and follows it unless `--detach` is given. */
export async function followJob(session: Session, given: Given, id: string): Promise<ExitCode | undefined> {
  await print(`${id}\n`)
  if (!hasFlag(given, 'detach')) return watchWithFailures(session, id)
  printError('to follow the job: caseworker watch <job>\n')
  return undefined
}

async function printFailures({ client, signal }: Session, id: string): Promise<void> {
  for (const completionStatus of FAILED_STATUSES)
    for (const { index, completionMessage } of await client.jobs
      .entries(id, { completionStatus, limit: FAILURES_PRINTED }, { signal })
      .all())
      printError(`  index ${index}: ${completionMessage}\n`)
  printError(`all failures: caseworker results ${id} --failed\n`)
}
