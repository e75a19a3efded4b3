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

const recordRow = jsonObject({
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
export type TrashedProcess = Omit<ProcessRow, 'record'> & { record: Pick<RecordRow, 'id'> | null }

export const trashedRow: SQL<string> = jsonObject({
  rid: process.rid,
  ...FIELD_COLUMNS,
  data: sql`json(${process.data})`,
  record: sql`(SELECT json_object('id', ${record.id}) FROM ${record} WHERE ${record.rid} = ${process.record})`,
})

/** One process as one JSON text, its record inside. Reads the record's row only where there is one. */
export const processRow: SQL<string> = jsonObject({
  rid: process.rid,
  ...FIELD_COLUMNS,
  data: sql`json(${process.data})`,
  record: recordOfProcess,
})

export const readProcessRow = (json: unknown): ProcessRow => JSON.parse(json as string) as ProcessRow
