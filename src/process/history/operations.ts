import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import type { ProcessRow } from '../row.ts'
import type { Target } from '../rows/target.ts'
import { rowAsOf, travelTo, travelToRecord } from './as-of.ts'
import { blameOf } from './blame.ts'
import type { Moment } from './moment.ts'
import type { BlameByField } from './schema.ts'

export interface PastRequest {
  asOf?: Moment
  blame?: 'true' | 'false'
}

/** Whether the log has to be read. */
export const isOfPast = ({ asOf, blame }: PastRequest): boolean => asOf !== undefined || blame === 'true'

/** A process as it was, and who had made it so. */
export async function getPastProcess(
  scope: Scope,
  procedure: Procedure,
  target: Target,
  { asOf, blame }: PastRequest,
): Promise<{ row: ProcessRow; blame?: BlameByField }> {
  const state = await travelTo(scope, procedure, target, asOf)
  const isBlamed = blame === 'true'
  const record = await travelToRecord(scope, state, asOf, isBlamed)
  const row = rowAsOf(state, record)
  return isBlamed ? { row, blame: await blameOf(state, record) } : { row }
}
