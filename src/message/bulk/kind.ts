import type { EntryKind, Step } from '../../background-job/kind.ts'
import type { Provider } from '../../plugin/provider.ts'
import type { Cipher } from '../../plugin/secrets.ts'
import { isStale } from '../../procedure/definition-guard.ts'
import type { SettlementQueue } from '../ledger/settle.ts'
import type { SenderPaces } from './pacing.ts'
import { MessageData } from './schema.ts'
import { isSendConflict, runMessages } from './send.ts'

/** What sending needs besides the database. */
export interface BulkSender {
  provider: Provider
  cipher: Cipher
  pace: SenderPaces
  queue: SettlementQueue
  /** How long messages are kept. */
  retentionMs: number
}

/** A step of messages. */
export interface SendStep extends Step {
  sender: BulkSender
}

/** So few that they are sent well within the minute after which they count as lost. */
const STEP_ENTRIES_MAX = 12

export const messageKind = (sender: BulkSender): EntryKind => ({
  permission: 'message:send',
  schema: MessageData,
  run: step => runMessages({ ...step, sender }),
  isConflict: isSendConflict,
  isStale,
  stepEntriesMax: STEP_ENTRIES_MAX,
  retriesByName: true,
  queue: 'sends',
})
