import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isWorkbookName } from '../../import-file/workbook/name.ts'
import { CaseworkerError, type EntryStatus, type Job, type JobFailures } from '../client.ts'
import { isRestRunnable } from '../jobs.ts'
import { requireFailedRowsFile } from './bulk-failures.ts'
import {
  type Argument,
  type Command,
  EXIT,
  type ExitCode,
  type Options,
  type ParsedArguments,
  RefusedError,
  type Session,
  UsageError,
} from './command/command.ts'

import { getChoice, getJson, getOption, getWholeNumber, hasFlag } from './command/options.ts'
import { getRowFormat, printOne, printRows, ROW_OPTIONS } from './output/rows.ts'
import { confirm, formatCount, formatNumber, print, printError } from './output/terminal.ts'

export const JOB: Argument = { name: 'job', summary: 'the id of the job' }

export const FAILED_TO_OPTION = {
  'failed-to': { value: 'file', summary: 'write the failed rows as CSV, with _error', completed: 'file' },
} as const satisfies Options

/** The file for the failed rows of a job that is followed. */
export async function getFailedRowsFile(args: ParsedArguments): Promise<string | undefined> {
  const target = getOption(args, 'failed-to')
  if (target !== undefined && isWorkbookName(target)) throw new UsageError('--failed-to writes CSV: call the file .csv')
  if (target !== undefined && hasFlag(args, 'detach')) throw new UsageError('--failed-to waits: it excludes --detach')
  if (target !== undefined) await requireFailedRowsFile(target)
  return target
}

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

const FAILED_STATUSES = ['INVALID', 'ERROR'] as const satisfies EntryStatus[]
const RETRIED_STATUSES = [...FAILED_STATUSES, 'CANCELLED'] as const satisfies EntryStatus[]
const ENTRY_STATUSES = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', ...RETRIED_STATUSES] as const satisfies EntryStatus[]
const JOB_STATUSES = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED'] as const
const LIST_LIMIT = 20
const JOB_COLUMNS = ['id', 'completionStatus', 'title', 'createdAt', 'completedAt', 'statusMessage']

export const jobsCommand: Command = {
  name: 'jobs',
  group: 'Jobs',
  summary: 'List jobs, newest first, or show one',
  arguments: [{ ...JOB, optional: true }],
  options: {
    status: { value: 'status', summary: 'only jobs with this status', choices: JOB_STATUSES },
    limit: { value: 'n', summary: `the maximum number (default ${LIST_LIMIT})` },
    ...ROW_OPTIONS,
  },
  examples: ['jobs --status IN_PROGRESS'],
  run: {
    async remote({ client, signal }, args) {
      const [id] = args.words
      if (id !== undefined) await printOne(args, await client.jobs.get(id, { signal }), JOB_COLUMNS)
      else {
        const completionStatus = getChoice(args, 'status', JOB_STATUSES)
        const query = { completionStatus, limit: getWholeNumber(args, 'limit') ?? LIST_LIMIT }
        await printRows(args, client.jobs.list(query, { signal }), JOB_COLUMNS)
      }
      return undefined
    },
  },
}

const ERROR_COLUMNS = ['count', 'code', 'path', 'message', 'hint', 'group']

export const errorsCommand: Command = {
  name: 'errors',
  group: 'Jobs',
  summary: 'Show why entries of a job failed, the most frequent reason first',
  details: 'Entries with the same code at the same place are one group, whatever their values.',
  arguments: [JOB],
  options: { limit: { value: 'n', summary: `the maximum number of groups (default ${LIST_LIMIT})` }, ...ROW_OPTIONS },
  examples: ['errors 01a20220-abf5-79f6-85f4-01e9682e120b'],
  run: {
    async remote({ client, signal }, args) {
      const [id = ''] = args.words
      const limit = getWholeNumber(args, 'limit') ?? LIST_LIMIT
      const groups = client.jobs.errors(id, { limit }, { signal })
      await printRows(args, getRowFormat(args) === 'table' ? eachReason(groups) : groups, ERROR_COLUMNS)
      return undefined
    },
  },
}

/** For people, what is wrong is a row each. */
async function* eachReason(groups: AsyncIterable<JobFailures>): AsyncGenerator<object> {
  for await (const group of groups) for (const reason of group.reasons) yield { ...group, ...reason }
}

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

async function downloadResults(
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

export const cancelCommand: Command = {
  name: 'cancel',
  group: 'Jobs',
  summary: 'Cancel a job: what has not started is not done',
  details: '`retry <job> --status CANCELLED` runs it later.',
  arguments: [JOB],
  options: {},
  examples: [],
  run: {
    async remote({ client, signal }, { words: [id = ''] }) {
      const job = await client.jobs.cancel(id, { signal })
      printError(`${job.statusMessage ?? job.completionStatus}\n`)
      printWayOn(job)
      return undefined
    },
  },
}

export const retryCommand: Command = {
  name: 'retry',
  group: 'Jobs',
  summary: 'Run the failed entries of a job again, or those that it has not run, as a new job',
  details:
    'Without options, those with ERROR. INVALID entries are read and checked again; CANCELLED are those that a cancelled job has not run, and run once. --update is merged into each entry: null takes an attribute out of it.',
  arguments: [JOB],
  options: {
    group: { value: 'group', summary: 'only entries of a group that `errors` shows' },
    status: { value: 'status', summary: 'only entries with this status', choices: RETRIED_STATUSES },
    update: { value: 'json', summary: 'what to correct: \'{"data": {"score": 40}}\'' },
    ...FAILED_TO_OPTION,
    detach: { summary: 'print the id of the new job and do not wait' },
  },
  examples: [
    'retry 01a20220-abf5-79f6-85f4-01e9682e120b --status CANCELLED',
    'retry 01a20220-abf5-79f6-85f4-01e9682e120b --group invalid_request:/body/data/score --update \'{"data": {"score": 40}}\'',
  ],
  run: {
    async remote(session, args) {
      const [id = ''] = args.words
      await getFailedRowsFile(args)
      const update = getJson(args, 'update')
      const [group, status] = [getOption(args, 'group'), getChoice(args, 'status', RETRIED_STATUSES)]
      const body = {
        ...(group === undefined ? {} : { group }),
        ...(status === undefined ? {} : { statuses: [status] }),
        ...(update === undefined ? {} : { update }),
      }
      const options = { signal: session.signal }
      const retry = session.client.jobs.retry(id, body, options).catch(async (error: unknown) => {
        throw group === undefined && error instanceof CaseworkerError && error.is('conflict')
          ? (toRefusedRetry(await session.client.jobs.get(id, options), status) ?? error)
          : error
      })
      return followJob(session, args, (await retry).id)
    },
  },
}

/** What there is to retry of a job that has no entry of the status, and how; undefined where it has some, or runs. */
function toRefusedRetry(job: Job, status: (typeof RETRIED_STATUSES)[number] = 'ERROR'): RefusedError | undefined {
  const { id, counts, completedAt, continuedBy } = job
  if (completedAt === 0 || counts[status] > 0) return undefined
  const ways = RETRIED_STATUSES.filter(each => counts[each] > 0).flatMap(each => {
    if (each === 'CANCELLED' && continuedBy !== undefined)
      return `what was not run is run by background job ${continuedBy}`
    if (each === 'CANCELLED' && !isRestRunnable(job, counts)) return []
    return `${formatCount(counts[each], 'entry', 'entries')} with ${each}: caseworker retry ${id} --status ${each}`
  })
  const found = ways.length === 0 ? 'there is nothing to retry' : ways.join('\n')
  return new RefusedError(`background job ${id} has no entry with ${status} to retry\n${found}`)
}

export const undoCommand: Command = {
  name: 'undo',
  group: 'Jobs',
  summary: 'Take back what a job has changed, as a new job, after asking',
  details:
    'Processes get their former values; what the job has created is deleted, what it has deleted comes back; customers stay, also those whom it has made. What somebody has changed since stays as it is, and is listed: `results <undo> --failed --format csv` has its former values. There is no dry run. If the job was retried, its retries are undone before it, the newest first, each by a job of its own. An undo can be undone.',
  arguments: [JOB],
  options: {
    'keep-retries': { summary: 'leave what retries of the job have changed' },
    yes: { summary: 'do not ask', short: 'y' },
    detach: { summary: 'print the id of the new job and do not wait for it' },
  },
  examples: ['undo 01a20220-abf5-79f6-85f4-01e9682e120b'],
  run: {
    async remote(session, args) {
      const { client, signal } = session
      const [id = ''] = args.words
      const job = await client.jobs.get(id, { signal })
      const keepsRetries = hasFlag(args, 'keep-retries')
      requireUndoable(job, keepsRetries)
      await confirm(describeUndo(job, keepsRetries), hasFlag(args, 'yes'), signal)
      if (keepsRetries) return followJob(session, args, (await client.jobs.undo(id, { signal })).id)
      let worst: ExitCode | undefined
      for await (const undo of client.jobs.undoWithRetries(id, { signal }))
        worst = (await followJob(session, args, undo.id)) ?? worst
      return worst
    },
  },
}

/** Nobody is asked about what the API refuses, whose words these are. */
function requireUndoable({ id, dryRun, completedAt, counts, deliveries, retries }: Job, keepsRetries: boolean): void {
  const refuse = (why: string) => new RefusedError(`background job ${id} ${why}`)
  const isUndone = counts.SUCCESS > 0 || (!keepsRetries && (retries?.undoFirst.length ?? 0) > 0)
  if (completedAt === 0) throw refuse('is still running; it can be undone once it has ended')
  if (dryRun) throw refuse('was a dry run: it has changed nothing')
  if (!isUndone) throw refuse('has changed nothing that could be undone')
  if (deliveries !== undefined) throw refuse('has sent messages, which nothing takes back')
}

/** The question before an undo: what is taken back, and whether that was done already. */
function describeUndo({ counts, title, retries, undoneBy }: Job, keepsRetries: boolean): string {
  const { undoFirst = [], succeeded = 0 } = retries ?? {}
  const more = undoFirst.length > NAMES_PRINTED ? ', …' : ''
  const names = `${formatCount(undoFirst.length, 'retry', 'retries')} (${undoFirst.slice(0, NAMES_PRINTED).join(', ')}${more})`
  const ofRetries =
    undoFirst.length === 0
      ? ''
      : `${keepsRetries ? ', but not' : ', and'} what ${formatCount(succeeded, 'entry', 'entries')} of its ${names} changed`
  const already =
    undoneBy === undefined ? '' : ` It was undone already, by ${undoneBy}: what that took back is left as it is.`
  const own = formatCount(counts.SUCCESS, 'entry', 'entries')
  return `${title}: what ${own} changed will be taken back${ofRetries}. What somebody has changed since stays as it is. Customers stay, also those whom it has made.${already} Continue?`
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
      if (signal.aborted) printError(`the job continues: caseworker watch ${id}\n`)
      throw error
    })
  printError(`${job.statusMessage ?? job.completionStatus}\n`)
  return job
}

/** Shows the progress of a job, and how many entries failed for which reason. */
async function watchWithFailures(session: Session, args: ParsedArguments, id: string): Promise<ExitCode | undefined> {
  const job = await watchToEnd(session, id)
  const codes = job.completionStatus === 'ERROR' ? await printFailures(session, id) : []
  printWayOn(job.completionStatus === 'CANCELLED' ? await session.client.jobs.get(id, { signal: session.signal }) : job)
  const output = await getFailedRowsFile(args)
  if (output !== undefined) await downloadResults(session, id, { format: 'csv', statuses: FAILED_STATUSES, output })
  const advice =
    countFailed(job) === 0
      ? undefined
      : adviseOnFailedRows(await session.client.jobs.get(id, { signal: session.signal }), codes, output)
  if (advice !== undefined) printError(`${advice}\n`)
  return job.completionStatus === 'SUCCESS' ? undefined : EXIT.entriesFailed
}

/** Says what is to be done with failed rows. What others have changed since a plan is looked at before it is sent again. */
function adviseOnFailedRows(
  { applyOf, undoOf, deliveries }: Job,
  codes: readonly JobFailures['code'][],
  output: string | undefined,
): string | undefined {
  // Results of messages are no rows that could be sent.
  if (deliveries !== undefined) return output === undefined ? undefined : `the failed entries are in ${output}`
  if (undoOf !== null)
    return output === undefined ? undefined : `what was left as it is stands in ${output}, its former values in _before`
  const isChanged = applyOf !== null && codes.includes('changed_since')
  if (output === undefined)
    return isChanged ? 'to plan them again: --failed-to <file>, and send that file with --plan' : undefined
  if (!isChanged) return `the failed rows are in ${output}: fix them, and send that file`
  const [what, first] = codes.length === 1 ? ['them', ''] : ['some of them', 'fix the others, and ']
  return `the failed rows are in ${output}: others have changed ${what} since the plan; ${first}send that file with --plan, which shows what it would change now`
}

/** Says how what a cancelled job has not run is run, or which job has it. */
function printWayOn({ id, counts, continuedBy, ...job }: Job): void {
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

const BAR_WIDTH = 30

const countDone = ({ counts, total }: Job): number => total - counts.NOT_STARTED - counts.IN_PROGRESS

const countFailed = ({ counts }: Job): number => counts.ERROR + counts.INVALID

function getShare(job: Job): number {
  if (job.isCollecting) return 0
  return job.total === 0 ? 1 : countDone(job) / job.total
}

/** The progress of a job, in one line. */
export function formatProgress(job: Job): string {
  const done = countDone(job)
  const share = getShare(job)
  const failed = countFailed(job) === 0 ? '' : `, ${formatNumber(countFailed(job))} failed`
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  return `${percent}  ${formatNumber(done)} of ${formatNumber(job.total)}${failed}${formatEstimate(job)}`
}

/** What holds a job up; where one is to start later or is paused, its note says why. */
const LIMITS = {
  'team-share': ', waits until other jobs of the team have ended',
  'sender-pace': ', at the pace of the sender number',
  provider: ', the provider has put messages off',
  schedule: '',
  paused: '',
} as const satisfies Record<NonNullable<Job['progress']['limitedBy']>, string>

function formatEstimate(job: Job): string {
  const { etaAt, limitedBy } = job.progress
  if (job.completedAt !== 0 || countDone(job) === job.total) return ''
  const left = etaAt === null ? '' : `, about ${formatDuration(Math.max(0, etaAt - Date.now()))} left`
  return `${left}${limitedBy === null ? '' : LIMITS[limitedBy]}`
}

const [SECOND_MS, MINUTE_MS] = [1_000, 60_000]
const [MINUTE_SECONDS, HOUR_MINUTES] = [60, 60]

/** Rounded as people say it: "40 s", "3 min", "2 h 10 min". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / SECOND_MS))
  if (seconds < MINUTE_SECONDS) return `${seconds} s`
  const minutes = Math.round(ms / MINUTE_MS)
  if (minutes < HOUR_MINUTES) return `${minutes} min`
  const rest = minutes % HOUR_MINUTES
  return `${formatNumber(Math.floor(minutes / HOUR_MINUTES))} h${rest === 0 ? '' : ` ${rest} min`}`
}

export function formatProgressBar(job: Job): string {
  const filled = Math.floor(getShare(job) * BAR_WIDTH)
  return `[${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}] ${formatProgress(job)}`
}

interface Progress {
  show: (job: Job) => void
  end: () => void
}

/** The note beside the counts: that the job waits, is paused and why, or still finds its entries. */
function formatNote({ statusMessage, completedAt, isCollecting, ...job }: Job): string | undefined {
  if (!statusMessage || completedAt !== 0) return undefined
  if (isCollecting) return job.retryOf || job.applyOf || job.undoOf ? 'Reading the other job' : 'Finding what matches'
  const [, reason] = /^(Paused: [\s\S]*\.) Of [\d,]+ entr/.exec(statusMessage) ?? []
  return reason ?? (statusMessage.startsWith('Waiting') ? statusMessage : undefined)
}

/** Without a terminal, one line is printed for each tenth. */
const TENTHS = 10

export function createProgressReporter(write: (text: string) => void, isTerminal: boolean): Progress {
  let tenth = -1
  let printed: string | undefined
  const printNote = (job: Job, begin = '', end = '') => {
    const note = formatNote(job)
    if (note !== undefined && note !== printed) write(`${begin}${note}${end}\n`)
    printed = note
  }
  if (isTerminal)
    return {
      show(job) {
        printNote(job, '\r', '\u001b[K')
        write(`\r${formatProgressBar(job)}\u001b[K`)
      },
      end: () => write('\n'),
    }
  return {
    show(job) {
      printNote(job)
      const next = Math.floor(getShare(job) * TENTHS)
      if (next > tenth) write(`${formatProgress(job)}\n`)
      tenth = Math.max(tenth, next)
    },
    end: () => {},
  }
}
