import { planRecords } from '../customer-record/plan.ts'
import { type RecordRow, readRecord, selectRecordJsonOfRow, selectRecordsOfRows } from '../customer-record/rows.ts'
import { ridList } from '../db/document/values-by-row.ts'
import type { Statement } from '../db/statement.ts'
import { write } from '../db/write.ts'
import { invalid } from '../errors.ts'
import { findRecordDataFaults } from '../process/validate.ts'
import type { Scope } from '../scope.ts'
import { retryOnRecordConflict } from './update.ts'

/** Finds a customer by phone number, else by e-mail address, and sets the data; or creates one, as a new process does. */
export async function createCustomer(scope: Scope, data: Record<string, unknown>): Promise<RecordRow> {
  const faults = findRecordDataFaults(data, ['body', 'data'])
  if (faults.length > 0) throw invalid(faults)
  return retryOnRecordConflict(async () => {
    const { rids, effect } = await planRecords(scope, [{ data }])
    const rid = rids[0] ?? 0
    const found = selectRecordsOfRows(scope, ridList([rid]))
    const results = await write(scope, {
      effect: [...(effect as Statement<never>[]), found],
      outcome: { select: () => selectRecordJsonOfRow(scope, rid) },
    })
    const row = results.at(-1)?.rows[0]
    if (!row) throw new Error('a new record came back empty')
    return readRecord(row)
  })
}
