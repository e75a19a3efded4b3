import { app } from './app.ts'
import { consume } from './background-job/consumer.ts'
import { sweep } from './cron.ts'

export { JobCounter } from './background-job/counter.ts'
export { SenderPace } from './message/pace.ts'

export default { fetch: app.fetch, queue: consume, scheduled: sweep } satisfies ExportedHandler<Env>
