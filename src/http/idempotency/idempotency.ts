import type { Context } from 'hono'
import type { IdempotencyRecord } from '../../db/write.ts'
import { AppError, invalid } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { pointer } from '../request/faults.ts'
import { type IdempotencyKey, recordOf, selectRecord } from './record.ts'

const KEY_LENGTH_MAX = 255
const PRINTABLE = /^[\x21-\x7e]+$/

const digest = async (bytes: ArrayBuffer | string): Promise<string> => {
  const data = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', data))
  return Array.from(hash, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** The request's idempotency key, if it sent one; quoted (as the IETF draft has it) or bare (as most clients send it). */
async function readKey(c: Context<AppEnv>): Promise<IdempotencyKey | undefined> {
  const sent = c.req.header('idempotency-key')
  if (sent === undefined) return undefined
  const key = /^"(.*)"$/.exec(sent)?.[1] ?? sent
  if (key.length > KEY_LENGTH_MAX || !PRINTABLE.test(key))
    throw invalid([
      {
        message: `the idempotency key must be 1 to ${KEY_LENGTH_MAX} printable characters`,
        path: pointer('header', 'idempotency-key'),
      },
    ])
  const { scope, keyId } = c.var
  const { pathname, search } = new URL(c.req.url)
  const body = await digest(await c.req.arrayBuffer())
  return {
    team: scope.team.no,
    lookup: await digest(`${keyId} ${key}`),
    fingerprint: await digest(`${c.req.method} ${pathname}${search}\n${body}`),
    now: scope.now,
  }
}

/**
 * Acts at once, without asking first whether the key was seen: the record is in the same transaction as the change, so
 * a second request with the key can't take effect. Only then is the outcome of the first one looked up.
 */
export async function withIdempotency<Outcome>(
  c: Context<AppEnv>,
  perform: (record: IdempotencyRecord | null) => Promise<Outcome>,
): Promise<{ outcome: Outcome; replayed: boolean }> {
  const key = await readKey(c)
  if (key === undefined) return { outcome: await perform(null), replayed: false }
  try {
    return { outcome: await perform(recordOf(key)), replayed: false }
  } catch (error) {
    const [[first]] = await c.var.db.read(selectRecord(key))
    if (first === undefined) throw error
    if (first.fingerprint !== key.fingerprint)
      throw new AppError('idempotency_key_reused', [
        { message: 'this idempotency key was used for another request', path: pointer('header', 'idempotency-key') },
      ])
    return { outcome: JSON.parse(first.outcome) as Outcome, replayed: true }
  }
}
