import { STATUSES } from '../../../procedure/model.ts'
import { checkValue } from '../../../procedure/values.ts'
import { suggest } from '../../../suggest.ts'
import type { Procedure } from '../../client.ts'
import { parseTime } from '../field/cell.ts'
import type { ImportMode } from './columns.ts'

type Item = Record<string, unknown>

const isObject = (value: unknown): value is Item => typeof value === 'object' && value !== null

/**
 * What the definition of the procedure says against an item, as a sentence. Values are checked by the API's own rule. The
 * API checks more: what exists, and transitions of states.
 */
export function rowFault(procedure: Procedure, item: Item, mode: ImportMode): string | undefined {
  const { primaryKey, attributes, states } = procedure
  const fields = mode === 'update' && isObject(item.update) ? item.update : item
  const data: Item = { ...(isObject(fields.data) ? fields.data : {}) }
  // In a line of JSON, attributes may stand beside the fields.
  for (const { shortId } of attributes) if (Object.hasOwn(item, shortId)) data[shortId] ??= item[shortId]
  if (mode === 'update' && item.id === undefined && (primaryKey === null || data[primaryKey] === undefined))
    return `${primaryKey ?? 'id'} is missing`
  if (mode === 'upsert' && primaryKey !== null && data[primaryKey] === undefined) return `${primaryKey} is missing`
  const missing = attributes.find(each => mode !== 'update' && each.required && (data[each.shortId] ?? null) === null)
  if (missing !== undefined) return `${missing.shortId} is missing`
  const { state, status, nextActionAt } = fields
  if (typeof nextActionAt === 'string' && typeof parseTime(nextActionAt) !== 'number')
    return 'nextActionAt must be a time in ISO 8601 with its offset, or epoch milliseconds'
  if (typeof state === 'string' && !states.some(each => each.shortId === state)) return `there is no state ${state}`
  if (mode === 'create' && states.some(each => each.shortId === state && each.startsHere === false))
    return `a process cannot be created in the state ${state}`
  if (typeof status === 'string' && !STATUSES.some(each => each === status)) return `there is no status ${status}`
  const faults = Object.entries(data).flatMap(([name, value]) => valueFault(procedure, name, value) ?? [])
  return faults.length === 0 ? undefined : faults.join('; ')
}

const withHint = (message: string, hint: string | undefined): string =>
  hint === undefined ? message : `${message} (${hint})`

/** The sentence that the API would have for it. `checkData` of `process/rules.ts` says the same of names. */
function valueFault({ attributes, strict }: Procedure, name: string, value: unknown): string | undefined {
  const attribute = attributes.find(({ shortId }) => shortId === name)
  const quoted = JSON.stringify(name)
  if (attribute === undefined) {
    if (!strict) return undefined
    const names = attributes.map(({ shortId }) => shortId)
    const meant = suggest(name, names)
    const hint = meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`
    return withHint(`${quoted} is not an attribute of this procedure`, hint)
  }
  if (value === null) return attribute.required ? `${quoted} is required and cannot be removed` : undefined
  const checked = checkValue(attribute, value)
  if (!('fault' in checked)) return undefined
  const { message, hint } = checked.fault
  return withHint(`${quoted} ${message}`, typeof hint === 'function' ? hint() : hint)
}

/** The primary key that an item names, as text: with it, another row is about the same process. */
export function keyOfItem({ primaryKey }: Pick<Procedure, 'primaryKey'>, item: Item): string | undefined {
  if (primaryKey === null) return undefined
  const data = isObject(item.data) ? item.data : {}
  const key = item[primaryKey] ?? data[primaryKey]
  return typeof key === 'string' || typeof key === 'number' ? String(key) : undefined
}

/** The update of a process that exists, made of the item that should have created it. */
export function updateOfItem({ primaryKey }: Procedure, item: Record<string, unknown>): Record<string, unknown> {
  const { data, ...fields } = item
  const name = primaryKey ?? ''
  const { [name]: inData, ...attributes } = (data ?? {}) as Record<string, unknown>
  const { [name]: beside, ...others } = fields
  return { [name]: beside ?? inData, update: { ...others, data: attributes } }
}
