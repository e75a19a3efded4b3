import { readJobSettings } from '../../background-job/settings.ts'
import { readLogRetention } from '../../event/settings.ts'
import { readRetention } from '../../retention.ts'
import type { ErasureRetention } from './remains.ts'

/** How long the installation keeps what an erasure leaves. */
export function readErasureRetention(env: Env): ErasureRetention {
  const { messageMs, trashMs, mediaMs } = readRetention(env)
  return {
    messageMs,
    trashMs,
    mediaMs,
    historyMs: readLogRetention(env).removedMs,
    jobMs: readJobSettings(env).retentionMs,
  }
}
