import { createArchiveRemovalTask, createArchiveTask, createLostArchiveTask } from '../background-job/archive/tasks.ts'
import { createChunkRemovalTask, createExpiryTask } from '../background-job/maintenance/expire.ts'
import { createProjectionRemovalTask } from '../background-job/maintenance/projections.ts'
import { createResumeTask, createWakeTask } from '../background-job/maintenance/wake.ts'
import { getQueues } from '../background-job/queue.ts'
import { readJobSettings } from '../background-job/settings.ts'
import { createErasureTask } from '../customer/erasure/task.ts'
import { createMergerTask } from '../customer/merger/task.ts'
import { createTombstoneExpiryTask } from '../customer-record/tombstone.ts'
import type { Db } from '../db/client.ts'
import { createErasureNoteExpiryTask } from '../erasure-sweep/note.ts'
import { createErasureSweepTask } from '../erasure-sweep/task.ts'
import { createEventExpiryTask } from '../event/expire.ts'
import { createLostObjectTask } from '../event/object/lost.ts'
import { createMoveTask } from '../event/object/move.ts'
import { readLogRetention } from '../event/settings.ts'
import { signalCommit } from '../event/signal/signal.ts'
import { createIdempotencyExpiryTask } from '../http/idempotency/expire.ts'
import { createEntryKinds } from '../kinds.ts'
import type { MaintenanceTask } from '../maintenance-task.ts'
import { createMessageExpiryTask } from '../message/ledger/expire.ts'
import { createInterruptedMessagesTask } from '../message/ledger/interrupted-messages.ts'
import { createMediaExpiryTask } from '../message/media/expire.ts'
import { wherePluginStopped } from '../plugin/stop.ts'
import { createIndexBuildTask } from '../procedure/index/build-task.ts'
import { createMissedDueTask } from '../process/due/task.ts'
import { createTrashExpiryTask } from '../process/rows/trash-expiry.ts'
import { createRequestExpiryTask } from '../request-log/expire.ts'
import { readRequestLogSettings } from '../request-log/settings.ts'
import { readRetention } from '../retention.ts'
import { createSessionExpiryTask } from '../session/expire.ts'
import { createOverdueEndpointTask } from '../webhook/endpoint/overdue.ts'
import { createDeliveryExpiryTask } from '../webhook/expire.ts'
import { emptyResponses, selectDeliveriesEnd } from '../webhook/responses.ts'
import { createReencryptionTask } from './reencrypt.ts'

/** What a maintenance task is made of: each call of `db` gives a connection with a time limit of its own. */
export interface MaintenanceContext {
  env: Env
  db: () => Db
  now: number
}

/** All maintenance tasks, in the order in which the cron runs them. None depends on another. */
export const MAINTENANCE_TASKS: Readonly<Record<string, (context: MaintenanceContext) => MaintenanceTask>> = {
  'resume jobs': ({ db, now }) => createResumeTask(db, wherePluginStopped, now),
  'wake jobs': ({ env, db, now }) => createWakeTask(db, getQueues(env), readJobSettings(env), now),
  'notify of missed next actions': ({ env, db, now }) => createMissedDueTask(env, db, now),
  'settle interrupted messages': ({ env, db, now }) => createInterruptedMessagesTask(env, db, now),
  'wake webhooks': ({ env, db, now }) => createOverdueEndpointTask(env, db, now),
  'archive jobs': ({ env, db, now }) => createArchiveTask(env.ARCHIVE, db, readJobSettings(env), now),
  'expire jobs': ({ env, db, now }) => createExpiryTask(db, readJobSettings(env), now),
  'remove archives': ({ env, db, now }) => createArchiveRemovalTask(env.ARCHIVE, db, now),
  'remove lost archives': ({ env, db, now }) => createLostArchiveTask(env.ARCHIVE, db, now),
  'remove chunks': ({ db, now }) => createChunkRemovalTask(db, now),
  'remove dry runs': ({ db }) => createProjectionRemovalTask(db),
  'expire idempotency records': ({ db, now }) => createIdempotencyExpiryTask(db, now),
  'expire messages': ({ env, db, now }) => createMessageExpiryTask(db, readRetention(env).messageMs, now),
  'empty the trash': ({ env, db, now }) => createTrashExpiryTask(db, readRetention(env).trashMs, now),
  'expire deliveries': ({ db, now }) => createDeliveryExpiryTask(db, now),
  'expire sessions': ({ db, now }) => createSessionExpiryTask(db, now),
  'expire media': ({ env, db, now }) => createMediaExpiryTask(env.MEDIA, db, readRetention(env).mediaMs, now),
  'move history': ({ env, db, now }) =>
    createMoveTask({ bucket: env.ARCHIVE, db, now, recentMs: readLogRetention(env).recentMs }),
  'remove lost history': ({ env, db, now }) => createLostObjectTask(env.ARCHIVE, db, now),
  'expire events': ({ env, db, now }) =>
    createEventExpiryTask({ bucket: env.ARCHIVE, db, now }, readLogRetention(env).historyMs),
  'expire requests': ({ env, db, now }) => createRequestExpiryTask(db, readRequestLogSettings(env).retentionMs, now),
  'merge customers': ({ env, db, now }) => createMergerTask(env, db, now),
  'erase customers': ({ env, db, now }) =>
    createErasureTask({ bucket: env.ARCHIVE, db, now, committed: team => signalCommit(env, team) }),
  'sweep after erasures': ({ env, db, now }) =>
    createErasureSweepTask({
      bucket: env.ARCHIVE,
      db,
      now,
      deliveries: { empty: emptyResponses, selectEnd: selectDeliveriesEnd },
      kinds: createEntryKinds(env),
    }),
  'forget erasures': ({ db, now }) => createTombstoneExpiryTask(db, now),
  'expire notes of erasures': ({ env, db, now }) => createErasureNoteExpiryTask(env.ARCHIVE, db, now),
  'encrypt secrets again': ({ env, db, now }) => createReencryptionTask(env, db, now),
  'build indexes': ({ db, now }) => createIndexBuildTask(db, now),
}
