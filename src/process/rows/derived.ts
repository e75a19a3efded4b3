import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../db/statement.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Change } from '../rules.ts'
import { listValues } from './list-values.ts'
import { setsLongList, storeLongestList } from './longest-list.ts'
import { words } from './words.ts'

/** The change of one row: the one of this number, or, if there is no number, the one that the statements name. */
export interface RowChange {
  rid?: number
  change: Pick<Change, 'set' | 'unset'>
}

/**
 * Rows of another table that follow from those of `process`, and are written in the same transaction. Each `which` is a
 * condition over `process`.
 */
export interface Derivation {
  /** Lists the attributes that the rows are made of. If there are none, nothing is added for processes of this procedure. */
  sources: (procedure: Procedure) => readonly string[]
  /** Adds the rows that follow from processes as they are now. Rows that are there already may stay. */
  add: (procedure: Procedure, sources: readonly string[], which: SQL) => Statement
  /** Removes the rows that follow from processes before their change, and no longer after it. Left out if `add` replaces them. */
  removeChanged?: (
    procedure: Procedure,
    sources: readonly string[],
    which: SQL,
    changes: readonly RowChange[],
  ) => Statement
  /** Removes the rows that follow from processes before these are removed; undefined if there can be none. */
  remove: (procedure: Procedure, which: SQL) => Statement | undefined
}

/** All derivations. The functions below run them wherever a row of `process` is written. */
const DERIVATIONS: readonly Derivation[] = [listValues, words]

/** Statements around one that writes rows of `process`. */
export interface DerivedRows {
  before: Statement[]
  after: Statement[]
}

/** Counts the statements that an update takes besides its own, at most. */
export const countDerivedStatements = (procedure: Procedure): number =>
  1 + 2 * DERIVATIONS.filter(({ sources }) => sources(procedure).length > 0).length

/** Returns the rows that have one of some attributes, and the attributes that at least one row has. */
function selectAffected<Row>(rows: readonly Row[], all: readonly string[], has: (row: Row, name: string) => boolean) {
  if (all.length === 0) return undefined
  const names = all.filter(name => rows.some(row => has(row, name)))
  return names.length === 0 ? undefined : { names, rows: rows.filter(row => names.some(name => has(row, name))) }
}

/** Derives the rows of new processes. `which` builds a condition that holds for some of them once they are inserted. */
export function deriveNew<Item extends Pick<Change, 'set'>>(
  procedure: Procedure,
  items: readonly Item[],
  which: (items: readonly Item[]) => SQL,
): DerivedRows {
  const after = DERIVATIONS.flatMap(each => {
    const found = selectAffected(items, each.sources(procedure), ({ set }, name) => Object.hasOwn(set, name))
    return found ? [each.add(procedure, found.names, which(found.rows))] : []
  })
  const long = items.filter(setsLongList)
  if (long.length > 0) after.push(storeLongestList(which(long)))
  return { before: [], after }
}

/** Derives the rows of changed processes: `before` holds for exactly those that will be changed, `after` for some of them afterwards. */
export function deriveChanged<Row extends RowChange>(
  procedure: Procedure,
  changes: readonly Row[],
  { before, after }: { before: () => SQL; after: (changes: readonly Row[]) => SQL },
): DerivedRows {
  const derived: DerivedRows = { before: [], after: [] }
  for (const each of DERIVATIONS) {
    const found = selectAffected(changes, each.sources(procedure), isChanged)
    if (!found) continue
    if (each.removeChanged) derived.before.push(each.removeChanged(procedure, found.names, before(), found.rows))
    derived.after.push(each.add(procedure, found.names, after(found.rows)))
  }
  const long = changes.filter(({ change }) => setsLongList(change))
  if (long.length > 0) derived.after.push(storeLongestList(after(long)))
  return derived
}

const isChanged = ({ change: { set, unset } }: RowChange, name: string): boolean =>
  Object.hasOwn(set, name) || unset.includes(name)

/** Removes the derived rows of processes that are removed, to the trash or for good. */
export function deriveRemoved(procedure: Procedure, which: SQL): Statement[] {
  return DERIVATIONS.flatMap(each => each.remove(procedure, which) ?? [])
}
