import type { SenderColumn } from '../../background-job/sender-columns.ts'
import { isObject } from '../../http/shapes.ts'
import { formatNumber } from '../../import-file/cells.ts'
import { RECORD_PREFIX } from '../../import-file/columns.ts'
import { LOOKS_LIKE_JSON } from '../../import-file/items.ts'
import { ATTRIBUTE_TYPES, type Procedure } from '../../procedure/model.ts'

type Values = Record<string, unknown>

const BODIES = ['processUpdate', 'processCreate', 'processUpsert'] as const

const getOwn = (object: unknown, name: string): unknown =>
  isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined

/** What a body sets, called as the columns of a table are. */
export function listBodyTargets({ data, record, ...fields }: Values): string[] {
  const customer = isObject(record) ? [...('id' in record ? ['id'] : []), ...namesIn(record.data)] : []
  return [...namesIn(data), ...Object.keys(fields), ...customer.map(name => `${RECORD_PREFIX}${name}`)]
}

const namesIn = (data: unknown): string[] => (isObject(data) ? Object.keys(data) : [])

/** What the entry of an item says, called as the columns of a table are: what it is about comes first. */
export function listEntryTargets(apiType: string, apiData: Values): string[] {
  const { processId, primaryKeyShortId, item } = apiData
  const isByKey = typeof primaryKeyShortId === 'string'
  const deletion = apiType === 'PROCESS_DELETE' || apiType === 'PROCESS_RESTORE' ? ['isDeleted'] : []
  const bodies = BODIES.flatMap(name => (isObject(apiData[name]) ? listBodyTargets(apiData[name]) : []))
  return [
    ...(processId === undefined ? [] : ['id']),
    ...(isByKey ? [primaryKeyShortId] : []),
    ...bodies,
    ...deletion,
    ...(isObject(item) ? listItemTargets(item) : []),
  ]
}

function listItemTargets({ update, ...rest }: Values): string[] {
  const { isDeleted, ...fields } = isObject(update) ? update : {}
  return [...listBodyTargets(rest), ...listBodyTargets(fields), ...(isDeleted === undefined ? [] : ['isDeleted'])]
}

/** What an entry says of a column, as the text that the same request reads as this again. */
export function formatEntryCell(apiType: string, apiData: Values, column: SenderColumn): string {
  const value = getEntryValue(apiType, apiData, column.target)
  const day = column.dates && typeof value === 'string' ? formatDay(value, column.dates) : undefined
  if (day !== undefined) return day
  // A cell of a row that could not be read stands there as it was sent.
  const isAsSent = typeof value === 'string' && getOwn(apiData.item, column.target) !== undefined
  return isAsSent ? value : formatValue(value, column)
}

const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const MONTHS = 12

/** A day in the order of the sender, so that no other day can be meant: 03/04/2026 stays 2026-03-04. */
function formatDay(value: string, dates: 'dmy' | 'mdy'): string | undefined {
  const [text, year, month, day] = ISO_DAY.exec(value) ?? []
  const at = new Date(text ?? '')
  if (text === undefined || Number.isNaN(at.getTime()) || at.getUTCDate() !== Number(day)) return undefined
  if (dates === 'dmy') return `${day}.${month}.${year}`
  return Number(day) > MONTHS ? `${month}/${day}/${year}` : text
}

/** Where commas are between cells, nobody takes the point of `1.234` for that of thousands. */
function formatValue(value: unknown, { separator = ',', ...column }: SenderColumn): string {
  const [hasComma, isJson] = [column.hasComma === true, column.isJson === true]
  if (value === undefined || value === null) return isJson && value === null ? 'null' : ''
  // A number with more digits than one can have is a text.
  if (typeof value === 'number' ? hasComma || separator !== ',' : hasComma && typeof value === 'string')
    return formatNumber(String(value), { hasComma })
  if (typeof value === 'string') return isJson && isReadOtherwise(value) ? JSON.stringify(value) : value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A text that is JSON itself, such as "5", would be read as what it says, and one that looks like JSON as broken. */
function isReadOtherwise(text: string): boolean {
  if (text === '' || text.trim() !== text || LOOKS_LIKE_JSON.test(text)) return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What an entry says of a target; undefined where it says nothing. */
function getEntryValue(apiType: string, apiData: Values, target: string): unknown {
  const { item } = apiData
  if (isObject(item) || typeof item === 'string') return getItemCell(item, target)
  if (target === 'id' && apiData.processId !== undefined) return apiData.processId
  if (target === apiData.primaryKeyShortId && target !== undefined) return apiData.primaryKeyValue
  if (target === 'isDeleted' && apiType === 'PROCESS_DELETE') return true
  if (target === 'isDeleted' && apiType === 'PROCESS_RESTORE') return false
  for (const name of BODIES) {
    const found = getBodyCell(apiData[name], target)
    if (found !== undefined) return found
  }
  return undefined
}

function getBodyCell(body: unknown, target: string): unknown {
  const inData = getOwn(getOwn(body, 'data'), target)
  if (inData !== undefined) return inData
  if (target === 'data' || target === 'record') return undefined
  if (!target.startsWith(RECORD_PREFIX)) return getOwn(body, target)
  const [name, record] = [target.slice(RECORD_PREFIX.length), getOwn(body, 'record')]
  return name === 'id' ? getOwn(record, 'id') : getOwn(getOwn(record, 'data'), name)
}

/** Reads an item that was kept whole, with what it has beside its update. */
const getItemCell = (item: unknown, target: string): unknown =>
  getOwn(item, target) ?? getBodyCell(getOwn(item, 'update'), target) ?? getBodyCell(item, target)

/** Columns of attributes whose cells are read as JSON. */
export function markJson(
  { attributes }: Pick<Procedure, 'attributes'>,
  columns: readonly SenderColumn[],
): SenderColumn[] {
  const json = new Set(attributes.filter(({ type }) => ATTRIBUTE_TYPES[type] === 'document').map(each => each.shortId))
  return columns.map(column => (json.has(column.target) ? { ...column, isJson: true } : column))
}
