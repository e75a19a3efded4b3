import type { EntryKind } from '../../background-job/kind.ts'
import { isStale } from '../../procedure/definition-guard.ts'
import { findProcesses } from '../../process/bulk/kinds.ts'
import { reportDeliveries } from '../job-messages.ts'
import type { BulkSender } from './batch.ts'
import { previewMessages } from './preview.ts'
import { createSendRunner } from './runner.ts'
import { MessageData } from './schema.ts'
import { isSendConflict } from './send-batch.ts'

/** A number sends these in two seconds, ten numbers in a quarter of a second: far less than the minute after which messages count as lost. */
const BATCH_ENTRIES_MAX = 192

export const messageKind = (sender: BulkSender): EntryKind => ({
  verb: 'Send messages for',
  permission: 'message:send',
  schema: MessageData,
  find: findProcesses,
  preview: previewMessages,
  isConflict: isSendConflict,
  isStale,
  stepEntriesMax: BATCH_ENTRIES_MAX,
  retriesByName: true,
  runsErased: true,
  // By what a message is found that was sent for the entry, and what it waits for.
  keptMembers: ['pluginId', 'whatsappPhoneNumberId', 'templateName'],
  queue: {
    name: 'sends',
    runner: createSendRunner(sender),
    loadMeta: async (scope, job) => ({ ...(await reportDeliveries(scope, job)) }),
  },
})
