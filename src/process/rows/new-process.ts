import { toRowNo } from '../../ids.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { toStatusNumber } from '../fields.ts'
import type { Change } from '../rules.ts'
import type { NewProcess } from './insert.ts'

/** Builds a new process, with defaults for the fields that were not sent. */
export function buildNewProcess(
  procedure: Procedure,
  change: Change,
  { id, record, user, now }: Pick<Scope, 'user' | 'now'> & { id: string; record: number | null },
): NewProcess {
  const status = change.status ?? toStatusNumber('OPEN')
  return {
    rid: toRowNo(id),
    id,
    status,
    state: change.state ?? procedure.startState,
    nextActionAt: change.nextActionAt ?? null,
    assignedTo: change.assignedTo ?? null,
    createdBy: user.id,
    completedAt: status === toStatusNumber('COMPLETED') ? now : 0,
    updatedAt: now,
    version: 1,
    primaryKey: change.primaryKey ?? null,
    record,
    set: change.set,
  }
}
