import { app } from './app.ts'
import { consumeJobs } from './background-job/run/consumer.ts'
import { sweep } from './cron.ts'
import { entryKinds } from './kinds.ts'
import { consumeSettlements } from './message/ledger/consumer.ts'

export { JobCounter } from './background-job/run/counter.ts'
export { SenderPace } from './message/bulk/pace.ts'

/** The queue holds messages about jobs, and settlements of messages that the database did not take at once. */
const queue = async (batch: MessageBatch, env: Env): Promise<void> => {
  const messages = await consumeSettlements(batch.messages, env)
  if (messages.length > 0) await consumeJobs(entryKinds)({ queue: batch.queue, messages }, env)
}

export default { fetch: app.fetch, queue, scheduled: sweep } satisfies ExportedHandler<Env>
