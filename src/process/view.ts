import { dataOfStored } from '../db/document/json.ts'
import { createdAtOf } from '../ids.ts'
import type { Procedure } from '../procedure/model.ts'
import type { Team } from '../scope.ts'
import { statusOf } from './fields.ts'
import type { ProcessRow } from './row.ts'
import type { Process } from './schema.ts'

export interface ProcessOwner {
  team: Pick<Team, 'id'>
  procedure: Pick<Procedure, 'id' | 'shortId'>
}

export const viewProcess = ({ team, procedure }: ProcessOwner, row: ProcessRow, isDeleted = false): Process => ({
  id: row.id,
  createdAt: createdAtOf(row.rid),
  updatedAt: row.updatedAt,
  team: team.id,
  procedure: procedure.id,
  procedureShortId: procedure.shortId,
  record: row.record && {
    id: row.record.id,
    data: dataOfStored(row.record.data),
    createdAt: row.record.createdAt,
    updatedAt: row.record.updatedAt,
  },
  status: statusOf(row.status),
  state: row.state,
  nextActionAt: row.nextActionAt,
  assignedTo: row.assignedTo,
  createdBy: row.createdBy,
  completedAt: row.completedAt,
  data: dataOfStored(row.data),
  isDeleted,
})

/** Counts with every change of the process, and of the record that is shown inside it. */
export const etagOf = ({ version, record }: ProcessRow): string => `"${version}-${record?.version ?? 0}"`
