import { STATUSES } from '../procedure/model.ts'
import { checkValue } from '../procedure/values.ts'
import { addRefused } from '../refusal-text.ts'
import { suggest } from '../suggest.ts'
import { parseTime } from './cells.ts'
import { formatStateFault, type ImportMode, type TableProcedure } from './columns.ts'
import { getItemKey } from './items.ts'
import { createRowReader, type TablePlan } from './rows.ts'

type Item = Record<string, unknown>

const isObject = (value: unknown): value is Item => typeof value === 'object' && value !== null

/**
 * Says what the definition of the procedure does not allow in an item. Values are checked by the API's own rule. The API
 * checks more: what exists, and transitions of states.
 */
export function findItemFault(procedure: TableProcedure, item: Item, mode: ImportMode): string | undefined {
  const { primaryKey, attributes, states } = procedure
  const fields = mode === 'update' && isObject(item.update) ? item.update : item
  const data: Item = { ...(isObject(fields.data) ? fields.data : {}) }
  // In a line of JSON, attributes may stand beside the fields.
  for (const { shortId } of attributes) if (Object.hasOwn(item, shortId)) data[shortId] ??= item[shortId]
  if (mode === 'update' && item.id === undefined && (primaryKey === null || data[primaryKey] === undefined))
    return `${primaryKey ?? 'id'} is missing`
  if (mode === 'upsert' && primaryKey !== null && data[primaryKey] === undefined) return `${primaryKey} is missing`
  // Whether a process is to be created, with all that is required, only the API can tell of an upsert.
  const missing = attributes.find(each => mode === 'create' && each.required && (data[each.shortId] ?? null) === null)
  if (missing !== undefined) return `${missing.shortId} is missing`
  const { state, status, nextActionAt } = fields
  if (typeof nextActionAt === 'string' && typeof parseTime(nextActionAt) !== 'number')
    return addRefused('nextActionAt must be a time in ISO 8601 with its offset, or epoch milliseconds', nextActionAt)
  if (typeof state === 'string' && !states.some(each => each.shortId === state))
    return formatStateFault(procedure, state)
  if (mode === 'create' && states.some(each => each.shortId === state && each.startsHere === false))
    return `a process cannot be created in the state ${state}`
  if (typeof status === 'string' && !STATUSES.some(each => each === status))
    return addRefused(`"status" must be one of ${STATUSES.join(', ')}`, status)
  const faults = Object.entries(data).flatMap(([name, value]) => findValueFault(procedure, name, value) ?? [])
  return faults.length === 0 ? undefined : faults.join('; ')
}

const addHint = (message: string, hint: string | undefined): string =>
  hint === undefined ? message : `${message} (${hint})`

const formatSuggestion = (name: string, known: readonly string[]): string | undefined => {
  const meant = suggest(name, known)
  return meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`
}

/** The sentence that the API would have for it. `checkData` of `process/rules.ts` says the same of names. */
function findValueFault({ attributes, strict }: TableProcedure, name: string, value: unknown): string | undefined {
  const attribute = attributes.find(({ shortId }) => shortId === name)
  const quoted = JSON.stringify(name)
  if (attribute === undefined) {
    if (!strict) return undefined
    const names = attributes.map(({ shortId }) => shortId)
    return addHint(`${quoted} is not an attribute of this procedure`, formatSuggestion(name, names))
  }
  if (value === null) return attribute.required ? `${quoted} is required and cannot be removed` : undefined
  const checked = checkValue(attribute, value)
  if (!('fault' in checked)) return undefined
  const { message, hint, refused } = checked.fault
  const sentence = `${quoted} ${message}`
  return addHint(
    refused === undefined ? sentence : addRefused(sentence, refused),
    typeof hint === 'function' ? hint() : hint,
  )
}

interface Subject {
  procedure: TableProcedure
  mode: ImportMode
}

export interface RepeatedKeys {
  /** Says that an earlier row has the key of this one. A row with another fault is not to be checked. */
  findFault: (row: { line: number; item: Item }) => string | undefined
  warnings: () => string[]
}

/** A second new process with a key is refused; a second change of one is made, which is allowed but seldom meant. */
export function trackRepeatedKeys({ procedure, mode }: Subject): RepeatedKeys {
  const lines = new Map<string, number>()
  let [count, first] = [0, '']
  return {
    findFault({ item, line }) {
      const key = getItemKey(procedure, item)
      if (key === undefined) return undefined
      const earlier = lines.get(key)
      if (earlier === undefined) {
        lines.set(key, line)
        return undefined
      }
      const sentence = `the same ${procedure.primaryKey} as line ${earlier}`
      if (mode === 'create') return sentence
      if (count === 0) first = `line ${line} has ${sentence}`
      count += 1
      return undefined
    },
    warnings: () => (count === 0 ? [] : [`${first}${count === 1 ? '' : `, and ${count - 1} more rows repeat a key`}`]),
  }
}

interface MissingKeys {
  /** Looks at a row that is to be created. */
  add: (item: Item) => void
  warnings: () => string[]
}

/** New processes need no primary key where it is not required: without one, a process has no name, which is seldom meant. */
export function trackMissingKeys({ procedure, mode }: Subject): MissingKeys {
  const { primaryKey, attributes } = procedure
  const key = attributes.find(({ shortId }) => shortId === primaryKey)
  let count = 0
  return {
    add(item) {
      if (mode === 'create' && key !== undefined && (getItemKey(procedure, item) ?? '') === '') count += 1
    },
    warnings: () =>
      count === 0 || key === undefined
        ? []
        : [
            `${count.toLocaleString('en-US')} ${count === 1 ? 'row has' : 'rows have'} no ${key.name}: what names a process is missing`,
          ],
  }
}

/**
 * Returns a function that reads a row as an item, and says what is wrong with it: what it can't be read for, and what the
 * definition of the procedure says against it. `repeated` has the warnings about keys.
 */
export function createRowChecker(plan: TablePlan, repeated = trackRepeatedKeys(plan)) {
  const { procedure, mode } = plan
  const read = createRowReader(plan)
  return ({ line, cells }: { line: number; cells: readonly string[] }) => {
    const { item, fault } = read(cells)
    return { item, fault: fault ?? findItemFault(procedure, item, mode) ?? repeated.findFault({ line, item }) }
  }
}
