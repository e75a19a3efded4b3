import type { Fault } from '../../errors.ts'
import { isObject } from '../../http/shapes.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { requireRecord } from '../customer.ts'
import { requireUsers } from '../users.ts'
import { findFurtherFaults } from '../validate.ts'
import { type ReadEntry, readUpdateItem } from './read-item.ts'

/** Reads the update that all entries of a request share: what is wrong with it is wrong with the request. */
export function readUpdateEntry(procedure: Procedure, update: unknown): ReadEntry {
  const read = readUpdateItem(procedure, { id: '-', update: update ?? {} })
  const meant = read.faults.length === 0 ? findFurtherFaults(procedure, update) : []
  return { ...read, faults: [...read.faults, ...meant].map(inUpdate) }
}

/** Refuses an update that names users or a customer whom the team does not have. */
export async function requireReferences(scope: Scope, procedure: Procedure, update: unknown): Promise<void> {
  if (!isObject(update)) return
  const data = isObject(update.data) ? update.data : {}
  const assignedTo = typeof update.assignedTo === 'string' ? { assignedTo: update.assignedTo } : {}
  await requireUsers(scope, procedure, { set: data, ...assignedTo }, '/body/update')
  await requireRecord(scope, update.record, '/body/update/record/id')
}

/** Faults of an item point into it; here the item is a member of the body. */
const inUpdate = (fault: Fault): Fault => ({
  ...fault,
  path: (fault.path ?? '/body').replace(/^\/body(\/update)?/, '/body/update'),
})
