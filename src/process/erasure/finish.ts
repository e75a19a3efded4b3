import { type SQL, sql } from 'drizzle-orm'
import { recordErasure } from '../../customer/erasure/table.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { select } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { process, processTrash as trash } from '../table.ts'
import { emptyProcesses, emptyTrashed, takeFittingProcesses } from './statements.ts'

// A process that is given away by a customer who is being erased, or brought back from the trash, is emptied first, if the
// erasure has not come to it yet. Values that it is given after that stay.

const joinErasure = (record: SQL): SQL =>
  sql`CROSS JOIN ${recordErasure} ON ${recordErasure.record} = ${record} AND ${recordErasure.everywhere}`

export async function finishErasure(scope: Scope, procedure: Procedure, which: SQL): Promise<void> {
  const [rows] = await scope.db.read(
    select(
      { rid: process.rid, bytes: sql<number>`length(${process.data})`, by: recordErasure.by },
      sql`FROM ${process} ${joinErasure(sql`${process.record}`)} WHERE ${which} AND +${process.team} = ${scope.team.no}`,
    ),
  )
  for (const [by, some] of Map.groupBy(rows, row => row.by))
    await actInParts(procedure, some, rids =>
      empty(scope, procedure, emptyProcesses({ team: scope.team.no, at: scope.now, by, procedure, rids })),
    )
}

export async function finishErasureInTrash(scope: Scope, procedure: Procedure, rids: readonly number[]): Promise<void> {
  const [rows] = await scope.db.read(
    select(
      { rid: trash.rid, bytes: sql<number>`length(${trash.row})` },
      sql`FROM ${trash} ${joinErasure(sql`${trash.record}`)} WHERE ${trash.rid} IN ${ridList(rids)}
        AND +${trash.team} = ${scope.team.no}`,
    ),
  )
  await actInParts(procedure, rows, some =>
    empty(scope, procedure, emptyTrashed({ team: scope.team.no, procedure, rids: some })),
  )
}

async function actInParts(
  procedure: Procedure,
  rows: readonly { rid: number; bytes: number }[],
  act: (rids: number[]) => Promise<void>,
): Promise<void> {
  for (let left = rows; left.length > 0; ) {
    const some = takeFittingProcesses(procedure, left)
    await act(some.map(({ rid }) => rid))
    left = left.slice(some.length)
  }
}

const empty = async ({ db }: Scope, procedure: Procedure, effect: ReturnType<typeof emptyProcesses>): Promise<void> => {
  await write({ db, idempotency: null }, { guards: [guardDefinition(procedure)], effect, outcome: null })
}
