import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { insertInto, type Statement, statement } from '../db/statement.ts'
import { toHex } from '../http/digest.ts'
import { createRepeatedWrite, type MaintenanceTask } from '../maintenance-task.ts'
import { erasedIdentity, PHONE, recordIdentity } from './table.ts'
import { TOMBSTONE_MS } from './tombstone-retention.ts'

const TOMBSTONES_PER_STEP = 1_000

/** The key of the hashes, and the previous one while the key is being changed. */
export type TombstoneKeys = Pick<Env, 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'>

/**
 * Hashes a phone number for its tombstone. The hash is keyed, because there are few enough numbers to try them all. There is
 * one for each key that is set, so that a change of the key hides no tombstone.
 */
export const hashPhone = (keys: TombstoneKeys, team: number, phone: string): Promise<string[]> =>
  Promise.all(
    [keys.SECRETS_KEY ?? '', ...(keys.SECRETS_KEY_PREVIOUS ? [keys.SECRETS_KEY_PREVIOUS] : [])].map(async secret => {
      const encoder = new TextEncoder()
      const algorithm = { name: 'HMAC', hash: 'SHA-256' }
      const key = await crypto.subtle.importKey('raw', encoder.encode(`tombstones ${secret}`), algorithm, false, [
        'sign',
      ])
      return toHex(await crypto.subtle.sign('HMAC', key, encoder.encode(`${team} ${phone}`)))
    }),
  )

/** A phone number, and the hashes of its tombstones. */
interface HashedPhone {
  phone: string
  hashes: string[]
}

/** Selects those of some numbers that identify no other record, in one column, within the transaction that erases. */
export const selectOwnPhones = (team: number, rid: number, phones: SQL): SQL =>
  sql`SELECT own.value AS value FROM json_each(${phones}) own WHERE NOT EXISTS (SELECT 1 FROM ${recordIdentity}
    WHERE ${recordIdentity.team} = ${team} AND ${recordIdentity.kind} = ${sql.raw(String(PHONE))}
      AND ${recordIdentity.value} = own.value AND ${recordIdentity.record} <> ${rid})`

/** Inserts tombstones for the numbers that belong to this record alone. */
export const insertTombstones = (
  { team, rid, at }: { team: number; rid: number; at: number },
  phones: readonly HashedPhone[],
): Statement => {
  const own = selectOwnPhones(team, rid, sql`${JSON.stringify(phones.map(({ phone }) => phone))}`)
  const inserted = insertInto(
    erasedIdentity,
    { team, hash: sql`hash.value`, erasedAt: at },
    sql`FROM json_each(${JSON.stringify(phones)}) given CROSS JOIN json_each(given.value, '$.hashes') hash
      WHERE given.value ->> '$.phone' IN (${own})`,
  )
  return statement(sql`${inserted} ON CONFLICT DO UPDATE SET erased_at = excluded.erased_at`)
}

/** Matches if somebody with a number of these hashes (a JSON list) was erased at that time or later. */
export const whereErased = (team: SQL, hashes: SQL, at: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${hashes}) hash CROSS JOIN ${erasedIdentity}
    ON ${erasedIdentity.team} = ${team} AND ${erasedIdentity.hash} = hash.value
    WHERE ${erasedIdentity.erasedAt} >= ${at})`

/** Removes tombstones when nothing older can arrive any more. */
export const createTombstoneExpiryTask = (db: () => Db, now: number): MaintenanceTask =>
  createRepeatedWrite(db, () => [removeTombstones(now - TOMBSTONE_MS)])

const removeTombstones = (cutoff: number): Statement =>
  statement(sql`DELETE FROM ${erasedIdentity} WHERE (team, hash) IN (
    SELECT ${erasedIdentity.team}, ${erasedIdentity.hash} FROM ${erasedIdentity}
    WHERE ${erasedIdentity.erasedAt} < ${cutoff} LIMIT ${TOMBSTONES_PER_STEP})`)
