import type { Query } from 'caseworker'
import { queryOf, type RuleGroup, treeOf } from './tree.ts'

/** A filter while it is built, beside the one that the address has. */
export interface BuiltFilter {
  tree: RuleGroup
  /** What the address had when it was looked at last. */
  seen: Query | undefined
  /** What the address was told last: it has it some moments later. */
  told: Query | undefined
}

export const sameQuery = (one: Query | undefined, other: Query | undefined): boolean =>
  JSON.stringify(one ?? {}) === JSON.stringify(other ?? {})

/**
 * The filter with what the address has now. What it was told comes back unchanged and changes nothing: a condition whose
 * value is still missing stays. Anything else was said by somebody else: back, a view, "Clear".
 */
export function withAddress(built: BuiltFilter, where: Query | undefined): BuiltFilter {
  if (sameQuery(where, built.seen)) return built
  const isOurs = sameQuery(where, built.told) || sameQuery(where, queryOf(built.tree))
  return { tree: isOurs ? built.tree : treeOf(where), seen: where, told: where }
}
