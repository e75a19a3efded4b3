/** How many objects and lists of a filter may stand inside one another: more than a filter within its limits needs. */
export const FILTER_LEVELS_MAX = 32

/**
 * Whether a filter is nested too deep. This is checked before anything recursive, such as `JSON.stringify`, sees the
 * filter: some thousand levels overflow the stack.
 */
export function isTooDeep(value: unknown): boolean {
  const open: { value: unknown; level: number }[] = [{ value, level: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.level > FILTER_LEVELS_MAX) return true
    for (const each of Object.values(next.value)) open.push({ value: each, level: next.level + 1 })
  }
  return false
}
