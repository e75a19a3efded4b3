import { env } from 'cloudflare:workers'
import { app } from './app.ts'
import { consumeJobs } from './background-job/run/consumer.ts'
import { readJobSettings } from './background-job/settings.ts'
import { signalCommit } from './event/signal/signal.ts'
import { isInstallationPaused } from './http/pause.ts'
import { createEntryKinds } from './kinds.ts'
import { consumeMaintenance, runCron } from './maintenance/cron.ts'
import { consumeSettlements } from './message/ledger/consumer.ts'
import { consumeReports } from './message/provider-report/consumer.ts'
import { requireSettings } from './settings.ts'

export { TeamBudget } from './auth/budget/team-budget.ts'
export { JobProgress } from './background-job/run/job-progress.ts'
export { DatabaseContention } from './db/contention/database-contention.ts'
export { NumberRateLimiter } from './message/send/rate-limiter.ts'
export { MessageSender } from './message/sender/message-sender.ts'
export { DueActions } from './process/due/due-actions.ts'
export { TeamEvents } from './webhook/endpoint/team-events.ts'
export { WebhookEndpoint } from './webhook/endpoint/webhook-endpoint.ts'

// A wrong setting stops the Worker from starting, so that no job finds it out.
readJobSettings(env)

/** The delay of a message during maintenance. With the retries of the queues and of dead letters, a message outlives a day. */
const PAUSED_DELAY_SECONDS = 15 * 60

/** Handles messages of the queues: about jobs, webhooks, settlements that the database did not take at once, and maintenance tasks. */
const queue = async (batch: MessageBatch, env: Env): Promise<void> => {
  requireSettings(env)
  if (isInstallationPaused(env)) return batch.retryAll({ delaySeconds: PAUSED_DELAY_SECONDS })
  const { queue } = batch
  const ofFeatures = await consumeReports({ queue, messages: await consumeMaintenance(batch.messages, env) }, env)
  const messages = await consumeSettlements(ofFeatures, env)
  if (messages.length > 0) await consumeJobs(createEntryKinds, signalCommit)({ queue, messages }, env)
}

export default { fetch: app.fetch, queue, scheduled: runCron } satisfies ExportedHandler<Env>
