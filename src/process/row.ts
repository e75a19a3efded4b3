import { type SQL, sql } from 'drizzle-orm'
import { jsonObject } from '../db/statement.ts'
import { record } from '../record/table.ts'
import { FIELD_COLUMNS, type StoredFields } from './fields.ts'
import { process } from './table.ts'

export interface RecordRow {
  id: string
  version: number
  createdAt: number
  updatedAt: number
  /** Which attribute holds the phone number that was given last. */
  phoneName: string | null
  data: Record<string, unknown>
}

/** A process as the database holds it: `data` by stored key, the status as its number. */
export interface ProcessRow extends StoredFields {
  rid: number
  data: Record<string, unknown>
  record: RecordRow | null
}

export const recordRow = jsonObject({
  id: record.id,
  version: record.version,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
  phoneName: record.phoneName,
  data: sql`json(${record.data})`,
})

/** The record of a process, as JSON; its row is read only where there is one. */
export const recordOfProcess: SQL = sql`(SELECT json(${recordRow}) FROM ${record} WHERE ${record.rid} = ${process.record})`

/** A process as the trash keeps it: of its record the id only, because a record can be erased meanwhile. */
export interface TrashedProcess extends Omit<ProcessRow, 'record'> {
  record: Pick<RecordRow, 'id'> | null
  /** The event of its deletion; a process that was deleted before there were events has none. */
  lastEvent?: number
  notifiedDueAt?: number | null
}

/** `lastEvent`: of its deletion. */
export const trashedRow = (lastEvent: SQL): SQL<string> =>
  jsonObject({
    rid: process.rid,
    ...FIELD_COLUMNS,
    data: sql`json(${process.data})`,
    record: sql`(SELECT json_object('id', ${record.id}) FROM ${record} WHERE ${record.rid} = ${process.record})`,
    lastEvent,
    notifiedDueAt: process.notifiedDueAt,
  })

const rowWith = (recordJson: SQL): SQL<string> =>
  jsonObject({ rid: process.rid, ...FIELD_COLUMNS, data: sql`json(${process.data})`, record: recordJson })

/** One process as one JSON text, its record inside. Reads the record's row only where there is one. */
export const processRow: SQL<string> = rowWith(recordOfProcess)

/** The same, and its bytes before anything of it is made a text: where the record is joined, by `WITH_RECORD`. */
export const joinedRow: SQL<string> = rowWith(sql`json(iif(${record.rid} IS NULL, NULL, ${recordRow}))`)
export const joinedBytes: SQL<number> = sql<number>`length(${process.data}) + ifnull(length(${record.data}), 0)`
export const WITH_RECORD: SQL = sql`LEFT JOIN ${record} ON ${record.rid} = ${process.record}`

export const readProcessRow = (json: unknown): ProcessRow => JSON.parse(json as string) as ProcessRow
