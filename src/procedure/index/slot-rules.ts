import { jsonPath } from '../../db/document/json.ts'
import { ATTRIBUTE_TYPES, type Attribute, type Definition, type Slot, type StoredDefinition } from '../model.ts'
import { INDEXED_ATTRIBUTES_MAX } from '../schema.ts'

/** The columns in use, and those that still hold an attribute's values although nothing needs them any more. */
export interface SlotAssignment {
  slots: Record<string, Slot>
  clearing: number[]
}

const isServedBySlot = (definition: Definition, attribute: Attribute): boolean =>
  attribute.indexed && attribute.shortId !== definition.primaryKey

/**
 * Assigns a column to each indexed attribute. One that stays indexed with the same kind of value keeps its column; any other
 * gets a free one, which no query uses until it is filled for every process, unless a process is known whose value no index
 * takes. Returns undefined if none is free.
 */
export function assignSlots(
  next: Definition,
  before: (Definition & SlotAssignment) | undefined,
  { isEmpty, unfitProcesses }: { isEmpty: boolean; unfitProcesses: Record<string, number> },
): SlotAssignment | undefined {
  const kinds = new Map(before?.attributes.map(each => [each.shortId, ATTRIBUTE_TYPES[each.type]]))
  const wanted = next.attributes.filter(attribute => isServedBySlot(next, attribute))
  const kept = wanted.flatMap(({ shortId, type }): [string, Slot][] => {
    const slot = before && Object.hasOwn(before.slots, shortId) ? before.slots[shortId] : undefined
    return slot && kinds.get(shortId) === ATTRIBUTE_TYPES[type]
      ? [[shortId, isEmpty ? { ...slot, ready: true } : slot]]
      : []
  })
  const keptNames = new Set(kept.map(([shortId]) => shortId))
  const released = Object.entries(before?.slots ?? {}).flatMap(([shortId, { column }]) =>
    keptNames.has(shortId) ? [] : [column],
  )
  // Elements of lists may be left under a slot that was being cleared while the last processes were removed.
  const clearing = [...(before?.clearing ?? []), ...(isEmpty ? [] : released)]
  const taken = new Set([...kept.map(([, slot]) => slot.column), ...clearing])
  const free = Array.from({ length: INDEXED_ATTRIBUTES_MAX }, (_, index) => index + 1).filter(
    column => !taken.has(column),
  )
  const fresh = wanted.filter(({ shortId }) => !keptNames.has(shortId) && !Object.hasOwn(unfitProcesses, shortId))
  if (fresh.length > free.length) return undefined
  const assigned = fresh.map(({ shortId, type }, index): [string, Slot] => [
    shortId,
    {
      column: free[index] ?? 0,
      ready: isEmpty,
      ...(ATTRIBUTE_TYPES[type] === 'list' ? { listPath: jsonPath(shortId) } : {}),
    },
  ])
  return { slots: Object.fromEntries([...kept, ...assigned]), clearing }
}

const formatSearchableNames = ({ attributes }: Pick<Definition, 'attributes'>): string =>
  JSON.stringify(attributes.flatMap(({ shortId, searchable }) => (searchable === true ? [shortId] : [])).sort())

/** Decides whether the words of all processes are indexed anew, or removed, because other attributes are searchable than before. */
export function assignWords(
  next: Definition,
  before: Definition & Pick<StoredDefinition, 'wordsReady'>,
  isEmpty: boolean,
): Pick<StoredDefinition, 'wordsReady'> {
  if (formatSearchableNames(next) === '[]' && before.wordsReady === undefined) return {}
  if (isEmpty) return { wordsReady: true }
  if (formatSearchableNames(next) !== formatSearchableNames(before)) return { wordsReady: false }
  return before.wordsReady === undefined ? {} : { wordsReady: before.wordsReady }
}

/**
 * Returns whether a build of the definition before builds the next one, too. It goes on where it is: a definition that is
 * sent again all the time would otherwise never get its indexes.
 */
export const isSameBuild = (next: StoredDefinition, before: StoredDefinition): boolean =>
  formatBuild(next) === formatBuild(before)

const formatBuild = (definition: StoredDefinition): string =>
  JSON.stringify([
    // By their columns, as the order of attributes decides nothing.
    Object.entries(definition.slots)
      .map(([shortId, { column, ready }]) => ({ column, shortId, ready }))
      .sort((a, b) => a.column - b.column),
    definition.clearing,
    definition.wordsReady,
    formatSearchableNames(definition),
  ])
