import { settingsOf } from '../../background-job/settings.ts'
import { logRetentionOf } from '../../event/settings.ts'
import { retentionOf } from '../../retention.ts'
import type { ErasureRetention } from './remains.ts'

/** How long the installation keeps what an erasure leaves. */
export function erasureRetentionOf(env: Env): ErasureRetention {
  const { messageMs, trashMs, mediaMs } = retentionOf(env)
  return {
    ...{ messageMs, trashMs, mediaMs },
    historyMs: logRetentionOf(env).historyMs,
    jobMs: settingsOf(env).retentionMs,
  }
}
