import type { Db } from '../../src/db/client.ts'
import type { Statement } from '../../src/db/statement.ts'
import { newId, toRowNo } from '../../src/ids.ts'
import type { Procedure } from '../../src/procedure/model.ts'
import { createFormCache, listFormValues } from '../../src/process/bulk/change-form.ts'
import { updateManyStatements } from '../../src/process/bulk/write-many.ts'
import { insertNewEvents } from '../../src/process/rows/append-events.ts'
import { deriveInserts, insertProcesses, type NewProcess } from '../../src/process/rows/insert.ts'
import { buildNewProcess } from '../../src/process/rows/new-process.ts'
import { trashProcess } from '../../src/process/rows/trash.ts'
import { insertEventBeforeUpdate, updateProcessRow } from '../../src/process/rows/update.ts'
import { type Change, findNewFaults, planChange } from '../../src/process/rules.ts'
import type { UpdateProcess } from '../../src/process/schema.ts'
import { type ChangeOrigin, createTeamScope, type Scope, type Team } from '../../src/scope.ts'
import type { Customer } from './customers.ts'

/** The author and time of a change. */
export interface LogAuthor {
  at: number
  user: string
  origin: ChangeOrigin
}

/** A process that is made, and what it is known by. */
export interface DemoProcess {
  procedure: Procedure
  item: NewProcess
}

export interface Creation {
  body: UpdateProcess
  customer: Customer | null
}

interface Act {
  at: number
  statements: () => readonly Statement[]
}

/**
 * Collects the past of a team in any order: `statements` returns it in the order of time, as the product's own
 * statements. Nothing is read, so the caller that changes a process has to know it.
 */
export function newLog(db: Db, team: Team) {
  const acts: Act[] = []
  const made: DemoProcess[] = []
  const rids = new Set<number>()
  const toScope = ({ at, user, origin }: LogAuthor): Scope =>
    createTeamScope(db, { team, user: { id: user }, origin }, at)

  function freeId(at: number): string {
    for (;;) {
      const id = newId(at)
      if (rids.has(toRowNo(id))) continue
      rids.add(toRowNo(id))
      return id
    }
  }

  function toChange(procedure: Procedure, body: UpdateProcess): Change {
    const { change, faults } = planChange(procedure, body)
    if (faults.length > 0) throw new Error(`the demo's ${procedure.shortId}: ${JSON.stringify(faults)}`)
    return change
  }

  /** Processes that come into being at once: one by a call, or all of a job. */
  function create(by: LogAuthor, procedure: Procedure, creations: readonly Creation[]): DemoProcess[] {
    const scope = toScope(by)
    const some = creations.map(({ body, customer }): DemoProcess => {
      const change = toChange(procedure, body)
      const faults = findNewFaults(procedure, change, body)
      if (faults.length > 0) throw new Error(`the demo's ${procedure.shortId}: ${JSON.stringify(faults)}`)
      const record = customer?.rid ?? null
      return { procedure, item: buildNewProcess(procedure, change, { ...scope, id: freeId(by.at), record }) }
    })
    const isJob = 'job' in by.origin
    acts.push({
      at: by.at,
      statements: () => [
        insertProcesses(
          scope,
          procedure,
          some.map(({ item }) => item),
        ),
        insertNewEvents(scope, procedure, {
          type: 'process.created',
          after: some.map(({ item: { rid, id } }, entry) => ({ rid, id, ...(isJob ? { entry } : {}) })),
        }),
      ],
    })
    made.push(...some)
    return some
  }

  function update(by: LogAuthor, { procedure, item: { rid, id } }: DemoProcess, body: UpdateProcess): void {
    const one = { target: { rid, id }, change: toChange(procedure, body) }
    const scope = toScope(by)
    acts.push({
      at: by.at,
      statements: () => [insertEventBeforeUpdate(scope, procedure, one), updateProcessRow(scope, procedure, one)],
    })
  }

  /** Adds the changes of a job's step. They must be alike, and not move to another state. */
  function updateMany(
    by: LogAuthor,
    procedure: Procedure,
    updates: readonly (readonly [DemoProcess, UpdateProcess])[],
  ): void {
    if (updates.length === 0) return
    const scope = toScope(by)
    const findForm = createFormCache(procedure)
    const rows = updates.map(([{ item }, body], entry) => {
      const change = toChange(procedure, body)
      const form = findForm(change)
      const { rid, id } = item
      const values = listFormValues(procedure, form, change, undefined)
      return { rid, id, entry, change, form, values, mayOutgrow: false, bytes: 0, state: undefined }
    })
    acts.push({ at: by.at, statements: () => updateManyStatements(scope, procedure, rows) })
  }

  function remove(by: LogAuthor, { procedure, item: { rid, id } }: DemoProcess): void {
    const scope = toScope(by)
    acts.push({ at: by.at, statements: () => trashProcess(scope, procedure, { rid, id }, undefined) })
    made.splice(
      made.findIndex(({ item }) => item.rid === rid),
      1,
    )
  }

  return {
    freeId,
    toScope,
    create,
    update,
    updateMany,
    remove,
    /** Something besides processes. */
    add: (at: number, statements: () => readonly Statement[]) => acts.push({ at, statements }),
    /** Returns the statements of the whole past. Indexes are made of the processes as they are in the end. */
    statements(): Statement[] {
      acts.sort((one, other) => one.at - other.at)
      return [...acts.flatMap(act => act.statements()), ...toDerived(made)]
    },
  }
}
export type Log = ReturnType<typeof newLog>

const DERIVED_AT_ONCE = 500

function toDerived(made: readonly DemoProcess[]): Statement[] {
  const byProcedure = Map.groupBy(made, ({ procedure }) => procedure)
  return [...byProcedure].flatMap(([procedure, all]) =>
    Array.from({ length: Math.ceil(all.length / DERIVED_AT_ONCE) }, (_, nth) => {
      const some = all.slice(nth * DERIVED_AT_ONCE, (nth + 1) * DERIVED_AT_ONCE)
      return deriveInserts(
        procedure,
        some.map(({ item }) => item),
      ).after
    }).flat(),
  )
}
