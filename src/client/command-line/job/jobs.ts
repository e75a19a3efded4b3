import type { Command } from '../command/command.ts'
import { choiceOption, wholeNumberOption } from '../command/options.ts'
import { printOne, printRows, ROW_OPTIONS } from '../output/print-rows.ts'
import { JOB } from './watch.ts'

const STATUSES = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED'] as const
const LIMIT = 20
const COLUMNS = ['id', 'completionStatus', 'total', 'createdAt', 'completedAt', 'statusMessage']

export const jobsCommand: Command = {
  name: 'jobs',
  group: 'Jobs',
  summary: 'List jobs, newest first, or show one',
  arguments: [{ ...JOB, optional: true }],
  options: {
    status: { value: 'status', summary: 'only jobs with this status', choices: STATUSES },
    limit: { value: 'n', summary: `the maximum number (default ${LIMIT})` },
    ...ROW_OPTIONS,
  },
  examples: ['jobs --status IN_PROGRESS'],
  run: {
    async remote({ client, signal }, given) {
      const [id] = given.words
      if (id !== undefined) await printOne(given, await client.jobs.get(id, { signal }), COLUMNS)
      else {
        const completionStatus = choiceOption(given, 'status', STATUSES)
        const query = { completionStatus, limit: wholeNumberOption(given, 'limit') ?? LIMIT }
        await printRows(given, client.jobs.list(query, { signal }), COLUMNS)
      }
      return undefined
    },
  },
}
