import type { Fault } from '../errors.ts'
import { pointer } from '../http/request/faults.ts'
import { suggest } from '../suggest.ts'
import type { Attribute, Procedure } from './model.ts'

const attributesByDefinition = new WeakMap<readonly Attribute[], ReadonlyMap<string, Attribute>>()

/** Returns the declared attributes by name, in a map that is made once for each definition: a job asks for each of its entries. */
export function getDeclaredAttributes({ attributes }: Pick<Procedure, 'attributes'>): ReadonlyMap<string, Attribute> {
  const declared = attributesByDefinition.get(attributes) ?? new Map(attributes.map(each => [each.shortId, each]))
  attributesByDefinition.set(attributes, declared)
  return declared
}

const userNamesByDefinition = new WeakMap<readonly Attribute[], readonly string[]>()

/** Lists the attributes whose values are users of the team. */
export function listUserAttributes({ attributes }: Pick<Procedure, 'attributes'>): readonly string[] {
  const names =
    userNamesByDefinition.get(attributes) ?? attributes.flatMap(each => (each.type === 'user' ? each.shortId : []))
  userNamesByDefinition.set(attributes, names)
  return names
}

/** Returns the fault of a name that the procedure does not declare. `others` are names that mean something in the same place. */
export const toUndeclaredFault = (
  procedure: Procedure,
  name: string,
  path: string,
  others: readonly string[] = [],
): Fault => ({
  message: `${JSON.stringify(name)} is not an attribute of ${procedure.shortId}`,
  path,
  hint: () => {
    const meant = suggest(name, [...getDeclaredAttributes(procedure).keys(), ...others])
    return meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`
  },
})

/** Finds names in `data` that the procedure does not declare. A strict procedure has refused them before. */
export function findUndeclaredNames(procedure: Procedure, data: Record<string, unknown>, path: string): Fault[] {
  if (procedure.strict) return []
  const declared = getDeclaredAttributes(procedure)
  const found: Fault[] = []
  for (const name in data)
    if (!declared.has(name) && Object.hasOwn(data, name))
      found.push(toUndeclaredFault(procedure, name, path + pointer('body', name).slice('/body'.length)))
  return found
}
