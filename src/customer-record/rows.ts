import { type SQL, sql } from 'drizzle-orm'
import { ridList } from '../db/document/values-by-row.ts'
import { guard } from '../db/guard.ts'
import { jsonObject, type Statement, select } from '../db/statement.ts'
import { notFound } from '../errors.ts'
import { toRowNo, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import type { IdentityAttributes } from './identity-rules.ts'
import { identifying } from './identity-statements.ts'
import type { IdentityValue } from './identity-values.ts'
import { RECORD_CHANGED } from './store.ts'
import { IS_NOT_MERGED } from './survivor.ts'
import { record, recordIdentity } from './table.ts'

/** A record as the database returns it: `data` has stored names. */
export interface RecordRow extends IdentityAttributes {
  rid: number
  id: string
  version: number
  createdAt: number
  updatedAt: number
  data: Record<string, unknown>
}

export const recordJson = jsonObject({
  rid: record.rid,
  id: record.id,
  version: record.version,
  phoneName: record.phoneName,
  emailName: record.emailName,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
  data: sql`json(${record.data})`,
})

/** The row as one text, with `identifying` beside it, on which a change depends. */
export interface StoredRecord {
  row: string
  identifying: string
}

const whereRecord = ({ team }: Scope, id: string): SQL =>
  sql`${record.rid} = ${UUID.test(id) ? toRowNo(id) : -1} AND ${record.id} = ${id.toLowerCase()} AND +${record.team} = ${team.no}
    AND ${IS_NOT_MERGED}`

/** Selects the record of an id in a path. Text that is not a UUID names none, and neither does the id of a customer who was merged. */
export const selectRecord = (scope: Scope, id: string): Statement<StoredRecord> =>
  select({ row: recordJson, identifying }, sql`FROM ${record} WHERE ${whereRecord(scope, id)}`)

/** Selects the same text for the idempotency record of a request. */
export const selectRecordJson = (scope: Scope, id: string): SQL<string> =>
  sql`SELECT ${recordJson} FROM ${record} WHERE ${whereRecord(scope, id)}`

const selectRecordFields = (bytesMax: number) => ({
  rid: record.rid,
  bytes: sql<number>`length(${record.data})`,
  row: sql<string | null>`iif(length(${record.data}) <= ${bytesMax}, ${recordJson}, NULL)`,
})

/** Selects some customers of the team by their row numbers. `row` is null if it is longer than `bytesMax`. */
export const selectRecords = ({ team }: Pick<Scope, 'team'>, rids: readonly number[], bytesMax: number) =>
  select(
    selectRecordFields(bytesMax),
    sql`FROM ${record} WHERE ${record.rid} IN ${ridList(rids)} AND +${record.team} = ${team.no}`,
  )

/** Selects some whole customers of the team. */
export const selectRecordsOfRows = ({ team }: Scope, rids: SQL): Statement<Pick<StoredRecord, 'row'>> =>
  select({ row: recordJson }, sql`FROM ${record} WHERE ${record.rid} IN ${rids} AND +${record.team} = ${team.no}`)

/** Selects the text of one customer for the idempotency record of a request. */
export const selectRecordJsonOfRow = ({ team }: Scope, rid: number): SQL<string> =>
  sql`SELECT ${recordJson} FROM ${record} WHERE ${record.rid} = ${rid} AND +${record.team} = ${team.no}`

const selectIdentified = ({ team }: Scope, { kind, value }: IdentityValue): Statement<{ row: string }> =>
  select(
    { row: recordJson },
    sql`FROM ${recordIdentity} CROSS JOIN ${record} ON ${record.rid} = ${recordIdentity.record}
      WHERE ${recordIdentity.team} = ${team.no} AND ${recordIdentity.kind} = ${kind} AND ${recordIdentity.value} = ${value}`,
  )

/** Selects the newest customers below a row number. `row` is null if it is longer than `bytesMax`. */
export const selectNewestRecords = ({ team }: Scope, before: number, rowsMax: number, bytesMax: number) =>
  select(
    selectRecordFields(bytesMax),
    sql`FROM ${record} INDEXED BY record_team WHERE ${record.team} = ${team.no} AND ${IS_NOT_MERGED} AND ${record.rid} < ${before}
      ORDER BY ${record.rid} DESC LIMIT ${rowsMax}`,
  )

export const readRecord = ({ row }: { row: string }): RecordRow => JSON.parse(row) as RecordRow

export const unknownRecordError = (id: string) => notFound(`record ${id}`)

export async function getRecord(scope: Scope, id: string): Promise<RecordRow> {
  const [[found]] = await scope.db.read(selectRecord(scope, id))
  if (!found) throw unknownRecordError(id)
  return readRecord(found)
}

/** Finds the customer whom a value identifies. There is at most one, because a number or an address belongs to one record of a team. */
export async function findIdentified(scope: Scope, value: IdentityValue): Promise<RecordRow[]> {
  const [rows] = await scope.db.read(selectIdentified(scope, value))
  return rows.map(readRecord)
}

/** Fails the transaction as a conflict with another change of a record, which `isRecordConflict` recognises. */
export const guardUnchanged = (condition: SQL): Statement => guard(RECORD_CHANGED, condition)

/** Fails the transaction if a record has changed, was erased or merged into another, since it was read. */
export const guardVersion = (
  { team }: Pick<Scope, 'team'>,
  { rid, version }: { rid: number; version: number },
): Statement =>
  guardUnchanged(
    sql`EXISTS (SELECT 1 FROM ${record} WHERE ${record.rid} = ${rid} AND +${record.team} = ${team.no}
      AND ${record.version} = ${version} AND ${IS_NOT_MERGED})`,
  )

/** Fails the transaction if one of some records was erased, or merged into another, since it was read. */
export const guardRecords = ({ team }: Pick<Scope, 'team'>, rids: readonly number[]): Statement =>
  guardUnchanged(
    sql`(SELECT count(*) FROM ${record} WHERE ${record.rid} IN ${ridList(rids)} AND +${record.team} = ${team.no} AND ${IS_NOT_MERGED}) = ${rids.length}`,
  )
