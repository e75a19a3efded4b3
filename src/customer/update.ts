import { selectIdentities } from '../customer-record/identity-statements.ts'
import { type IdentityRow, listIdentityValues } from '../customer-record/identity-values.ts'
import { changeRecord, isRecordConflict } from '../customer-record/plan.ts'
import {
  findIdentified,
  guardVersion,
  type RecordRow,
  readRecord,
  type StoredRecord,
  selectRecord,
  selectRecordJson,
  unknownRecordError,
} from '../customer-record/rows.ts'
import { changeIdentity, findIdentityName } from '../customer-record/update-rules.ts'
import { isTooLarge } from '../db/document/size.ts'
import { retryOnConflict } from '../db/retry.ts'
import type { Statement } from '../db/statement.ts'
import { write } from '../db/write.ts'
import { AppError, type Fault, invalid } from '../errors.ts'
import { pointer } from '../http/request/faults.ts'
import { tooLargeError } from '../process/refusals.ts'
import { findRecordDataFaults } from '../process/validate.ts'
import type { Scope } from '../scope.ts'

interface CustomerUpdate {
  id: string
  data: Record<string, unknown>
  /** The version that the caller has seen. */
  ifVersion: number | undefined
}

/** Sets attributes of a record; null removes one. Concurrent updates of different attributes all survive. */
export async function updateCustomer(scope: Scope, update: CustomerUpdate): Promise<RecordRow> {
  const faults = findRecordDataFaults(update.data, ['body', 'data'])
  if (faults.length > 0) throw invalid(faults)
  return retryOnRecordConflict(() => writeCustomerUpdate(scope, update))
}

/** Decides on a record and writes it, a few times if others write at the same time. `path` is the part that may make it too large. */
export async function retryOnRecordConflict<T>(act: () => Promise<T>, path = '/body/data'): Promise<T> {
  try {
    return await retryOnConflict(isRecordConflict, act)
  } catch (error) {
    if (isTooLarge(error, 'record')) throw tooLargeError('record', path, error)
    if (!isRecordConflict(error)) throw error
    throw new AppError('conflict', 'the record is being changed by other requests; try again', error)
  }
}

async function writeCustomerUpdate(scope: Scope, { id, data, ifVersion }: CustomerUpdate): Promise<RecordRow> {
  const wanted = listIdentityValues(data)
  const [[found], owners] = await scope.db.read(selectRecord(scope, id), selectIdentities(scope, wanted))
  if (!found) throw unknownRecordError(id)
  const before = readRecord(found)
  requireVersion(before, ifVersion)
  const change = changeIdentity(before, data, owners)
  if (change.taken.length > 0) throw await findDuplicate(scope, data, change.taken)
  const changes = changeRecord(scope, { rid: before.rid, id: before.id, identifying: found.identifying }, change)
  const effect: readonly Statement<StoredRecord>[] = [...(changes as Statement<never>[]), selectRecord(scope, id)]
  const results = await write(scope, {
    guards: ifVersion === undefined ? [] : [guardVersion(scope, before)],
    effect,
    outcome: { select: () => selectRecordJson(scope, id) },
  })
  const row = results.at(-1)?.rows[0]
  if (!row) throw unknownRecordError(id)
  return readRecord(row)
}

export function requireVersion({ version }: RecordRow, ifVersion: number | undefined): void {
  if (ifVersion === undefined || version === ifVersion) return
  throw new AppError('precondition_failed', [{ message: 'the record has changed since', path: '/header/if-match' }])
}

async function findDuplicate(
  scope: Scope,
  data: Record<string, unknown>,
  taken: readonly IdentityRow[],
): Promise<AppError> {
  const faults = taken.map(async (value): Promise<Fault> => {
    const [owner] = await findIdentified(scope, value)
    return {
      message: `${JSON.stringify(value.value)} identifies another record`,
      path: pointer('body', 'data', findIdentityName(data, value)),
      ...(owner === undefined ? {} : { detail: { recordId: owner.id } }),
    }
  })
  return new AppError('duplicate_record', await Promise.all(faults))
}
