import { type SQL, sql } from 'drizzle-orm'
import { record } from '../customer-record/table.ts'
import { jsonObject } from '../db/statement.ts'
import { FIELD_COLUMNS, type StoredFields } from './fields.ts'
import { process } from './table.ts'

export interface AttachedRecord {
  id: string
  version: number
  createdAt: number
  updatedAt: number
  /** The attribute that holds the phone number which was given last. */
  phoneName: string | null
  data: Record<string, unknown>
}

/** A process as the database returns it: `data` has stored names, the status is its number. */
export interface ProcessRow extends StoredFields {
  rid: number
  data: Record<string, unknown>
  record: AttachedRecord | null
}

export const recordRow = jsonObject({
  id: record.id,
  version: record.version,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
  phoneName: record.phoneName,
  data: sql`json(${record.data})`,
})

/** Selects the record of a process as JSON. The record's row is read only if there is one. */
export const recordOfProcess: SQL = sql`(SELECT json(${recordRow}) FROM ${record} WHERE ${record.rid} = ${process.record})`

/** A process as the trash stores it: of its record only the id, because a record can be erased meanwhile. */
export interface TrashedProcess extends Omit<ProcessRow, 'record'> {
  record: Pick<AttachedRecord, 'id'> | null
  /** The event of its deletion. A process that was deleted before there were events has none. */
  lastEvent?: number
  notifiedDueAt?: number | null
}

/** Selects a `TrashedProcess`. `lastEvent` is the event of its deletion. */
export const selectTrashedRow = (lastEvent: SQL): SQL<string> =>
  jsonObject({
    rid: process.rid,
    ...FIELD_COLUMNS,
    data: sql`json(${process.data})`,
    record: sql`(SELECT json_object('id', ${record.id}) FROM ${record} WHERE ${record.rid} = ${process.record})`,
    lastEvent,
    notifiedDueAt: process.notifiedDueAt,
  })

const buildRow = (recordJson: SQL): SQL<string> =>
  jsonObject({ rid: process.rid, ...FIELD_COLUMNS, data: sql`json(${process.data})`, record: recordJson })

/** Selects one process as a JSON text with its record inside. The record's row is read only if there is one. */
export const processRow: SQL<string> = buildRow(recordOfProcess)

/** Selects the same with the record joined by `WITH_RECORD`. `joinedBytes` tells its bytes before any text is made. */
export const joinedRow: SQL<string> = buildRow(sql`json(iif(${record.rid} IS NULL, NULL, ${recordRow}))`)
export const joinedBytes: SQL<number> = sql<number>`length(${process.data}) + ifnull(length(${record.data}), 0)`
export const WITH_RECORD: SQL = sql`LEFT JOIN ${record} ON ${record.rid} = ${process.record}`

export const readProcessRow = (json: unknown): ProcessRow => JSON.parse(json as string) as ProcessRow
