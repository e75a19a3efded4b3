import { toData } from '../db/document/json.ts'
import { guardChanges, isUniqueViolation } from '../db/guard.ts'
import { write } from '../db/write.ts'
import { AppError, type Fault, notFound } from '../errors.ts'
import { toRowNo, UUID } from '../ids.ts'
import type { Procedure } from '../procedure/model.ts'
import { checkStored } from '../procedure/values.ts'
import type { Scope } from '../scope.ts'
import { PROCESS_CHANGED, ProcessChanged, toRefusal, writeWithRetry } from './conflict.ts'
import { type ScheduleTimes, scheduleDueTimes } from './due/schedule.ts'
import { finishErasureInTrash } from './erasure/finish.ts'
import { guardTrashNotBeingErased, isBeingErased } from './erasure/statements.ts'
import type { ProcessRow, TrashedProcess } from './row.ts'
import { insertNewEvents } from './rows/append-events.ts'
import { deriveInsert, insertProcess, type NewProcess } from './rows/insert.ts'
import { selectStoredOutcome } from './rows/outcome.ts'
import { whereTarget } from './rows/target.ts'
import { relinkToSurvivor, removeFromTrash } from './rows/trash.ts'
import { readPrimaryKey } from './rules.ts'
import { findTrashed, readFirstRow, selectProcess } from './store.ts'

/** Undoes a deletion. Refuses if the process no longer fits the definition of its procedure. */
export async function restoreProcess(
  scope: Scope,
  procedure: Procedure,
  processId: string,
  scheduleTimes: ScheduleTimes,
): Promise<ProcessRow> {
  const id = processId.toLowerCase()
  if (!UUID.test(id)) throw notFound(`deleted process ${processId}`)
  return writeWithRetry(async () => {
    const trashed = await findTrashed(scope, procedure, { rid: toRowNo(id), id })
    if (!trashed) throw notFound(`deleted process ${processId}`)
    const restored = buildRestoredProcess(procedure, trashed, scope.now)
    const due = await scheduleDueTimes(scope, procedure, scheduleTimes, [restored], () =>
      whereTarget({ proc: procedure.no, rid: restored.rid, id }),
    )
    const derived = deriveInsert(procedure, restored)
    const results = await write(scope, {
      guards: [guardTrashNotBeingErased(procedure, [restored.rid])],
      // The process may have been restored, changed and deleted again since it was read.
      effect: [
        removeFromTrash(procedure, trashed),
        guardChanges(PROCESS_CHANGED, 1),
        insertProcess(scope, procedure, restored, { returned: restored.record === null }),
        insertNewEvents(scope, procedure, { type: 'process.restored', after: [toRestoredAfter(restored, trashed)] }),
        ...(restored.record === null
          ? []
          : [
              relinkToSurvivor(whereTarget({ proc: procedure.no, rid: restored.rid, id })),
              selectProcess(procedure, { rid: restored.rid, id }),
            ]),
      ],
      derived: { ...derived, after: [...derived.after, ...due] },
      outcome: { select: () => selectStoredOutcome(procedure, restored) },
    }).catch(async (error: unknown) => {
      if (isUniqueViolation(error, 'process.rid')) throw notFound(`deleted process ${processId}`)
      if (isBeingErased(error)) {
        await finishErasureInTrash(scope, procedure, [restored.rid])
        throw new ProcessChanged()
      }
      throw await toRefusal(error, { scope, procedure, primaryKey: restored.primaryKey })
    })
    const row = readFirstRow(results)
    if (!row) throw new Error('a restored process came back empty')
    return row
  })
}

/** The event says whose the process was before: the restore may give it to the customer into whom that one was merged. */
export const toRestoredAfter = ({ rid, id, version, record }: NewProcess, { lastEvent }: TrashedProcess) => ({
  rid,
  id,
  version,
  last: lastEvent ?? null,
  ...(record === null ? {} : { record }),
})

/** Builds the process as it comes back. Throws if it no longer fits the definition. */
export function buildRestoredProcess(procedure: Procedure, row: TrashedProcess, now: number): NewProcess {
  const { record, data, lastEvent: _, ...fields } = row
  const set = toData(data)
  const { primaryKey, faults } = readPrimaryKey(procedure, set)
  const all = [...faults, ...findRestoredFaults(procedure, row, set)]
  if (all.length > 0) throw new AppError('conflict', all)
  return {
    ...fields,
    updatedAt: Math.max(now, row.updatedAt),
    version: row.version + 1,
    primaryKey,
    record: record && toRowNo(record.id),
    set,
  }
}

/** Returns the fault of a process that would come back to a state which the definition no longer has. */
export const findLostStateFaults = ({ states }: Procedure, state: string): Fault[] =>
  states.some(each => each.shortId === state)
    ? []
    : [{ message: `the procedure has no state ${JSON.stringify(state)} anymore` }]

/** Finds what has become invalid since the deletion: the state may be gone, and an indexed value may have another type. */
function findRestoredFaults(procedure: Procedure, { state }: TrashedProcess, data: Record<string, unknown>): Fault[] {
  const { attributes, slots, primaryKey } = procedure
  const checked = attributes.filter(
    ({ shortId }) => (Object.hasOwn(slots, shortId) || shortId === primaryKey) && Object.hasOwn(data, shortId),
  )
  return [
    ...findLostStateFaults(procedure, state),
    ...checked.flatMap(attribute => {
      const { shortId } = attribute
      const result = checkStored(attribute, data[shortId])
      return 'fault' in result ? [{ message: `${JSON.stringify(shortId)} ${result.fault.message}` }] : []
    }),
  ]
}
