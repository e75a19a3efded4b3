import { type Fault, invalid } from '../errors.ts'
import { pointer } from '../http/request/faults.ts'
import { listUserAttributes } from '../procedure/declared.ts'
import type { Procedure } from '../procedure/model.ts'
import type { Scope } from '../scope.ts'
import { findUsers } from '../user/reference.ts'
import { noSuchUser } from '../user/rules.ts'
import type { Change } from './rules.ts'

type UserChange = Pick<Change, 'set' | 'assignedTo'>

/** Lists the values of a change that name users: the assignee, and attributes of the type `user`. */
function listReferences(procedure: Procedure, { set, assignedTo }: UserChange): [path: string, reference: string][] {
  const references: [string, string][] = []
  if (typeof assignedTo === 'string') references.push(['/assignedTo', assignedTo])
  for (const name of listUserAttributes(procedure)) {
    const value = Object.hasOwn(set, name) ? set[name] : undefined
    if (typeof value === 'string') references.push([pointer('body', 'data', name).slice('/body'.length), value])
  }
  return references
}

/** Lists the users that some changes name, each once: a step of a job looks all of them up together. */
export function listUserReferences(procedure: Procedure, plans: readonly { change?: UserChange }[]): string[] {
  const named = new Set<string>()
  for (const { change } of plans)
    if (change) for (const [, reference] of listReferences(procedure, change)) named.add(reference)
  return [...named]
}

/** Replaces the references to users by their ids. */
export function resolveUsers<Resolved extends UserChange>(
  procedure: Procedure,
  change: Resolved,
  users: ReadonlyMap<string, string>,
  base = '/body',
): { change: Resolved; faults: Fault[] } {
  const references = listReferences(procedure, change)
  if (references.length === 0) return { change, faults: [] }
  const getId = (value: unknown): unknown => (typeof value === 'string' ? (users.get(value) ?? value) : value)
  const resolved: [string, unknown][] = listUserAttributes(procedure)
    .filter(name => Object.hasOwn(change.set, name))
    .map(name => [name, getId(change.set[name])])
  return {
    change: {
      ...change,
      ...(typeof change.assignedTo === 'string' ? { assignedTo: getId(change.assignedTo) } : {}),
      ...(resolved.length === 0 ? {} : { set: { ...change.set, ...Object.fromEntries(resolved) } }),
    },
    faults: references
      .filter(([, reference]) => !users.has(reference))
      .map(([path, reference]) => noSuchUser(reference, base + path)),
  }
}

/** Returns the change with the ids of the users that it names. Refuses references to users whom the team does not have. */
export async function requireUsers<Resolved extends UserChange>(
  scope: Scope,
  procedure: Procedure,
  change: Resolved,
  base?: string,
): Promise<Resolved> {
  const users = await findUsers(scope, listUserReferences(procedure, [{ change }]))
  const { change: resolved, faults } = resolveUsers(procedure, change, users, base)
  if (faults.length > 0) throw invalid(faults)
  return resolved
}
