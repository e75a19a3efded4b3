import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EntryStatus } from '../client.ts'
import { type Command, type Session, UsageError } from './command/command.ts'
import { getChoice, getOption, hasFlag } from './command/options.ts'
import { JOB } from './job-options.ts'

export const FAILED_STATUSES = ['INVALID', 'ERROR'] as const satisfies EntryStatus[]

const ENTRY_STATUSES = [
  'NOT_STARTED',
  'IN_PROGRESS',
  'SUCCESS',
  'INVALID',
  'ERROR',
  'CANCELLED',
] as const satisfies EntryStatus[]

const RESULT_FORMATS = ['ndjson', 'csv'] as const

export const resultsCommand: Command = {
  name: 'results',
  group: 'Jobs',
  summary: 'Download the result of each entry of a job',
  arguments: [JOB],
  options: {
    failed: { summary: 'only entries with ERROR or INVALID' },
    status: { value: 'status', summary: 'only entries with this status', choices: ENTRY_STATUSES },
    group: { value: 'group', summary: 'only failed entries of a group that `errors` shows' },
    format: { value: 'format', summary: 'default ndjson', choices: RESULT_FORMATS },
    output: { value: 'file', summary: 'write to a file', short: 'o', completed: 'file' },
  },
  examples: [
    'results 01a20220-abf5-79f6-85f4-01e9682e120b --failed --format csv -o failed.csv',
    'results 01a20220-abf5-79f6-85f4-01e9682e120b --status CANCELLED --format csv -o rest.csv',
  ],
  run: {
    async remote({ client, signal }, args) {
      const [id = ''] = args.words
      const format = getChoice(args, 'format', RESULT_FORMATS) ?? 'ndjson'
      const group = getOption(args, 'group')
      const status = getChoice(args, 'status', ENTRY_STATUSES)
      if (hasFlag(args, 'failed') && status !== undefined)
        throw new UsageError('--failed and --status exclude each other')
      const statuses = hasFlag(args, 'failed') ? FAILED_STATUSES : [status]
      await downloadResults({ client, signal }, id, { format, group, statuses, output: getOption(args, 'output') })
      return undefined
    },
  },
}

interface ResultsChoice {
  format: (typeof RESULT_FORMATS)[number]
  statuses: readonly (EntryStatus | undefined)[]
  group?: string | undefined
  /** The file; undefined: standard output. */
  output: string | undefined
}

export async function downloadResults(
  { client, signal }: Pick<Session, 'client' | 'signal'>,
  id: string,
  { format, statuses, group, output }: ResultsChoice,
): Promise<void> {
  let target: NodeJS.WritableStream | undefined
  for (const [at, completionStatus] of statuses.entries()) {
    const stream = await client.jobs.download(id, { format, completionStatus, group, signal })
    // The file is created after the response has arrived: a refused request leaves no empty file.
    target ??= output === undefined ? process.stdout : createWriteStream(output)
    const isLast = at === statuses.length - 1
    const rows = at > 0 && format === 'csv' ? withoutHeader(stream) : stream
    await pipeline(Readable.from(rows), target, { end: isLast && output !== undefined })
  }
}

const [QUOTE, LINE_FEED] = [0x22, 0x0a]

/** Removes the header, since a file needs one only. A quoted heading may contain line breaks. */
export async function* withoutHeader(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let [isPast, isQuoted] = [false, false]
  for await (const chunk of chunks) {
    if (isPast) yield chunk
    else {
      const end = chunk.findIndex(byte => {
        if (byte === QUOTE) isQuoted = !isQuoted
        return byte === LINE_FEED && !isQuoted
      })
      isPast = end >= 0
      if (isPast) yield chunk.subarray(end + 1)
    }
  }
}
