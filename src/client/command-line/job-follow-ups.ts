import { CaseworkerError, type EntryStatus, type Job } from '../client.ts'
import { isRestRunnable } from '../jobs.ts'
import { type Command, type ExitCode, RefusedError } from './command/command.ts'
import { getChoice, getJson, getOption, hasFlag } from './command/options.ts'
import { FAILED_TO_OPTION, getFailedRowsFile, JOB } from './job-options.ts'
import { confirm, formatCount } from './output/terminal.ts'
import { followJob } from './watch.ts'

const RETRIED_STATUSES = ['INVALID', 'ERROR', 'CANCELLED'] as const satisfies EntryStatus[]

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

const RETRIES_PRINTED = 3

/** The question before an undo: what is taken back, and whether that was done already. */
function describeUndo({ counts, title, retries, undoneBy }: Job, keepsRetries: boolean): string {
  const { undoFirst = [], succeeded = 0 } = retries ?? {}
  const more = undoFirst.length > RETRIES_PRINTED ? ', …' : ''
  const names = `${formatCount(undoFirst.length, 'retry', 'retries')} (${undoFirst.slice(0, RETRIES_PRINTED).join(', ')}${more})`
  const ofRetries =
    undoFirst.length === 0
      ? ''
      : `${keepsRetries ? ', but not' : ', and'} what ${formatCount(succeeded, 'entry', 'entries')} of its ${names} changed`
  const already =
    undoneBy === undefined ? '' : ` It was undone already, by ${undoneBy}: what that took back is left as it is.`
  const own = formatCount(counts.SUCCESS, 'entry', 'entries')
  return `${title}: what ${own} changed will be taken back${ofRetries}. What somebody has changed since stays as it is. Customers stay, also those whom it has made.${already} Continue?`
}
