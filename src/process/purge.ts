import { isGuardFailure } from '../db/guard.ts'
import { write } from '../db/write.ts'
import { selectSweep } from '../erasure-sweep/statements.ts'
import type { May } from '../permissions.ts'
import type { Procedure } from '../procedure/model.ts'
import { requirePermission } from '../roles.ts'
import type { Scope } from '../scope.ts'
import { ProcessChanged, writeWithRetry } from './conflict.ts'
import { getProcess, requireTag } from './operations.ts'
import { NOT_THERE, purgeStatements } from './rows/purge.ts'
import type { Tag } from './rows/target.ts'

export interface PurgedProcess {
  id: string
  /** False while a maintenance task still has values to remove. */
  isComplete: boolean
}

/** Refuses users who may only delete: nothing brings back what is purged. */
export const requireToPurge = (may: May): void =>
  requirePermission('process:purge', may, '/query/purge', 'your role cannot purge a process')

/**
 * Removes a process for good, live or from the trash, with every value of it. Its events keep their numbers, types, times
 * and authors. Copies in jobs and deliveries are removed in steps.
 */
export const purgeProcess = (
  scope: Scope,
  procedure: Procedure,
  target: { rid: number; id: string },
  ifTag: Tag | undefined,
): Promise<PurgedProcess> =>
  writeWithRetry(async () => {
    try {
      const { guards, effect, sweep } = purgeStatements(scope, procedure, target, ifTag)
      const results = await write(scope, { guards, effect, outcome: null })
      return { id: target.id, isComplete: results[sweep]?.changes === 0 }
    } catch (error) {
      if (!isGuardFailure(error, NOT_THERE)) throw error
      const [[sweep]] = await scope.db.read(selectSweep(scope.team.no, target.id))
      if (sweep) return { id: target.id, isComplete: false }
      const current = await getProcess(scope, procedure, target)
      if (ifTag) requireTag(current, ifTag)
      throw new ProcessChanged()
    }
  })
