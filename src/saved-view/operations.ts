import { retryWhileChanged } from '../change-conflict.ts'
import { isGuardFailure } from '../db/guard.ts'
import { toNextVersion } from '../db/next-version.ts'
import { write } from '../db/write.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { newId, UUID } from '../ids.ts'
import type { May } from '../permissions.ts'
import { requireProcedure, throwUnknownAt, withProcedure } from '../procedure/definition-cache.ts'
import type { Procedure } from '../procedure/model.ts'
import { examineList } from '../process/query/matches.ts'
import type { Scope } from '../scope.ts'
import { type NewSavedView, OWN_VIEWS_MAX, type SavedViewUpdate, SHARED_VIEWS_MAX } from './schema.ts'
import { requireToChange, requireToShare } from './sharing-rules.ts'
import {
  guardViewLeft,
  guardViewVersion,
  insertSavedView,
  listSavedViewRows,
  removeSavedView,
  replaceSavedView,
  type SavedViewRow,
  selectSavedView,
  TOO_MANY_OWN_VIEWS,
  TOO_MANY_SHARED_VIEWS,
  VIEW_CHANGED,
} from './store.ts'

export async function listSavedViews(scope: Scope, procedure: string | undefined): Promise<SavedViewRow[]> {
  const rows = await listSavedViewRows(scope, procedure)
  if (rows.length === 0 && procedure !== undefined) await requireProcedure(scope, procedure, '/query/procedure')
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1))
}

export async function getSavedView(scope: Scope, id: string): Promise<SavedViewRow> {
  const [[row]] = UUID.test(id) ? await scope.db.read(selectSavedView(scope, id)) : [[]]
  if (!row) throw notFound(`saved view ${id}`)
  return row
}

export async function createSavedView(scope: Scope, may: May, body: NewSavedView): Promise<SavedViewRow> {
  if (body.isShared) requireToShare(may)
  return withProcedure(scope, body.procedure, async procedure => {
    await requireValidQuery(scope, procedure, body.query)
    const row: SavedViewRow = {
      id: newId(scope.now),
      team: scope.team.no,
      createdBy: scope.user.id,
      version: 1,
      proc: procedure.no,
      procedure: procedure.id,
      procedureShortId: procedure.shortId,
      name: body.name,
      layout: body.layout,
      isShared: body.isShared,
      query: JSON.stringify(body.query),
      columns: JSON.stringify(body.columns),
      createdAt: scope.now,
      updatedAt: scope.now,
    }
    const outcome = { json: JSON.stringify(row) }
    await write(scope, { guards: [guardRoom(scope, row)], effect: [insertSavedView(row)], outcome }).catch(throwFull)
    return row
  }).catch(throwUnknownAt('/body/procedure'))
}

export const updateSavedView = (scope: Scope, may: May, id: string, change: SavedViewUpdate): Promise<SavedViewRow> =>
  withUnchangedView(async () => {
    const before = await getSavedView(scope, id)
    requireToChange(scope.user.id, may, before)
    const { query, columns, ...plain } = change
    const row: SavedViewRow = {
      ...before,
      ...plain,
      ...toNextVersion(before, scope.now),
      ...(query === undefined ? {} : { query: JSON.stringify(query) }),
      ...(columns === undefined ? {} : { columns: JSON.stringify(columns) }),
    }
    if (row.isShared && !(before.isShared && may('config:write'))) requireToShare(may)
    if (query !== undefined)
      await withProcedure(scope, before.procedure, known => requireValidQuery(scope, known, query))
    await write(scope, {
      guards: [guardViewVersion(before), ...(row.isShared === before.isShared ? [] : [guardRoom(scope, row)])],
      effect: [replaceSavedView(row)],
      outcome: { json: JSON.stringify(row) },
    }).catch(throwFull)
    return row
  })

export const deleteSavedView = (scope: Scope, may: May, id: string): Promise<SavedViewRow> =>
  withUnchangedView(async () => {
    const before = await getSavedView(scope, id)
    requireToChange(scope.user.id, may, before)
    await write(scope, { guards: [guardViewVersion(before)], effect: [removeSavedView(before)], outcome: null })
    return before
  })

/** Refuses a wrong query now, so that nobody finds it out by opening the view. Later the definition may change; then the list says so. */
async function requireValidQuery(scope: Scope, procedure: Procedure, query: NewSavedView['query']): Promise<void> {
  const faults = await examineList(scope, procedure, query, '/body/query')
  if (faults.length > 0) throw invalid(faults)
}

const guardRoom = (scope: Scope, row: SavedViewRow) =>
  guardViewLeft(scope, row, row.isShared ? SHARED_VIEWS_MAX : OWN_VIEWS_MAX)

function throwFull(error: unknown): never {
  if (isGuardFailure(error, TOO_MANY_SHARED_VIEWS))
    throw new AppError('conflict', `a team may share ${SHARED_VIEWS_MAX} views`, error)
  if (isGuardFailure(error, TOO_MANY_OWN_VIEWS))
    throw new AppError('conflict', `a user may have ${OWN_VIEWS_MAX} views that are not shared`, error)
  throw error
}

/** Decides by the view as it is, and again if `guardViewVersion` says that it was changed meanwhile. */
const withUnchangedView = <T>(act: () => Promise<T>): Promise<T> => retryWhileChanged('view', VIEW_CHANGED, act)
