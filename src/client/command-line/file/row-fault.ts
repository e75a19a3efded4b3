import { ATTRIBUTE_TYPES, STATUSES } from '../../../procedure/model.ts'
import type { Procedure } from '../../client.ts'
import { parseTime } from '../field/cell.ts'
import type { ImportMode } from './columns.ts'

type Attribute = Procedure['attributes'][number]
type Item = Record<string, unknown>

const isObject = (value: unknown): value is Item => typeof value === 'object' && value !== null

/**
 * What the definition of the procedure says against an item, as a sentence. The API checks more: what exists, transitions
 * of states, the form of e-mail addresses and phone numbers.
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
  const missing = attributes.find(each => mode !== 'update' && each.required && data[each.shortId] === undefined)
  if (missing !== undefined) return `${missing.shortId} is missing`
  const { state, status, nextActionAt } = fields
  if (typeof nextActionAt === 'string' && typeof parseTime(nextActionAt) !== 'number')
    return 'nextActionAt must be a time in ISO 8601 with its offset, or epoch milliseconds'
  if (typeof state === 'string' && !states.some(each => each.shortId === state)) return `there is no state ${state}`
  if (typeof status === 'string' && !STATUSES.some(each => each === status)) return `there is no status ${status}`
  const wrong = attributes.find(each => valueFault(each, data[each.shortId]) !== undefined)
  return wrong && `"${wrong.shortId}" ${valueFault(wrong, data[wrong.shortId])}`
}

function valueFault({ type, values }: Attribute, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const kind = ATTRIBUTE_TYPES[type]
  if (kind === 'number' && !isNumeric(value)) return 'must be a number'
  if (kind === 'boolean' && typeof value !== 'boolean') return 'must be true or false'
  if (kind === 'list' && !Array.isArray(value)) return 'must be a list'
  if (values === undefined || values.length === 0) return undefined
  const strange = [value].flat().find(each => !values.some(known => String(known) === String(each)))
  return strange === undefined ? undefined : `cannot be ${JSON.stringify(strange)}: it is one of ${values.join(', ')}`
}

const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
