import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../db/statement.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Change } from '../rules.ts'
import { listValues } from './list-values.ts'

/** How one row changes: the one of this number, or, where none is given, the one that the statements name. */
export interface RowChange {
  rid?: number
  change: Pick<Change, 'set' | 'unset'>
}

/**
 * Rows of another table that follow from those of `process`, and are written in the same transaction. Each `which` is a
 * condition over `process`.
 */
export interface Derivation {
  /** The attributes that the rows are made of. None: nothing is written for processes of this procedure. */
  sources: (procedure: Procedure) => readonly string[]
  /** Adds what follows from processes as they are by now. What is there already may stay. */
  add: (procedure: Procedure, sources: readonly string[], which: SQL) => Statement
  /** Removes what follows from processes that are about to change, and will not after that. */
  removeChanged: (
    procedure: Procedure,
    sources: readonly string[],
    which: SQL,
    changes: readonly RowChange[],
  ) => Statement
  /** Removes what follows from processes that are about to be removed. */
  remove: (procedure: Procedure, sources: readonly string[], which: SQL) => Statement
}

/** All that follows from a row of `process`. The functions below are called wherever one is written. */
const DERIVATIONS: readonly Derivation[] = [listValues]

/** Statements around one that writes rows of `process`. */
export interface DerivedRows {
  before: Statement[]
  after: Statement[]
}

const sourcesIn = ({ sources }: Derivation, procedure: Procedure, has: (name: string) => boolean): string[] => {
  const all = sources(procedure)
  return all.length === 0 ? [] : all.filter(has)
}

/** How many statements an update takes besides its own, at most. */
export const derivedStatementsOf = (procedure: Procedure): number =>
  2 * DERIVATIONS.filter(({ sources }) => sources(procedure).length > 0).length

/** What follows from new processes, which `which` holds for once they are inserted. */
export function derivedOfNew(
  procedure: Procedure,
  items: readonly Pick<Change, 'set'>[],
  which: () => SQL,
): DerivedRows {
  const after = DERIVATIONS.flatMap(each => {
    const sources = sourcesIn(each, procedure, name => items.some(({ set }) => Object.hasOwn(set, name)))
    return sources.length === 0 ? [] : [each.add(procedure, sources, which())]
  })
  return { before: [], after }
}

/** The same for changed ones: `before` holds for exactly those that will be changed, `after` for them after that. */
export function derivedOfChanged(
  procedure: Procedure,
  changes: readonly RowChange[],
  { before, after }: { before: () => SQL; after: () => SQL },
): DerivedRows {
  const derived: DerivedRows = { before: [], after: [] }
  for (const each of DERIVATIONS) {
    const isChanged = (name: string): boolean =>
      changes.some(({ change: { set, unset } }) => Object.hasOwn(set, name) || unset.includes(name))
    const sources = sourcesIn(each, procedure, isChanged)
    if (sources.length === 0) continue
    derived.before.push(each.removeChanged(procedure, sources, before(), changes))
    derived.after.push(each.add(procedure, sources, after()))
  }
  return derived
}

/** The same for processes that are removed, to the trash or for good. */
export function derivedOfRemoved(procedure: Procedure, which: SQL): Statement[] {
  return DERIVATIONS.flatMap(each => {
    const sources = each.sources(procedure)
    return sources.length === 0 ? [] : [each.remove(procedure, sources, which)]
  })
}
