import type { Step } from '../../background-job/kind.ts'
import { toStoredData } from '../../db/document/json.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import {
  decideRestores,
  planRestores,
  type RestoreCandidates,
  type RestoredItem,
  type RestorePlan,
} from '../bulk/restore.ts'
import { writeStepWithRetry } from '../bulk/step-conflict.ts'
import type { TrashedProcess } from '../row.ts'
import { RESTORED, toPlannedChanges, withChanges, withoutNewIds } from './changes.ts'
import { createProjection, listNewIds } from './projection.ts'
import { findProjected, type ProjectedProcess, saveProjected } from './store.ts'

/** Stores what the restores of a step would do. They are decided as by `runRestores`. */
export const previewRestores = ({ scope, procedure: reference, entries, commit }: Step): Promise<void> =>
  withProcedure(scope, reference, procedure => {
    const plans = planRestores(procedure, entries)
    return writeStepWithRetry(plans.length, async () => {
      const before = new Map<number, ProjectedProcess>()
      const { found: holding, ontoHolders } = createProjection(scope, procedure)
      const { step, outcomes, restored } = await decideRestores(scope, procedure, plans, {
        ofNamed: (found, some) => projectNamed(scope, procedure, found, { plans: some, before }),
        ofHolders: ontoHolders,
      })
      const newIds = listNewIds([...before.values(), ...holding.values()])
      const byEntry = new Map(restored.map(each => [each.entry, each]))
      const shown = outcomes.map((outcome, nth) => {
        const item = byEntry.get(step[nth]?.entry ?? -1)
        if (!item) return withoutNewIds(withChanges(outcome, { version: null }, []), newIds)
        const isOwn = before.get(item.item.rid)?.isOwn ?? false
        const planned = toPlannedChanges({ version: item.trashed.version, isOwn })
        return withoutNewIds(withChanges(outcome, planned, [RESTORED]), newIds)
      })
      await commit({
        outcomes: shown,
        statements: [guardDefinition(procedure)],
        forLater: saveProjected(
          scope,
          procedure,
          restored.map(each => projectRestored(each, before.get(each.item.rid))),
        ),
      })
    })
  })

/** Replaces processes, live and in the trash, by what earlier entries would have left of them. Returns the rows of those in the trash. */
async function projectNamed(
  scope: Scope,
  procedure: Procedure,
  { trashed, trashedByKey, live, liveByKey }: RestoreCandidates,
  { plans, before }: { plans: readonly RestorePlan[]; before: Map<number, ProjectedProcess> },
): Promise<Map<number, TrashedProcess>> {
  before.clear()
  const rids = [
    ...plans.flatMap(({ target }) => ('rid' in target ? target.rid : [])),
    ...[...trashed.values(), ...trashedByKey.values()].map(({ rid }) => rid),
    ...[...live.values(), ...liveByKey.values()].map(({ rid }) => rid),
  ]
  const found = await findProjected(scope, procedure, { rids: [...new Set(rids)], keys: plans.map(({ name }) => name) })
  const rows = new Map<number, TrashedProcess>()
  for (const process of found) {
    before.set(process.rid, process)
    for (const read of [trashed, trashedByKey, live, liveByKey])
      for (const [name, { id }] of read) if (id === process.id) read.delete(name)
  }
  // A key means the process with it that was deleted last.
  for (const process of found.toSorted((one, other) => (one.deletedBy ?? 0) - (other.deletedBy ?? 0))) {
    const { rid, id, primaryKey, deletedBy, data } = process
    if (deletedBy === undefined) {
      live.set(id, { rid, id, primaryKey })
      if (primaryKey !== null) liveByKey.set(primaryKey, { rid, id, primaryKey })
      continue
    }
    const place = { rid, id, primaryKey, bytes: JSON.stringify(data).length }
    trashed.set(id, place)
    if (primaryKey !== null) trashedByKey.set(primaryKey, place)
    const { record, recordRid: _, isNew: _new, deletedBy: _by, isOwn: _own, ...row } = process
    rows.set(rid, { ...row, record: typeof record === 'string' ? { id: record } : null })
  }
  return rows
}

const projectRestored = (
  { item: { set, record: recordRid, ...item }, trashed }: RestoredItem,
  before: ProjectedProcess | undefined,
): ProjectedProcess => ({
  ...item,
  data: toStoredData(set),
  record: before?.record ?? trashed.record?.id ?? null,
  recordRid: before ? before.recordRid : recordRid,
  ...(before?.isNew ? { isNew: true } : {}),
  isOwn: true,
})
