import { archiveChore, archiveRemovalChore } from '../background-job/archive/chores.ts'
import { expiryChore, removalChore } from '../background-job/chores/expire.ts'
import { resumeChore, wakeChore } from '../background-job/chores/wake.ts'
import { queuesOf } from '../background-job/queue.ts'
import { settingsOf } from '../background-job/settings.ts'
import type { Chore } from '../chore.ts'
import { erasureChore } from '../customer/erasure/chore.ts'
import type { Db } from '../db/client.ts'
import { recordExpiryChore } from '../http/idempotency/expire.ts'
import { messageExpiryChore } from '../message/ledger/expire.ts'
import { interruptedMessagesChore } from '../message/ledger/sweep.ts'
import { mediaExpiryChore } from '../message/media/expire.ts'
import { isPluginStopped } from '../plugin/is-stopped.ts'
import { indexBuildChore } from '../procedure/index/build-chore.ts'
import { trashExpiryChore } from '../process/rows/trash-expiry.ts'
import { retentionOf } from './retention.ts'

/** What a chore is made of: each call of `db` gives a connection with a time limit of its own. */
export interface ChoreContext {
  env: Env
  db: () => Db
  now: number
}

/** All chores, in the order in which the cron runs them. None depends on another. */
export const CHORES: Readonly<Record<string, (context: ChoreContext) => Chore>> = {
  'resume jobs': ({ db, now }) => resumeChore(db, isPluginStopped, now),
  'wake jobs': ({ env, db, now }) => wakeChore(db, queuesOf(env), settingsOf(env), now),
  'settle interrupted messages': ({ db, now }) => interruptedMessagesChore(db, now),
  'archive jobs': ({ env, db, now }) => archiveChore(env.ARCHIVE, db, settingsOf(env), now),
  'expire jobs': ({ env, db, now }) => expiryChore(db, settingsOf(env), now),
  'remove archives': ({ env, db, now }) => archiveRemovalChore(env.ARCHIVE, db, now),
  'remove chunks': ({ db, now }) => removalChore(db, now),
  'expire idempotency records': ({ db, now }) => recordExpiryChore(db, now),
  'expire messages': ({ env, db, now }) => messageExpiryChore(db, retentionOf(env).messageMs, now),
  'empty the trash': ({ env, db, now }) => trashExpiryChore(db, retentionOf(env).trashMs, now),
  'expire media': ({ env, db, now }) => mediaExpiryChore(env.MEDIA, db, retentionOf(env).mediaMs, now),
  'erase customers': ({ db, now }) => erasureChore(db, now),
  'build indexes': ({ db, now }) => indexBuildChore(db, now),
}
