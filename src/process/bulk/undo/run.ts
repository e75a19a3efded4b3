import { sql } from 'drizzle-orm'
import type { Step, StepEntry } from '../../../background-job/kind.ts'
import { countFitting } from '../../../bytes.ts'
import { guardRecords } from '../../../customer-record/rows.ts'
import { ridList } from '../../../db/document/values-by-row.ts'
import { guard } from '../../../db/guard.ts'
import { type Statement, select } from '../../../db/statement.ts'
import { openMovedLog } from '../../../event/object/open.ts'
import { toRowNo } from '../../../ids.ts'
import { withProcedure } from '../../../procedure/definition-cache.ts'
import { guardDefinition } from '../../../procedure/definition-guard.ts'
import type { Procedure } from '../../../procedure/model.ts'
import type { Scope } from '../../../scope.ts'
import { PROCESS_CHANGED } from '../../conflict.ts'
import { type ScheduleTimes, scheduleDueTimes } from '../../due/schedule.ts'
import { finishErasure, finishErasureInTrash } from '../../erasure/finish.ts'
import { guardNotBeingErased, guardTrashNotBeingErased, isBeingErased } from '../../erasure/statements.ts'
import { whereAmong } from '../../rows/target.ts'
import { process, processTrash as trash } from '../../table.ts'
import { passStatements } from '../decision.ts'
import { restoreStatements, STEP_BYTES_MAX } from '../restore.ts'
import { writeStepWithRetry } from '../step-conflict.ts'
import { DOCUMENTS_BYTES_MAX } from '../update.ts'
import type { RowUpdate } from '../write-many.ts'
import { beginSearch } from './change-search.ts'
import { decideUndos, findProcess, type Processes, type UndoneProcess } from './decision.ts'
import type { UndoPlan } from './rules.ts'

/**
 * Takes back what the entries of another job have done, one change of a process for each, where that is the newest one
 * that stands. The new changes name the ones that they take back, so that the log stays readable as a stack.
 */
export const runUndo = (
  scheduleTimes: ScheduleTimes,
  archive: Env['ARCHIVE'],
  { scope, procedure: reference, entries, commit }: Step,
): Promise<void> =>
  withProcedure(scope, reference, procedure => {
    const plans = entries.map(readPlan)
    return writeStepWithRetry(plans.length, async () => {
      const processes = await readProcesses(scope, procedure, plans)
      const { outcomes, passes } = await decideUndos(
        { ...scope, moved: openMovedLog(archive, scope) },
        procedure,
        withinStep(plans, processes),
        processes,
      )
      const updates = passes.flatMap(({ groups }) => groups.flatMap(({ rows }) => rows))
      const restores = passes.flatMap(pass => pass.restores.map(({ item }) => item))
      const changed = [
        ...updates.map(({ rid, change: { status, nextActionAt } }) => ({ rid, status, nextActionAt })),
        ...restores,
      ]
      const due = await scheduleDueTimes(scope, procedure, scheduleTimes, changed, some => whereAmong(procedure, some))
      const relinked = updates.filter(({ change }) => change.record !== undefined)
      const customers = [...new Set(relinked.flatMap(({ change }) => change.record ?? []))]
      const guards = [
        ...guardAsRead(procedure, [...processes.values()]),
        ...(customers.length > 0 ? [guardRecords(scope, customers)] : []),
        ...(relinked.length > 0 ? [guardNotBeingErased(whereAmong(procedure, relinked))] : []),
        ...(restores.length > 0
          ? [
              guardTrashNotBeingErased(
                procedure,
                restores.map(({ rid }) => rid),
              ),
            ]
          : []),
      ]
      const statements = passes.flatMap(pass => [
        ...passStatements(scope, procedure, pass),
        ...(pass.restores.length > 0 ? restoreStatements(scope, procedure, pass.restores) : []),
      ])
      await commit({
        outcomes,
        statements: [guardDefinition(procedure), ...guards, ...statements, ...due],
      }).catch(async (error: unknown) => {
        if (isBeingErased(error)) await finishErasures(scope, procedure, relinked, restores)
        throw error
      })
    })
  })

async function finishErasures(
  scope: Scope,
  procedure: Procedure,
  relinked: readonly RowUpdate[],
  restores: readonly { rid: number }[],
): Promise<void> {
  if (relinked.length > 0) await finishErasure(scope, procedure, whereAmong(procedure, relinked))
  if (restores.length > 0)
    await finishErasureInTrash(
      scope,
      procedure,
      restores.map(({ rid }) => rid),
    )
}

function readPlan({ apiData, index }: StepEntry): UndoPlan {
  const { processId, undo } = apiData as { processId: string; undo: { backgroundJob: string; index: number } }
  return { entry: index, rid: toRowNo(processId), id: processId, job: undo.backgroundJob, index: undo.index }
}

async function readProcesses(scope: Scope, { no }: Procedure, plans: readonly UndoPlan[]): Promise<Processes> {
  const plansByRow = Map.groupBy(plans, ({ rid }) => rid)
  const search = ({ rid, lastEvent }: { rid: number; lastEvent: number | null }) => {
    const own = plansByRow.get(rid) ?? []
    return beginSearch(rid, own[0]?.job ?? '', own.length, lastEvent)
  }
  const rids = ridList([...new Set(plans.map(({ rid }) => rid))])
  const [live, trashed] = await scope.db.read(
    select(
      {
        rid: process.rid,
        id: process.id,
        state: process.state,
        version: process.version,
        primaryKey: process.primaryKey,
        bytes: sql<number>`length(${process.data})`,
        record: process.record,
        lastEvent: process.lastEvent,
      },
      sql`FROM ${process} WHERE ${process.rid} IN ${rids} AND +${process.proc} = ${no}`,
    ),
    select(
      {
        rid: trash.rid,
        id: trash.id,
        version: sql<number>`${trash.row} ->> '$.version'`,
        primaryKey: trash.primaryKey,
        bytes: sql<number>`length(${trash.row})`,
        lastEvent: sql<number | null>`${trash.row} ->> '$.lastEvent'`,
      },
      sql`FROM ${trash} WHERE ${trash.rid} IN ${rids} AND +${trash.proc} = ${no}`,
    ),
  )
  const all: UndoneProcess[] = [
    ...live.map(row => ({ ...row, isInTrash: false, search: search(row) })),
    ...trashed.map(row => ({
      ...row,
      state: '',
      record: null,
      lastEvent: null,
      isInTrash: true,
      search: search(row),
    })),
  ]
  return new Map(all.map(each => [each.rid, each]))
}

/** The first entries, as many as the step has room for by the documents that they change or bring back. */
function withinStep(plans: readonly UndoPlan[], processes: Processes): readonly UndoPlan[] {
  const bytesWhere = (isInTrash: boolean) =>
    plans.map(plan => {
      const found = findProcess(processes, plan)
      return found?.isInTrash === isInTrash ? found.bytes : 0
    })
  const count = Math.min(
    countFitting(bytesWhere(false), DOCUMENTS_BYTES_MAX),
    countFitting(bytesWhere(true), STEP_BYTES_MAX),
  )
  return plans.slice(0, count)
}

/** Fails the transaction where a process that it changes has changed since it was read. */
function guardAsRead({ no }: Procedure, processes: readonly UndoneProcess[]): Statement[] {
  const read = processes.flatMap(({ rid, lastEvent, changes }) =>
    changes !== undefined && lastEvent !== null ? [[rid, lastEvent]] : [],
  )
  if (read.length === 0) return []
  const [rid, lastEvent] = [sql`asRead.value ->> '$[0]'`, sql`asRead.value ->> '$[1]'`]
  return [
    guard(
      PROCESS_CHANGED,
      sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(read)}) asRead LEFT JOIN ${process}
        ON ${process.rid} = ${rid} AND +${process.proc} = ${no} WHERE ${process.lastEvent} IS NOT ${lastEvent})`,
    ),
  ]
}
