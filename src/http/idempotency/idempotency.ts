import type { Context } from 'hono'
import { mayHaveTakenEffect } from '../../db/storage-error.ts'
import type { IdempotencyRecord } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { pointer } from '../request/faults.ts'
import { readKey } from './key.ts'
import { isFingerprint, selectRecord, toIdempotencyRecord } from './record.ts'

/** The time for which an outcome is looked up. A write that hung has used up the request's own. */
const LOOK_UP_MS = 5_000

/**
 * Acts at once, without asking first whether the key was used: the record is in the same transaction as the change, so a
 * second request with the key can't take effect. Only when it fails is the outcome of the first one looked up.
 */
export async function withIdempotency<Outcome>(
  c: Context<AppEnv>,
  digestBody: () => Promise<string>,
  perform: (record: IdempotencyRecord | null) => Promise<Outcome>,
): Promise<{ outcome: Outcome; replayed: boolean }> {
  const key = await readKey(c, digestBody)
  if (key === undefined) return { outcome: await perform(null), replayed: false }
  try {
    return { outcome: await perform(toIdempotencyRecord(key)), replayed: false }
  } catch (error) {
    const [[first]] = await c.var.db
      .reconnect(LOOK_UP_MS)
      .read(selectRecord(key))
      .catch((failure: unknown) => {
        throw mayHaveTakenEffect(error) ? error : failure
      })
    if (first === undefined) throw error
    if (!isFingerprint(first.fingerprint, await key.fingerprint()))
      throw new AppError('idempotency_key_reused', [
        {
          message: 'this idempotency key was used for another request',
          path: pointer('header', 'idempotency-key'),
          hint: 'send a new key, or the request that had this one',
        },
      ])
    return { outcome: JSON.parse(first.outcome) as Outcome, replayed: true }
  }
}
