import { type SQL, sql } from 'drizzle-orm'
import { guard } from '../../db/guard.ts'
import { fields, insertInto, type Statement, select, statement } from '../../db/statement.ts'
import { REMOVED_BYTES_MAX, selectWithinBytes } from '../../db/within-bytes.ts'
import type { IdempotencyRecord } from '../../db/write.ts'
import { BACKLOG_COUNT_MAX, type Backlog } from '../../maintenance-task.ts'
import { DAY_MS, toDay } from '../../time-units.ts'
import type { IdempotencyKey } from './key.ts'
import { idempotency } from './table.ts'

/**
 * The time for which a record is valid. A key is looked for under the day of its request and the two beside it: no longer than
 * a day back, and ahead, since a request that was repeated may be the last to commit.
 */
const RECORD_MS_MAX = DAY_MS
const KEY_IN_USE = 'the idempotency key is in use'

/** The digits of each hash that are stored, as 128 bits: records are written as often as anything else. */
const STORED_HEX_DIGITS = 32
const toStoredHash = (hash: string): SQL => sql`unhex(${hash.slice(0, STORED_HEX_DIGITS)})`
const list = (days: readonly number[]): SQL =>
  sql.join(
    days.map(day => sql`${day}`),
    sql`, `,
  )

const whereOfDays = ({ team, lookup, now }: IdempotencyKey, days: readonly number[]): SQL =>
  sql`${idempotency.team} = ${team} AND ${idempotency.day} IN (${list(days)})
    AND ${idempotency.lookup} = ${toStoredHash(lookup)} AND ${idempotency.expiresAt} > ${now}`

const listOtherDays = ({ now }: IdempotencyKey): number[] => [toDay(now) - 1, toDay(now) + 1]

const whereKey = (key: IdempotencyKey): SQL => whereOfDays(key, [toDay(key.now), ...listOtherDays(key)])
const whereOfOtherDays = (key: IdempotencyKey): SQL => whereOfDays(key, listOtherDays(key))

/** Builds the statements that store an outcome under a key. A key that is in use fails their transaction. */
export const toIdempotencyRecord = (key: IdempotencyKey): IdempotencyRecord => ({
  guard: () => guard(KEY_IN_USE, sql`NOT EXISTS (SELECT 1 FROM ${idempotency} WHERE ${whereKey(key)})`),
  async statements(outcome, onlyIfChanged) {
    const { team, lookup, now } = key
    const fingerprint = await key.fingerprint()
    const values = {
      team,
      day: toDay(now),
      lookup: toStoredHash(lookup),
      fingerprint: toStoredHash(fingerprint),
      outcome: sql`jsonb(${outcome})`,
      expiresAt: now + RECORD_MS_MAX,
    }
    return [
      statement(insertInto(idempotency, values, onlyIfChanged ? sql`WHERE changes() > 0` : sql``)),
      guard(KEY_IN_USE, sql`NOT EXISTS (SELECT 1 FROM ${idempotency} WHERE ${whereOfOtherDays(key)})`),
    ]
  },
})

/** Selects the outcome of the first request with a key. */
export const selectRecord = (key: IdempotencyKey) =>
  select(
    {
      fingerprint: sql<string>`lower(hex(${idempotency.fingerprint}))`,
      outcome: sql<string>`json(${idempotency.outcome})`,
    },
    sql`FROM ${idempotency} WHERE ${whereKey(key)}`,
  )

/** Tells whether a record was made for this request. */
export const isFingerprint = (kept: string, fingerprint: string): boolean =>
  kept === fingerprint.slice(0, STORED_HEX_DIGITS)

/** Selects the teams that have records, by one seek of the primary key for each. */
const TEAMS = sql`WITH RECURSIVE found(team) AS (
    SELECT min(team) FROM ${idempotency}
    UNION ALL SELECT (SELECT min(team) FROM ${idempotency} WHERE team > found.team) FROM found WHERE found.team IS NOT NULL
  ) SELECT team FROM found WHERE team IS NOT NULL`

/** Selects records of days that are over, which are a range of the primary key for each team. */
const selectOver = (columns: Parameters<typeof fields>[0], now: number, rowsMax: number): SQL =>
  sql`SELECT ${fields(columns)} FROM (${TEAMS}) teams CROSS JOIN ${idempotency}
    ON ${idempotency.team} = teams.team AND ${idempotency.day} < ${toDay(now) - 1} LIMIT ${rowsMax}`

/** Removes records of days that are over, in bounded steps. */
export function removeExpired(now: number, rowsMax: number): Statement {
  const { team, day, lookup } = idempotency
  const bytes = sql`octet_length(${idempotency.outcome})`
  return statement(
    sql`DELETE FROM ${idempotency} WHERE (${team}, ${day}, ${lookup}) IN (${selectWithinBytes(
      { key: sql`team, day, lookup`, bytesMax: REMOVED_BYTES_MAX },
      selectOver({ team, day, lookup, bytes }, now, rowsMax),
    )})`,
  )
}

export const selectExpiredBacklog = (now: number): Statement<Backlog> =>
  select(
    { left: sql<number>`count(*)`, dueSince: sql<number | null>`min(due)` },
    sql`FROM (${selectOver({ due: idempotency.expiresAt }, now, BACKLOG_COUNT_MAX)})`,
  )
