import { archiveChore, archiveRemovalChore, lostArchiveChore } from '../background-job/archive/chores.ts'
import { expiryChore, removalChore } from '../background-job/chores/expire.ts'
import { projectionRemovalChore } from '../background-job/chores/projections.ts'
import { resumeChore, wakeChore } from '../background-job/chores/wake.ts'
import { getQueues } from '../background-job/queue.ts'
import { settingsOf } from '../background-job/settings.ts'
import type { Chore } from '../chore.ts'
import { erasureChore } from '../customer/erasure/chore.ts'
import { mergerChore } from '../customer/merger/chore.ts'
import type { Db } from '../db/client.ts'
import { erasureSweepChore } from '../erasure/chore.ts'
import { eventExpiryChore } from '../event/expire.ts'
import { logRetentionOf } from '../event/settings.ts'
import { signalCommit } from '../event/signal/signal.ts'
import { recordExpiryChore } from '../http/idempotency/expire.ts'
import { entryKinds } from '../kinds.ts'
import { messageExpiryChore } from '../message/ledger/expire.ts'
import { interruptedMessagesChore } from '../message/ledger/sweep.ts'
import { mediaExpiryChore } from '../message/media/expire.ts'
import { isPluginStopped } from '../plugin/is-stopped.ts'
import { indexBuildChore } from '../procedure/index/build-chore.ts'
import { dueChore } from '../process/due/chore.ts'
import { trashExpiryChore } from '../process/rows/trash-expiry.ts'
import { tombstoneExpiryChore } from '../record/tombstone.ts'
import { requestExpiryChore } from '../request/expire.ts'
import { requestLogOf } from '../request/settings.ts'
import { retentionOf } from '../retention.ts'
import { sessionExpiryChore } from '../session/expire.ts'
import { overdueEndpointChore } from '../webhook/endpoint/overdue.ts'
import { deliveryExpiryChore } from '../webhook/expire.ts'
import { emptyResponses, selectDeliveriesEnd } from '../webhook/responses.ts'

/** What a chore is made of: each call of `db` gives a connection with a time limit of its own. */
export interface ChoreContext {
  env: Env
  db: () => Db
  now: number
}

/** All chores, in the order in which the cron runs them. None depends on another. */
export const CHORES: Readonly<Record<string, (context: ChoreContext) => Chore>> = {
  'resume jobs': ({ db, now }) => resumeChore(db, isPluginStopped, now),
  'wake jobs': ({ env, db, now }) => wakeChore(db, getQueues(env), settingsOf(env), now),
  'tell overlooked next actions': ({ env, db, now }) => dueChore(env, db, now),
  'settle interrupted messages': ({ env, db, now }) => interruptedMessagesChore(env, db, now),
  'wake webhooks': ({ env, db, now }) => overdueEndpointChore(env, db, now),
  'archive jobs': ({ env, db, now }) => archiveChore(env.ARCHIVE, db, settingsOf(env), now),
  'expire jobs': ({ env, db, now }) => expiryChore(db, settingsOf(env), now),
  'remove archives': ({ env, db, now }) => archiveRemovalChore(env.ARCHIVE, db, now),
  'remove lost archives': ({ env, db, now }) => lostArchiveChore(env.ARCHIVE, db, now),
  'remove chunks': ({ db, now }) => removalChore(db, now),
  'remove dry runs': ({ db }) => projectionRemovalChore(db),
  'expire idempotency records': ({ db, now }) => recordExpiryChore(db, now),
  'expire messages': ({ env, db, now }) => messageExpiryChore(db, retentionOf(env).messageMs, now),
  'empty the trash': ({ env, db, now }) => trashExpiryChore(db, retentionOf(env).trashMs, now),
  'expire deliveries': ({ db, now }) => deliveryExpiryChore(db, now),
  'expire sessions': ({ db, now }) => sessionExpiryChore(db, now),
  'expire media': ({ env, db, now }) => mediaExpiryChore(env.MEDIA, db, retentionOf(env).mediaMs, now),
  'expire events': ({ env, db, now }) => eventExpiryChore(db, logRetentionOf(env).historyMs, now),
  'expire requests': ({ env, db, now }) => requestExpiryChore(db, requestLogOf(env).retentionMs, now),
  'merge customers': ({ env, db, now }) => mergerChore(env, db, now),
  'erase customers': ({ env, db, now }) => erasureChore({ db, now, committed: team => signalCommit(env, team) }),
  'sweep after erasures': ({ env, db }) =>
    erasureSweepChore({
      bucket: env.ARCHIVE,
      db,
      deliveries: { empty: emptyResponses, selectEnd: selectDeliveriesEnd },
      kinds: entryKinds(env),
    }),
  'forget erasures': ({ db, now }) => tombstoneExpiryChore(db, now),
  'build indexes': ({ db, now }) => indexBuildChore(db, now),
}
