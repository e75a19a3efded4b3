import type { Status } from '../procedure/model.ts'
import { STATUSES } from '../procedure/model.ts'

export interface RecordRow {
  id: string
  version: number
  createdAt: number
  updatedAt: number
  data: Record<string, unknown>
}

/** A process as the database holds it: `data` by stored key, the status as its number. */
export interface ProcessRow {
  rid: number
  id: string
  status: number
  state: string
  assignedTo: string | null
  nextActionAt: number | null
  createdBy: string | null
  completedAt: number
  updatedAt: number
  version: number
  primaryKey: string | null
  data: Record<string, unknown>
  record: RecordRow | null
}

const RECORD_ROW = `json_object('id', record.id, 'version', record.version, 'createdAt', record.created_at,
  'updatedAt', record.updated_at, 'data', json(record.data))`

/** One process as one JSON text, its record inside. Reads the record's row only where there is one. */
export const PROCESS_ROW = `json_object('rid', process.rid, 'id', process.id, 'status', process.status,
  'state', process.state, 'assignedTo', process.assigned_to, 'nextActionAt', process.next_action_at,
  'createdBy', process.created_by, 'completedAt', process.completed_at, 'updatedAt', process.updated_at,
  'version', process.version, 'primaryKey', process.primary_key, 'data', json(process.data),
  'record', (SELECT json(${RECORD_ROW}) FROM record WHERE record.rid = process.record))`

export const readProcessRow = (json: unknown): ProcessRow => JSON.parse(json as string) as ProcessRow

export const statusNumber = (status: Status): number => STATUSES.indexOf(status) + 1
export const statusOf = (number: number): Status => STATUSES[number - 1] ?? 'OPEN'
