import type { Procedure } from '../../procedure/model.ts'
import type { ProcessRow } from '../row.ts'
import type { Target } from '../rows/target.ts'
import { findFieldAuthors } from './field-authors.ts'
import { findRecordSnapshot, findSnapshot, toSnapshotRow } from './load-snapshot.ts'
import type { Moment } from './moment.ts'
import type { HistoryScope } from './read-log.ts'
import type { BlameByField } from './schema.ts'

interface SnapshotRequest {
  asOf?: Moment
  blame?: 'true' | 'false'
}

/** Decides whether the log has to be read. */
export const needsLog = ({ asOf, blame }: SnapshotRequest): boolean => asOf !== undefined || blame === 'true'

/** Loads a process as it was at some time or version, and, if asked for, the author of each of its fields. */
export async function loadSnapshot(
  scope: HistoryScope,
  procedure: Procedure,
  target: Target,
  { asOf, blame }: SnapshotRequest,
): Promise<{ row: ProcessRow; blame?: BlameByField }> {
  const state = await findSnapshot(scope, procedure, target, asOf)
  const isBlamed = blame === 'true'
  const record = await findRecordSnapshot(scope, state, asOf, isBlamed)
  const row = toSnapshotRow(state, record)
  return isBlamed ? { row, blame: await findFieldAuthors(state, record) } : { row }
}
