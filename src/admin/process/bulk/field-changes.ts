import type { Config, Procedure, UpdateProcessByIdBody } from 'caseworker'
import { isCellType } from '../../parts/attribute/types.ts'
import { type FilterField, listFilterFields } from '../filter/fields.ts'
import type { RuleValue } from '../filter/filter-tree.ts'

/** A field and the value that it gets; undefined until one is chosen, null empties it. */
export interface FieldChange {
  field: string
  value: RuleValue | undefined
}

const ROOT = ['state', 'status', 'assignedTo', 'nextActionAt']

/** The fields that a bulk change may set: those that a cell of the table may. What is required can't be emptied. */
export function changeableFields(procedure: Procedure, users: Config['users']): FilterField[] {
  return listFilterFields(procedure, users).flatMap(field => {
    if (field.group === 'Process') return ROOT.includes(field.id) ? [field] : []
    const attribute = procedure.attributes.find(({ shortId }) => shortId === field.id)
    if (!attribute || field.id === procedure.primaryKey || !isCellType(attribute.type)) return []
    return [{ ...field, mayBeUnset: !attribute.required }]
  })
}

export function buildUpdate(changes: readonly FieldChange[]): UpdateProcessByIdBody {
  const finished = changes.filter(({ value }) => value !== undefined)
  const root = finished.filter(({ field }) => ROOT.includes(field))
  const data = finished.filter(({ field }) => !ROOT.includes(field))
  const pairs = (list: readonly FieldChange[]) => Object.fromEntries(list.map(({ field, value }) => [field, value]))
  return { ...pairs(root), ...(data.length > 0 ? { data: pairs(data) } : {}) }
}
