import type { EntryKind } from '../../background-job/kind.ts'
import type { Permission } from '../../permissions.ts'
import { isStale } from '../../procedure/definition-guard.ts'
import { runCreates } from './create.ts'
import { findProcesses } from './find.ts'
import { CreateData, DeleteData, type ProcessEntryKind, UpdateData } from './schema.ts'
import { isStepConflict } from './step-conflict.ts'
import { runUpdates } from './update.ts'

export const PERMISSIONS_OF_KINDS: Record<ProcessEntryKind, Permission> = {
  PROCESS_UPDATE: 'process:write',
  PROCESS_CREATE: 'process:write',
  PROCESS_DELETE: 'process:delete',
}

const asProcesses = { isConflict: isStepConflict, isStale }

/** What a job can do with a process. */
export const PROCESS_KINDS: Record<ProcessEntryKind, EntryKind> = {
  PROCESS_UPDATE: {
    permission: PERMISSIONS_OF_KINDS.PROCESS_UPDATE,
    schema: UpdateData,
    run: runUpdates,
    find: findProcesses,
    ...asProcesses,
  },
  PROCESS_CREATE: {
    permission: PERMISSIONS_OF_KINDS.PROCESS_CREATE,
    schema: CreateData,
    run: runCreates,
    ...asProcesses,
  },
  PROCESS_DELETE: {
    permission: PERMISSIONS_OF_KINDS.PROCESS_DELETE,
    schema: DeleteData,
    run: runUpdates,
    find: findProcesses,
    ...asProcesses,
  },
}
