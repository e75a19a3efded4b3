import type { EntryKind, Step } from '../../background-job/kind.ts'
import type { Provider } from '../../plugin/provider.ts'
import type { Cipher } from '../../plugin/secret/cipher.ts'
import { isStale } from '../../procedure/definition-guard.ts'
import { findProcesses } from '../../process/bulk/kinds.ts'
import type { SettlementQueue } from '../ledger/settle.ts'
import { reportDeliveries } from '../of-job.ts'
import type { SenderPool } from '../sender/dispatch.ts'
import type { RateLimiters } from './reserve.ts'
import { MessageData } from './schema.ts'
import { isSendConflict, runMessages } from './send.ts'

/** What sending needs besides the database. */
export interface BulkSender {
  provider: Provider
  cipher: Cipher
  limiters: RateLimiters
  queue: SettlementQueue
  pool: SenderPool
  /** How long messages are kept. */
  retentionMs: number
}

/** A step of messages. */
export interface SendStep extends Step {
  sender: BulkSender
}

/** What a number sends in two seconds, and ten in a quarter of one: well within the minute after which messages count as lost. */
const STEP_ENTRIES_MAX = 192

export const messageKind = (sender: BulkSender): EntryKind => ({
  permission: 'message:send',
  schema: MessageData,
  run: step => runMessages({ ...step, sender }),
  find: findProcesses,
  isConflict: isSendConflict,
  isStale,
  stepEntriesMax: STEP_ENTRIES_MAX,
  waitsFor: ({ pluginId, whatsappPhoneNumberId }) => `${String(pluginId).toLowerCase()}/${whatsappPhoneNumberId}`,
  retriesByName: true,
  queue: 'sends',
  metaOf: async (scope, job) => ({ ...(await reportDeliveries(scope, job)) }),
})
