import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EntryStatus, Job } from '../client.ts'
import { type Asked, oneOf, text } from './arguments.ts'
import { progressOn } from './progress-bar.ts'
import { type Session, say } from './terminal.ts'

const FAILED: EntryStatus[] = ['INVALID', 'ERROR']
/** How many failures are told at once; the others are in the results. */
const TOLD = 3

/** Shows the progress of a job until it has ended, and what it came to. */
export async function watched({ client, signal }: Session, id: string): Promise<Job> {
  const progress = progressOn(say, process.stderr.isTTY)
  const job = await client.jobs
    .wait(id, { onProgress: progress.show, signal })
    .finally(progress.end)
    .catch((error: unknown) => {
      if (signal.aborted) say(`the job goes on: caseworker watch ${id}\n`)
      throw error
    })
  say(`${job.statusMessage ?? job.completionStatus}\n`)
  if (job.completionStatus === 'ERROR') await tellFailures({ client, signal }, id)
  return job
}

async function tellFailures({ client, signal }: Session, id: string): Promise<void> {
  for (const completionStatus of FAILED)
    for (const { index, completionMessage } of await client.jobs
      .entries(id, { completionStatus, limit: TOLD }, { signal })
      .all())
      say(`  index ${index}: ${completionMessage}\n`)
  say(`all of them: caseworker results ${id} --failed\n`)
}

export async function watch(session: Session, { names: [id = ''] }: Asked): Promise<boolean> {
  return (await watched(session, id)).completionStatus === 'SUCCESS'
}

/** Straight from the API into the file, of any length. */
export async function results({ client, signal }: Session, asked: Asked): Promise<void> {
  const [id = ''] = asked.names
  const format = oneOf(asked, 'format', ['ndjson', 'csv']) ?? 'ndjson'
  const output = text(asked, 'output')
  const statuses = asked.options.failed ? FAILED : [undefined]
  let target: NodeJS.WritableStream | undefined
  for (const [at, completionStatus] of statuses.entries()) {
    const stream = await client.jobs.download(id, { format, completionStatus, signal })
    // Only now: what is refused leaves no empty file behind.
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
