import type { EntryKind } from './background-job/kind.ts'
import { messageKind } from './message/bulk/kind.ts'
import { createSettlementQueue } from './message/ledger/queue.ts'
import { getRateLimiter } from './message/send/rate-limiter.ts'
import { createSenderPool } from './message/sender/dispatch.ts'
import { getProvider } from './plugin/provider.ts'
import { getCipher } from './plugin/secret/cipher.ts'
import { readMessagesPerSecond } from './plugin/settings.ts'
import { processKinds } from './process/bulk/kinds.ts'
import { PROCESS_ENTRY_KINDS } from './process/bulk/schema.ts'
import { createScheduler } from './process/due/schedule.ts'
import { readRetention } from './retention.ts'

const API_TYPES = [...PROCESS_ENTRY_KINDS, 'TEMPLATE_MESSAGE'] as const
type ApiType = (typeof API_TYPES)[number]

/** The kinds that can be scheduled by hand. */
export const SCHEDULED_TYPES = API_TYPES.filter(apiType => apiType !== 'PROCESS_UNDO')

/** Registers every kind of entry that a job can have, each with the bindings that it needs and no others. */
export const createEntryKinds = (env: Env): Record<ApiType, EntryKind> => ({
  ...processKinds(createScheduler(env), env.ARCHIVE),
  // A wrong setting fails here, before anything has begun.
  TEMPLATE_MESSAGE: messageKind({
    provider: getProvider(env),
    cipher: getCipher(env),
    limiters: { get: (team, number) => getRateLimiter(env, team, number), perSecond: readMessagesPerSecond(env) },
    queue: createSettlementQueue(env),
    pool: createSenderPool(env),
    retentionMs: readRetention(env).messageMs,
  }),
})
