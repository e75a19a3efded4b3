import { isUniqueViolation } from '../db/guard.ts'
import { nameOfKey } from '../db/json.ts'
import { AppError, type Fault, notFound } from '../errors.ts'
import type { Receipt } from '../http/idempotency/record.ts'
import { ridOf, UUID } from '../ids.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import type { Procedure } from '../procedure/model.ts'
import { checkValue } from '../procedure/values.ts'
import type { Scope } from '../scope.ts'
import { duplicate } from './refusals.ts'
import type { ProcessRow } from './row.ts'
import { deleteTrashed, findProcess, findTrashed, rowOf, selectProcess } from './store.ts'
import { type InsertItem, insertStatement } from './write.ts'

/** Undoes a deletion: the same process, back in every index. Refused where the procedure has no place for it any more. */
export async function restoreProcess(
  scope: Scope,
  procedure: Procedure,
  processId: string,
  receipt: Receipt,
): Promise<ProcessRow> {
  const id = processId.toLowerCase()
  const trashed = UUID.test(id) ? await findTrashed(scope, procedure, ridOf(id), id) : undefined
  if (!trashed) throw notFound(`deleted process ${processId}`)
  const item = itemOf(procedure, trashed)
  try {
    const [, , inserted] = await scope.db.batch([
      guardDefinition(procedure),
      deleteTrashed(procedure, trashed.rid),
      insertStatement(procedure, [item], scope.now),
      ...receipt.of(selectProcess(procedure, item)),
    ])
    const row = rowOf(inserted?.rows)
    if (!row) throw new Error('a restored process came back empty')
    return row
  } catch (error) {
    if (isUniqueViolation(error, 'process.rid')) throw notFound(`deleted process ${processId}`)
    const { primaryKey } = item.change
    if (!isUniqueViolation(error, 'process.primary_key') || typeof primaryKey !== 'string') throw error
    const holder = await findProcess(scope, procedure, { primaryKey })
    throw duplicate(procedure, primaryKey, holder?.id)
  }
}

function itemOf(procedure: Procedure, row: ProcessRow): InsertItem {
  const data = Object.fromEntries(Object.entries(row.data).map(([key, value]) => [nameOfKey(key), value]))
  const faults = misfits(procedure, row, data)
  if (faults.length > 0) throw new AppError('conflict', faults)
  const key = procedure.primaryKey
  return {
    rid: row.rid,
    id: row.id,
    createdBy: row.createdBy,
    record: row.record && ridOf(row.record.id),
    completedAt: row.completedAt,
    version: row.version + 1,
    change: {
      set: data,
      unset: [],
      status: row.status,
      state: row.state,
      nextActionAt: row.nextActionAt,
      assignedTo: row.assignedTo,
      primaryKey: key === null || !Object.hasOwn(data, key) ? null : String(data[key]),
    },
  }
}

/** The definition may have changed since the process was deleted. What an index would answer wrongly stays out. */
function misfits(procedure: Procedure, { state }: ProcessRow, data: Record<string, unknown>): Fault[] {
  const lost: Fault[] = procedure.states.some(each => each.shortId === state)
    ? []
    : [{ message: `the procedure has no state ${JSON.stringify(state)} any more` }]
  const indexed = procedure.attributes.filter(
    ({ shortId }) => Object.hasOwn(procedure.slots, shortId) && Object.hasOwn(data, shortId),
  )
  return [
    ...lost,
    ...indexed.flatMap(attribute => {
      const checked = checkValue(attribute, data[attribute.shortId])
      return 'fault' in checked ? [{ message: `${JSON.stringify(attribute.shortId)} ${checked.fault.message}` }] : []
    }),
  ]
}
