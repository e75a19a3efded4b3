import { toRowNo } from '../../ids.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import type { PrefetchResult, ProcessState, UpdatePlan } from '../bulk/update-rules.ts'
import { findProjected, type ProjectedProcess } from './store.ts'

/**
 * Replaces what a step has read of processes by what earlier entries of the dry run would have made of them, so that the
 * step decides as if those had been run.
 */
export interface Projection {
  /** The processes that a step has come across. */
  found: Map<number, ProjectedProcess>
  onto: (prefetched: PrefetchResult, plans: readonly UpdatePlan[]) => Promise<void>
  /** Replaces the holders of primary keys likewise. */
  ontoHolders: (holders: Map<string, string>, keys: readonly string[]) => Promise<void>
}

export function createProjection(scope: Scope, procedure: Procedure): Projection {
  const found = new Map<number, ProjectedProcess>()
  const find = async (rids: readonly number[], keys: readonly string[]): Promise<ProjectedProcess[]> => {
    const processes = await findProjected(scope, procedure, { rids: [...new Set(rids)], keys: [...new Set(keys)] })
    for (const process of processes) found.set(process.rid, process)
    return processes
  }
  return {
    found,
    async onto({ byRid, byKey }, plans) {
      const processes = await find(
        [...byRid.keys(), ...plans.flatMap(({ target }) => ('rid' in target ? target.rid : []))],
        plans.flatMap(({ name, change }) => [name, ...(change?.primaryKey ? [change.primaryKey] : [])]),
      )
      for (const process of processes) {
        const read = byRid.get(process.rid)
        if (read?.primaryKey && byKey.get(read.primaryKey) === read) byKey.delete(read.primaryKey)
        byRid.set(process.rid, toState(process))
      }
      for (const { rid, primaryKey, deletedBy } of processes) {
        const state = byRid.get(rid)
        if (state && primaryKey !== null && deletedBy === undefined) byKey.set(primaryKey, state)
      }
    },
    async ontoHolders(holders, keys) {
      const processes = await find([...holders.values()].map(toRowNo), keys)
      const ids = new Set(processes.map(({ id }) => id))
      for (const [key, id] of holders) if (ids.has(id)) holders.delete(key)
      for (const { id, primaryKey, deletedBy } of processes)
        if (primaryKey !== null && deletedBy === undefined) holders.set(primaryKey, id)
    },
  }
}

const toState = ({
  rid,
  id,
  state,
  version,
  primaryKey,
  data,
  recordRid,
  deletedBy,
  isOwn,
}: ProjectedProcess): ProcessState => ({
  rid,
  id,
  state,
  version,
  primaryKey,
  bytes: JSON.stringify(data).length,
  record: recordRid,
  ...(deletedBy === undefined ? {} : { isDeleted: true }),
  ...(isOwn ? { isOwn } : {}),
})

/** Lists the ids of processes that the job would create: no process has them yet. */
export const listNewIds = (processes: Iterable<ProjectedProcess>): Set<string> =>
  new Set([...processes].filter(({ isNew }) => isNew).map(({ id }) => id))
