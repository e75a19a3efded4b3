import type { JobFailures } from '../client.ts'
import type { Command } from './command/command.ts'
import { getChoice, getWholeNumber } from './command/options.ts'
import { JOB } from './job-options.ts'
import { getRowFormat, printOne, printRows, ROW_OPTIONS } from './output/rows.ts'
import { printError } from './output/terminal.ts'
import { printWayOn } from './watch.ts'

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
