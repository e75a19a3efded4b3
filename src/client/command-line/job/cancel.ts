import type { Command } from '../command/command.ts'
import { printError } from '../output/terminal.ts'
import { followJob } from './follow-job.ts'
import { JOB } from './watch.ts'

export const cancelCommand: Command = {
  name: 'cancel',
  group: 'Jobs',
  summary: 'Cancel a job: what has not started is not done',
  arguments: [JOB],
  options: {},
  examples: [],
  run: {
    async remote({ client, signal }, { words: [id = ''] }) {
      const { statusMessage, completionStatus } = await client.jobs.cancel(id, { signal })
      printError(`${statusMessage ?? completionStatus}\n`)
      return undefined
    },
  },
}

export const retryCommand: Command = {
  name: 'retry',
  group: 'Jobs',
  summary: 'Run the ERROR entries of a job again, as a new job',
  details: 'INVALID entries are not run again: mend their rows, which bulk --failed-to writes, and send these.',
  arguments: [JOB],
  options: { detach: { summary: 'print the id of the new job and do not wait' } },
  examples: [],
  run: {
    async remote(session, given) {
      const [id = ''] = given.words
      return followJob(session, given, (await session.client.jobs.retry(id, { signal: session.signal })).id)
    },
  },
}
