import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EntryStatus, Job } from '../client.ts'
import { choiceOption, type ParsedArguments, textOption } from './arguments.ts'
import { progressReporter } from './progress-bar.ts'
import { printError, type Session } from './terminal.ts'

const FAILED: EntryStatus[] = ['INVALID', 'ERROR']
/** How many failures of each status are printed. The results have all. */
const FAILURES_PRINTED = 3

/** Shows the progress of a job until it has ended, then its result. */
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
  if (job.completionStatus === 'ERROR') await printFailures({ client, signal }, id)
  return job
}

async function printFailures({ client, signal }: Session, id: string): Promise<void> {
  for (const completionStatus of FAILED)
    for (const { index, completionMessage } of await client.jobs
      .entries(id, { completionStatus, limit: FAILURES_PRINTED }, { signal })
      .all())
      printError(`  index ${index}: ${completionMessage}\n`)
  printError(`all failures: caseworker results ${id} --failed\n`)
}

export async function watch(session: Session, { names: [id = ''] }: ParsedArguments): Promise<boolean> {
  return (await watchToEnd(session, id)).completionStatus === 'SUCCESS'
}

/** Streams the results into the file. */
export async function results({ client, signal }: Session, parsed: ParsedArguments): Promise<void> {
  const [id = ''] = parsed.names
  const format = choiceOption(parsed, 'format', ['ndjson', 'csv']) ?? 'ndjson'
  const output = textOption(parsed, 'output')
  const statuses = parsed.options.failed ? FAILED : [undefined]
  let target: NodeJS.WritableStream | undefined
  for (const [at, completionStatus] of statuses.entries()) {
    const stream = await client.jobs.download(id, { format, completionStatus, signal })
    // The file is created after the response has arrived: a refused request leaves no empty file.
    target ??= output === undefined ? process.stdout : createWriteStream(output)
    const isLast = at === statuses.length - 1
    const rows = at > 0 && format === 'csv' ? withoutFirstLine(stream) : stream
    await pipeline(Readable.from(rows), target, { end: isLast && output !== undefined })
  }
}

/** One header is enough for a file. */
async function* withoutFirstLine(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let isPast = false
  for await (const chunk of chunks) {
    const end: number = isPast ? -1 : chunk.indexOf(0x0a)
    if (isPast || end >= 0) yield chunk.subarray(end + 1)
    isPast ||= end >= 0
  }
}
