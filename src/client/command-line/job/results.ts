import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from '../command/command.ts'
import { choiceOption, hasFlag, textOption } from '../command/options.ts'
import { FAILED_STATUSES } from './follow-job.ts'
import { JOB } from './watch.ts'

const FORMATS = ['ndjson', 'csv'] as const

export const resultsCommand: Command = {
  name: 'results',
  group: 'Jobs',
  summary: 'Download the result of each entry of a job',
  arguments: [JOB],
  options: {
    failed: { summary: 'only failed entries' },
    format: { value: 'format', summary: 'default ndjson', choices: FORMATS },
    output: { value: 'file', summary: 'write to a file', short: 'o', completed: 'file' },
  },
  examples: ['results 01a20220-abf5-79f6-85f4-01e9682e120b --failed --format csv -o failed.csv'],
  run: {
    async remote({ client, signal }, given) {
      const [id = ''] = given.words
      const format = choiceOption(given, 'format', FORMATS) ?? 'ndjson'
      const output = textOption(given, 'output')
      const statuses = hasFlag(given, 'failed') ? FAILED_STATUSES : [undefined]
      let target: NodeJS.WritableStream | undefined
      for (const [at, completionStatus] of statuses.entries()) {
        const stream = await client.jobs.download(id, { format, completionStatus, signal })
        // The file is created after the response has arrived: a refused request leaves no empty file.
        target ??= output === undefined ? process.stdout : createWriteStream(output)
        const isLast = at === statuses.length - 1
        const rows = at > 0 && format === 'csv' ? withoutFirstLine(stream) : stream
        await pipeline(Readable.from(rows), target, { end: isLast && output !== undefined })
      }
      return undefined
    },
  },
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
