import { app } from './app.ts'
import { consume } from './background-job/run/consumer.ts'
import { sweep } from './cron.ts'

export { JobCounter } from './background-job/run/counter.ts'
export { SenderPace } from './message/bulk/pace.ts'

export default { fetch: app.fetch, queue: consume, scheduled: sweep } satisfies ExportedHandler<Env>
