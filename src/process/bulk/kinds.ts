import type { EntryKind, MatchedNames, RequestedNames, Search } from '../../background-job/kind.ts'
import type { Permission } from '../../permissions.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { isStale } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { previewCreates, previewUpdates, previewUpserts } from '../dry-run/preview.ts'
import { previewRestores } from '../dry-run/restores.ts'
import type { ScheduleTimes } from '../due/schedule.ts'
import { findMatches } from '../query/matches.ts'
import { recheckConfirmation } from './confirmation.ts'
import { correctBody } from './correction.ts'
import { decideCreateStep, planCreates } from './create.ts'
import { runWith } from './decision.ts'
import { formatEntryCell } from './entry-cells.ts'
import { createWithoutPersonal, findUpsertKey, updateWithoutPersonal, upsertWithoutPersonal } from './personal-rules.ts'
import { runRestores } from './restore.ts'
import { CreateData, DeleteData, type ProcessEntryKind, UpdateData, UpsertData } from './schema.ts'
import { isStepConflict } from './step-conflict.ts'
import { UNDO_COLUMNS } from './undo/columns.ts'
import { toUndo } from './undo/rules.ts'
import { runUndo } from './undo/run.ts'
import { decideUpdateStep, planUpdates } from './update.ts'
import { decideUpsertStep, planUpserts } from './upsert.ts'

export const PERMISSIONS_OF_KINDS: Record<ProcessEntryKind, Permission> = {
  PROCESS_UPDATE: 'process:write',
  PROCESS_CREATE: 'process:write',
  PROCESS_DELETE: 'process:delete',
  PROCESS_RESTORE: 'process:delete',
  PROCESS_UPSERT: 'process:write',
  PROCESS_UNDO: 'process:delete',
}

/** What stands before a number of processes. */
export const VERBS: Record<ProcessEntryKind, string> = {
  PROCESS_UPDATE: 'Change',
  PROCESS_CREATE: 'Create',
  PROCESS_DELETE: 'Delete',
  PROCESS_RESTORE: 'Restore',
  PROCESS_UPSERT: 'Create or change',
  PROCESS_UNDO: 'Undo changes of',
}

/** The processes that match, as entries of jobs name them. */
export async function findNames(scope: Scope, procedure: Procedure, wanted: RequestedNames): Promise<MatchedNames> {
  const { ids, rest } = await findMatches(scope, procedure, wanted)
  return { names: ids.map(id => ({ processId: id })), rest }
}

/** The same for the queue: by the definition in force, which may give the query a meaning that nobody agreed to. */
export const findProcesses = ({
  scope,
  procedure: reference,
  confirmation,
  ...wanted
}: Search): Promise<MatchedNames> =>
  withProcedure(scope, reference, async procedure => {
    const { where, moment } = wanted
    if (confirmation) await recheckConfirmation({ ...scope, now: moment }, procedure, { where, confirmation })
    return findNames(scope, procedure, wanted)
  })

const runCreates = runWith(planCreates, decideCreateStep)
const runUpdates = runWith(planUpdates, decideUpdateStep)
const runUpserts = runWith(planUpserts, decideUpsertStep)

const asProcesses = { isConflict: isStepConflict, isStale, toUndo }

const withCells = (apiType: ProcessEntryKind): Pick<EntryKind, 'getCell'> => ({
  getCell: (apiData, column) => formatEntryCell(apiType, apiData, column),
})

/** What a job can do with a process. */
export const processKinds = (
  scheduleTimes: ScheduleTimes,
  archive: Env['ARCHIVE'],
): Record<ProcessEntryKind, EntryKind> => ({
  PROCESS_UPDATE: {
    verb: VERBS.PROCESS_UPDATE,
    permission: PERMISSIONS_OF_KINDS.PROCESS_UPDATE,
    schema: UpdateData,
    run: step => runUpdates(scheduleTimes, step),
    preview: previewUpdates,
    find: findProcesses,
    withoutPersonal: updateWithoutPersonal,
    correction: correctBody('processUpdate'),
    ...withCells('PROCESS_UPDATE'),
    ...asProcesses,
  },
  PROCESS_CREATE: {
    verb: VERBS.PROCESS_CREATE,
    permission: PERMISSIONS_OF_KINDS.PROCESS_CREATE,
    schema: CreateData,
    run: step => runCreates(scheduleTimes, step),
    preview: previewCreates,
    withoutPersonal: createWithoutPersonal,
    correction: correctBody('processCreate'),
    ...withCells('PROCESS_CREATE'),
    ...asProcesses,
  },
  PROCESS_DELETE: {
    verb: VERBS.PROCESS_DELETE,
    permission: PERMISSIONS_OF_KINDS.PROCESS_DELETE,
    schema: DeleteData,
    run: step => runUpdates(scheduleTimes, step),
    preview: previewUpdates,
    find: findProcesses,
    withoutPersonal: apiData => apiData,
    ...withCells('PROCESS_DELETE'),
    ...asProcesses,
  },
  PROCESS_RESTORE: {
    verb: VERBS.PROCESS_RESTORE,
    permission: PERMISSIONS_OF_KINDS.PROCESS_RESTORE,
    schema: DeleteData,
    run: step => runRestores(scheduleTimes, step),
    preview: previewRestores,
    withoutPersonal: apiData => apiData,
    ...withCells('PROCESS_RESTORE'),
    ...asProcesses,
  },
  PROCESS_UPSERT: {
    verb: VERBS.PROCESS_UPSERT,
    permission: PERMISSIONS_OF_KINDS.PROCESS_UPSERT,
    schema: UpsertData,
    run: step => runUpserts(scheduleTimes, step),
    preview: previewUpserts,
    withoutPersonal: upsertWithoutPersonal,
    correction: correctBody('processUpsert'),
    findKey: findUpsertKey,
    ...withCells('PROCESS_UPSERT'),
    ...asProcesses,
  },
  PROCESS_UNDO: {
    verb: VERBS.PROCESS_UNDO,
    permission: PERMISSIONS_OF_KINDS.PROCESS_UNDO,
    run: step => runUndo(scheduleTimes, archive, step),
    undoColumns: UNDO_COLUMNS,
    withoutPersonal: apiData => apiData,
    ...asProcesses,
  },
})
