import type { Argument, Command } from '../command/command.ts'
import { watchWithFailures } from './follow-job.ts'

export const JOB: Argument = { name: 'job', summary: 'the id of the job' }

export const watchCommand: Command = {
  name: 'watch',
  group: 'Jobs',
  summary: 'Show the progress of a job until it has ended',
  arguments: [JOB],
  options: {},
  examples: ['watch 01a20220-abf5-79f6-85f4-01e9682e120b'],
  run: { remote: (session, { words: [id = ''] }) => watchWithFailures(session, id) },
}
