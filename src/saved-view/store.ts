import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, insertInto, type Statement, select, statement } from '../db/statement.ts'
import { procedure } from '../procedure/table.ts'
import type { Scope } from '../scope.ts'
import { savedView } from './table.ts'

export type SavedViewRow = Omit<typeof savedView.$inferSelect, 'proc'> & {
  proc: number
  procedure: string
  procedureShortId: string
}

const FIELDS = {
  ...getTableColumns(savedView),
  procedure: sql<string>`${procedure.id}`,
  procedureShortId: sql<string>`${procedure.shortId}`,
}
const JOINED = sql`CROSS JOIN ${procedure} ON ${procedure.no} = ${savedView.proc}`

const whereOwn = (scope: Scope): SQL =>
  sql`${savedView.team} = ${scope.team.no} AND ${savedView.isShared} = 0 AND ${savedView.createdBy} = ${scope.user.id}`
const whereShared = (scope: Scope): SQL => sql`${savedView.team} = ${scope.team.no} AND ${savedView.isShared} = 1`

/** Matches the views that the user of a request may see. */
const whereVisible = (scope: Scope): SQL =>
  sql`${savedView.team} = ${scope.team.no} AND (${savedView.isShared} = 1 OR ${savedView.createdBy} = ${scope.user.id})`

export const selectSavedView = (scope: Scope, id: string): Statement<SavedViewRow> =>
  select(
    FIELDS,
    sql`FROM ${savedView} ${JOINED} WHERE ${savedView.id} = ${id.toLowerCase()} AND ${whereVisible(scope)}`,
  )

/** Lists the user's own views, and those that are shared; of one procedure, if its id or short id is given. */
export async function listSavedViewRows(scope: Scope, reference: string | undefined): Promise<SavedViewRow[]> {
  const table = sql`FROM ${savedView} INDEXED BY saved_view_list ${JOINED}`
  const ofProcedure =
    reference === undefined
      ? sql``
      : sql` AND (${procedure.id} = ${reference.toLowerCase()} OR ${procedure.shortId} = ${reference})`
  const [own, shared] = await scope.db.read(
    select(FIELDS, sql`${table} WHERE ${whereOwn(scope)}${ofProcedure}`),
    select(FIELDS, sql`${table} WHERE ${whereShared(scope)}${ofProcedure}`),
  )
  return [...own, ...shared]
}

export const TOO_MANY_OWN_VIEWS = 'the user has as many views as they may'
export const TOO_MANY_SHARED_VIEWS = 'the team shares as many views as it may'

/** Fails the transaction that adds a view to a list that is full. `createdBy` is the owner of the list. */
export const guardViewLeft = (scope: Scope, { isShared, createdBy }: SavedViewRow, max: number): Statement => {
  const inList = isShared ? whereShared(scope) : whereOwn({ ...scope, user: { id: createdBy } })
  const count = sql`(SELECT count(*) FROM ${savedView} INDEXED BY saved_view_list WHERE ${inList})`
  return guard(isShared ? TOO_MANY_SHARED_VIEWS : TOO_MANY_OWN_VIEWS, sql`${count} < ${max}`)
}

const whereView = ({ id, team }: Pick<SavedViewRow, 'id' | 'team'>): SQL =>
  sql`${savedView.id} = ${id} AND ${savedView.team} = ${team}`

export const VIEW_CHANGED = 'the view changed'

/** Fails a transaction if the view on which it was decided was changed or removed since. */
export const guardViewVersion = (row: SavedViewRow): Statement =>
  guard(
    VIEW_CHANGED,
    sql`EXISTS (SELECT 1 FROM ${savedView} WHERE ${whereView(row)} AND ${savedView.version} = ${row.version})`,
  )

const stored = ({ procedure: _procedure, procedureShortId: _shortId, isShared, ...row }: SavedViewRow) => ({
  ...row,
  isShared: isShared ? 1 : 0,
})

export const insertSavedView = (row: SavedViewRow): Statement => statement(insertInto(savedView, stored(row)))

/** Replaces a view. `guardViewVersion` before it keeps it from undoing somebody else's change. */
export const replaceSavedView = (row: SavedViewRow): Statement => {
  const { id: _id, team: _team, ...values } = stored(row)
  return statement(sql`UPDATE ${savedView} SET ${assignments(savedView, values)} WHERE ${whereView(row)}`)
}

export const removeSavedView = (row: SavedViewRow): Statement =>
  statement(sql`DELETE FROM ${savedView} WHERE ${whereView(row)}`)
