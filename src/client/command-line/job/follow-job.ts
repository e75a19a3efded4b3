import type { EntryStatus, Job } from '../../client.ts'
import type { BackgroundJobEntry } from '../../generated/shapes.ts'
import type { Given, Session } from '../command/command.ts'
import { EXIT, type ExitCode } from '../command/exit-code.ts'
import { hasFlag } from '../command/options.ts'
import { progressReporter } from '../output/progress-bar.ts'
import { print, printError } from '../output/terminal.ts'

export const FAILED_STATUSES: EntryStatus[] = ['INVALID', 'ERROR']
/** How many reasons, and how many entries of each, are printed. The results have all. */
const REASONS_PRINTED = 20
const NAMES_PRINTED = 3

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

/** Shows the progress of a job, and how many entries failed for which reason. */
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

interface Reason {
  count: number
  /** Of the first entries: their processes, numbers or positions. */
  names: string[]
}

async function printFailures({ client, signal }: Session, id: string): Promise<void> {
  const reasons = new Map<string, Reason>()
  for (const completionStatus of FAILED_STATUSES)
    for await (const entry of client.jobs.results(id, { completionStatus, signal })) {
      const reason = reasons.get(entry.completionMessage) ?? { count: 0, names: [] }
      reason.count += 1
      if (reason.names.length < NAMES_PRINTED) reason.names.push(nameOfEntry(entry))
      reasons.set(entry.completionMessage, reason)
    }
  const sorted = [...reasons].sort(([, one], [, other]) => other.count - one.count)
  for (const [message, { count, names }] of sorted.slice(0, REASONS_PRINTED)) {
    const more = count > names.length ? ', …' : ''
    printError(`  ${count.toLocaleString('en-US')} × ${message} (${names.join(', ')}${more})\n`)
  }
  if (sorted.length > REASONS_PRINTED) printError(`  and ${sorted.length - REASONS_PRINTED} more reasons\n`)
  printError(`all failures: caseworker results ${id} --failed\n`)
}

function nameOfEntry({ index, primaryKey, data: { apiData } }: BackgroundJobEntry): string {
  const { processId, phoneNumber } = apiData as Record<string, unknown>
  const name = primaryKey ?? processId ?? phoneNumber
  return name === undefined ? `index ${index}` : String(name)
}
