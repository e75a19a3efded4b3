import { type Entry, type Failure, isErased, isErasedOutcome, type Outcome } from '../entry.ts'
import type { EntryKind } from '../kind.ts'
import { getPlannedFailure } from '../planned-changes.ts'

/** An entry as it is stored, and its outcome. */
export type StoredEntry = [apiType: string, apiData: Record<string, unknown>, invalid?: Failure]
export type StoredOutcome = [offset: number, status: Outcome['status'], result: Outcome['result']]

/** A chunk with the outcomes of its entries, which stand in lists of some. */
export interface StoredEntries {
  entries: StoredEntry[]
  outcomes: StoredOutcome[][]
}

/** The personal attributes of a procedure. */
export interface PersonalAttributes {
  names: readonly string[]
  /** Its primary key is one of them. */
  isKeyPersonal: boolean
}

/** What is taken from an entry that names the person: all. From one about a process of theirs, the values of these attributes. */
export type ErasedValues = 'all' | PersonalAttributes

/** What a kind of entry tells an eraser. */
type ErasedKind = Pick<EntryKind, 'withoutPersonal' | 'findKey' | 'keptMembers'>

/** By what an entry names a process. */
export interface ProcessNames {
  ids: readonly string[]
  key: string | undefined
  /** Finds the key among attributes, by the short id of the procedure's primary key. */
  findKey: ((keyName: string) => string | undefined) | undefined
}

const getText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The process that an entry and its outcome name. */
export function getProcessNames(
  [, apiData, invalid]: StoredEntry,
  result: Outcome['result'] | undefined,
  kind: ErasedKind | undefined,
): ProcessNames {
  const ids = [apiData.processId, result?.id, invalid?.id].flatMap(id => getText(id) ?? [])
  const key = getText(apiData.primaryKeyValue) ?? getText(apiData.processId) ?? getText(result?.primaryKey)
  const findKey = kind?.findKey && ((keyName: string) => kind.findKey?.(apiData, keyName))
  return { ids, key, findKey }
}

/** The outcomes of a chunk, by the places of their entries. */
export const listResults = ({ outcomes }: StoredEntries): Map<number, Outcome['result']> =>
  new Map(outcomes.flat().map(([offset, , result]) => [offset, result]))

interface EntryChange {
  entry: StoredEntry
  isEmptied: boolean
  isKeyPersonal: boolean
  /** The personal attributes of its process. */
  personal: readonly string[]
}

/** The chunk after that; null where nothing changes. */
export function takeFromEntries(
  { entries, outcomes }: StoredEntries,
  take: (offset: number) => ErasedValues | undefined,
  findKind: (apiType: string) => ErasedKind | undefined,
): StoredEntries | null {
  const changed = new Map<number, EntryChange>()
  const results = listResults({ entries, outcomes })
  for (const [offset, entry] of entries.entries()) {
    const taken = take(offset)
    if (taken === undefined || (isErased(entry[1]) && entry[2] === undefined)) continue
    const kind = findKind(entry[0])
    const left = taken === 'all' ? null : withoutValues(entry, taken, kind)
    const isKeyPersonal = taken !== 'all' && taken.isKeyPersonal
    const personal = taken === 'all' ? [] : taken.names
    if (left === null) changed.set(offset, { entry: emptyEntry(entry, kind), isEmptied: true, isKeyPersonal, personal })
    else if (left !== entry || isKeyPersonal || 'changes' in (results.get(offset) ?? {}))
      changed.set(offset, { entry: left, isEmptied: false, isKeyPersonal, personal })
  }
  if (changed.size === 0) return null
  return {
    entries: entries.map((entry, offset) => changed.get(offset)?.entry ?? entry),
    outcomes: outcomes.map(some => some.map(outcome => changedOutcome(outcome, changed.get(outcome[0])))),
  }
}

/** The entry itself where it has none of the values; null where it has to be emptied. */
function withoutValues(
  entry: StoredEntry,
  { names, isKeyPersonal }: PersonalAttributes,
  kind: ErasedKind | undefined,
): StoredEntry | null {
  const [apiType, apiData, invalid] = entry
  // How it failed in a dry run may say it.
  if (getPlannedFailure(apiData)) return null
  if (invalid !== undefined || !kind?.withoutPersonal) return null
  // Without its key such an entry names no process.
  if (isKeyPersonal && (kind.findKey || apiData.primaryKeyValue !== undefined)) return null
  const left = kind.withoutPersonal(apiData, names)
  if (left === null) return null
  return left === apiData ? entry : [apiType, left]
}

const emptyEntry = ([apiType, apiData, invalid]: StoredEntry, kind: ErasedKind | undefined): StoredEntry =>
  invalid === undefined ? [apiType, emptyData(apiData, kind?.keptMembers)] : [apiType, {}, emptyFailure(invalid)]

/** What tells nothing of anybody: where an entry stood, and which one it repeats. */
const KEPT_MEMBERS = ['line', 'retryOf']

function emptyData(apiData: Entry['apiData'], keptMembers: readonly string[] = []): Entry['apiData'] {
  const kept = [...KEPT_MEMBERS, ...keptMembers].filter(name => Object.hasOwn(apiData, name))
  return { isErased: true, ...Object.fromEntries(kept.map(name => [name, apiData[name]])) }
}

/** How it ended stays. What it says of a process of the person, too, but for what it was refused for. */
function changedOutcome(outcome: StoredOutcome, change: EntryChange | undefined): StoredOutcome {
  const [offset, status, result] = outcome
  if (!change || isErasedOutcome(result)) return outcome
  if ('code' in result) return [offset, status, emptyFailure(result as Failure)]
  if (change.isEmptied) return [offset, status, {}]
  const left = withoutPersonalChanges(result, change.personal)
  if (!change.isKeyPersonal) return [offset, status, left]
  const { primaryKey, ...rest } = left
  return [offset, status, rest]
}

/** What a dry run said that it would change, but for the personal attributes and the customer. */
function withoutPersonalChanges(result: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  if (!Array.isArray(result.changes)) return result
  const personal = new Set<unknown>(['record', ...names.map(name => `data.${name}`)])
  const changes = (result.changes as { field: string }[]).filter(({ field }) => !personal.has(field))
  const more = Number(result.more ?? 0) + result.changes.length - changes.length
  return { ...result, changes, ...(more > 0 ? { more } : {}) }
}

const emptyFailure = ({ code }: Pick<Failure, 'code'>): Failure => ({
  code,
  message: '',
  errors: [{ code, message: '' }],
})
