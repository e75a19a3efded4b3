import { app } from './app.ts'
import { consumeJobs } from './background-job/run/consumer.ts'
import { sweep } from './cron.ts'

import { entryKinds } from './kinds.ts'

export { JobCounter } from './background-job/run/counter.ts'
export { SenderPace } from './message/bulk/pace.ts'

export default { fetch: app.fetch, queue: consumeJobs(entryKinds), scheduled: sweep } satisfies ExportedHandler<Env>
