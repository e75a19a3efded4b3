import type { Context } from 'hono'
import type { Db } from '../db/client.ts'
import { statement } from '../db/statement.ts'
import { AppError, invalid } from '../errors.ts'
import type { AppEnv } from './context.ts'
import { pointer } from './faults.ts'
import { type Claim, noReceipt, type Receipt, receiptFor } from './receipt.ts'

const KEY_LENGTH_MAX = 255
const PRINTABLE = /^[\x21-\x7e]+$/

const digest = async (bytes: ArrayBuffer | string): Promise<string> => {
  const data = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', data))
  return Array.from(hash, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** The request's idempotency key, if it sent one; quoted (as the IETF draft has it) or bare (as most clients send it). */
async function claimOf(c: Context<AppEnv>): Promise<Claim | undefined> {
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
  const lookup = await digest(`${c.var.keyId} ${key}`)
  const { pathname, search } = new URL(c.req.url)
  const body = await digest(await c.req.arrayBuffer())
  const fingerprint = await digest(`${c.req.method} ${pathname}${search}\n${body}`)
  return { no: Number.parseInt(lookup.slice(0, 13), 16), lookup, fingerprint, now: c.var.scope.now }
}

/**
 * Acts at once, without asking first whether the key was seen: the receipt is in the same transaction as the change,
 * so a second request with the key can't take effect, and only then is the first one's outcome looked up.
 */
export async function once<Outcome>(
  c: Context<AppEnv>,
  perform: (receipt: Receipt) => Promise<Outcome>,
): Promise<{ outcome: Outcome; replayed: boolean }> {
  const claim = await claimOf(c)
  if (claim === undefined) return { outcome: await perform(noReceipt), replayed: false }
  try {
    return { outcome: await perform(receiptFor(claim)), replayed: false }
  } catch (error) {
    const earlier = await findEarlier(c.var.db, claim)
    if (earlier === undefined) throw error
    if (!earlier.expired) return { outcome: earlier.outcome as Outcome, replayed: true }
    await c.var.db.batch([statement('DELETE FROM idempotency WHERE no = ?1 AND expires_at <= ?2', claim.no, claim.now)])
    return { outcome: await perform(receiptFor(claim)), replayed: false }
  }
}

async function findEarlier(db: Db, { no, lookup, fingerprint, now }: Claim) {
  const read = statement(
    'SELECT fingerprint, expires_at AS expiresAt, json(outcome) AS outcome FROM idempotency WHERE no = ?1 AND lookup = ?2',
    no,
    lookup,
  )
  const [found] = await db.batch([read])
  const row = found?.rows[0] as { fingerprint: string; expiresAt: number; outcome: string | null } | undefined
  if (row === undefined) return undefined
  if (row.expiresAt <= now) return { expired: true, outcome: undefined }
  if (row.fingerprint !== fingerprint)
    throw new AppError('idempotency_key_reused', [
      { message: 'this idempotency key was used for another request', path: pointer('header', 'idempotency-key') },
    ])
  if (row.outcome === null)
    throw new AppError('request_in_progress', 'the first request with this idempotency key is still running')
  return { expired: false, outcome: JSON.parse(row.outcome) as unknown }
}
