import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import type { Entry } from '../entry.ts'
import type { EntryKinds } from '../kind.ts'
import type { JobRow } from '../rules.ts'
import { eraseFromEntries, newEntryEraser } from './eraser.ts'
import { PENDING_ERASURES_MAX, selectLastErasure, selectPendingErasures } from './pending.ts'

/** The erasures that have not yet swept a job whose entries are taken into another one. */
export interface PendingErasures {
  /** What `guardNobodyErased` has to ask for when the other job is written. */
  lastErasureAt: number | null
  /** Removes from entries of the job the values that these erasures remove. */
  erase: (entries: Entry[]) => Promise<Entry[]>
}

export async function loadPendingErasures(scope: Scope, kinds: EntryKinds, job: JobRow): Promise<PendingErasures> {
  const [[known], erasures] = await scope.db.read(
    selectLastErasure(scope.team.no),
    selectPendingErasures(scope.team.no, job.no),
  )
  if (erasures.length === PENDING_ERASURES_MAX)
    throw new AppError('conflict', 'too many customers are being erased at this moment: try again later')
  const eraser = newEntryEraser(kinds, scope.team.no, erasures)
  return {
    lastErasureAt: known?.lastErasureAt ?? null,
    erase: async entries =>
      erasures.length === 0 ? entries : eraseFromEntries(eraser, scope.db.reconnect(), job, entries),
  }
}
