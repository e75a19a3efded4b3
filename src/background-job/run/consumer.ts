import { describeError } from '../../describe-error.ts'
import type { EntryKinds } from '../kind.ts'
import { JobMessage, toLogFields } from '../queue.ts'
import { retryDelaySeconds } from '../rules.ts'
import { type CommittedTeam, createEngine } from './engine.ts'
import { runDeadLetter, runJob } from './run-job.ts'

/** An installation has a name of its own before it: `caseworker-acme-jobs-dead`. */
const DEAD_LETTERS = /(^|-)jobs-dead$/

/** A message only names a job: what is left to do is read from the database. */
export const consumeJobs =
  (getKinds: (env: Env) => EntryKinds, committed: (env: Env, team: CommittedTeam) => Promise<void>) =>
  async (batch: Pick<MessageBatch, 'queue' | 'messages'>, env: Env): Promise<void> => {
    for (const message of batch.messages) {
      const body = JobMessage.safeParse(message.body)
      if (!body.success) {
        console.error(JSON.stringify({ message: message.id, cause: 'it is not a message about a job' }))
        message.ack()
        continue
      }
      try {
        const engine = createEngine(env, getKinds(env), team => committed(env, team))
        if (DEAD_LETTERS.test(batch.queue)) await runDeadLetter(engine, body.data)
        else await runJob(engine, body.data, message.attempts)
        message.ack()
      } catch (error) {
        const delaySeconds = retryDelaySeconds(message.attempts, Math.random())
        const { team, teamId, job, jobId } = body.data
        const named = { ...toLogFields({ id: teamId }, { no: job, id: jobId }), teamNo: team }
        const { attempts } = message
        console.error(JSON.stringify({ ...named, attempts, delaySeconds, cause: describeError(error) }))
        message.retry({ delaySeconds })
      }
    }
  }
