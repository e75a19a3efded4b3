import { type SQL, sql } from 'drizzle-orm'
import { guard } from '../../db/guard.ts'
import { fields, insertInto, type Statement, select, statement } from '../../db/statement.ts'
import { REMOVED_BYTES_MAX, withinBytes } from '../../db/within-bytes.ts'
import type { IdempotencyRecord } from '../../db/write.ts'
import { BACKLOG_COUNT_MAX, type Backlog } from '../../maintenance-task.ts'
import type { IdempotencyKey } from './key.ts'
import { idempotency } from './table.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** How long a key is remembered. A key is looked for under two days, so it can be no longer than one. */
const KEPT_MS = DAY_MS
const HASH_BITS = 48n
const HASH_HEX_DIGITS = 12
const KEY_IN_USE = 'the idempotency key is in use'

const dayOf = (now: number): number => Math.floor(now / DAY_MS)

/** 128 bits of each hash are stored, as bytes: records are written as often as anything else. */
const KEPT_HEX_DIGITS = 32
const keptHash = (hash: string): SQL => sql`unhex(${hash.slice(0, KEPT_HEX_DIGITS)})`
/** Records of an earlier version have the whole hash, as text. */
const isLookup = (lookup: string): SQL => sql`${idempotency.lookup} IN (${keptHash(lookup)}, ${lookup})`

/** 63 bits: more than a number of JavaScript holds exactly, so it is bound as text. */
const numberOf = (day: number, lookup: string): SQL =>
  sql`CAST(${String((BigInt(day) << HASH_BITS) | BigInt(`0x${lookup.slice(0, HASH_HEX_DIGITS)}`))} AS INTEGER)`

const ofYesterday = ({ lookup, now }: IdempotencyKey): SQL =>
  sql`${idempotency.no} = ${numberOf(dayOf(now) - 1, lookup)} AND ${isLookup(lookup)}
    AND ${idempotency.expiresAt} > ${now}`

/** The statements that keep an outcome under a key; a key that is in use fails the transaction they are part of. */
export const recordOf = (key: IdempotencyKey): IdempotencyRecord => ({
  guard: () => guard(KEY_IN_USE, sql`NOT EXISTS (SELECT 1 FROM ${idempotency} WHERE ${isOfKey(key)})`),
  async statements(outcome, onlyIfChanged) {
    const { team, lookup, now } = key
    const fingerprint = await key.fingerprint()
    const values = {
      no: numberOf(dayOf(now), lookup),
      team,
      lookup: keptHash(lookup),
      fingerprint: keptHash(fingerprint),
      outcome: sql`jsonb(${outcome})`,
      expiresAt: now + KEPT_MS,
    }
    return [
      statement(insertInto(idempotency, values, onlyIfChanged ? sql`WHERE changes() > 0` : sql``)),
      guard(KEY_IN_USE, sql`NOT EXISTS (SELECT 1 FROM ${idempotency} WHERE ${ofYesterday(key)})`),
    ]
  },
})

const isOfKey = ({ lookup, now }: IdempotencyKey): SQL =>
  sql`${idempotency.no} IN (${numberOf(dayOf(now), lookup)}, ${numberOf(dayOf(now) - 1, lookup)})
    AND ${isLookup(lookup)} AND ${idempotency.expiresAt} > ${now}`

/** What the first request with a key came to. */
export const selectRecord = (key: IdempotencyKey) =>
  select(
    {
      fingerprint: sql<string>`iif(typeof(${idempotency.fingerprint}) = 'blob', lower(hex(${idempotency.fingerprint})), ${idempotency.fingerprint})`,
      outcome: sql<string>`json(${idempotency.outcome})`,
    },
    sql`FROM ${idempotency} WHERE ${isOfKey(key)}`,
  )

/** Whether a request is the one that a record was made for. */
export const isFingerprint = (kept: string, fingerprint: string): boolean =>
  kept === fingerprint || kept === fingerprint.slice(0, KEPT_HEX_DIGITS)

/** Records of days that are over: the first part of the primary key. */
const isOver = (now: number): SQL => sql`${idempotency.no} < ${numberOf(dayOf(now) - 1, '0')}`

/** Removes records of days that are over, so many at most. */
export const removeExpired = (now: number, rowsMax: number): Statement =>
  statement(
    sql`DELETE FROM ${idempotency} WHERE ${idempotency.no} IN (${withinBytes(
      { key: sql`"no"`, bytesMax: REMOVED_BYTES_MAX },
      sql`SELECT ${fields({ no: idempotency.no, bytes: sql`octet_length(${idempotency.outcome})` })} FROM ${idempotency}
      WHERE ${isOver(now)} ORDER BY ${idempotency.no} LIMIT ${rowsMax}`,
    )})`,
  )

export const selectExpiredBacklog = (now: number): Statement<Backlog> => {
  const expired = sql`SELECT ${idempotency.expiresAt} AS due FROM ${idempotency} WHERE ${isOver(now)} LIMIT ${BACKLOG_COUNT_MAX}`
  return select({ left: sql<number>`count(*)`, dueSince: sql<number | null>`min(due)` }, sql`FROM (${expired})`)
}
