/** The depth of objects and lists in a filter. A filter within its other limits needs less. */
export const FILTER_LEVELS_MAX = 32

/** Tells whether a filter is nested too deep, before it is parsed and its fingerprint computed, which are recursive. */
export function isTooDeep(value: unknown): boolean {
  const open: { value: unknown; level: number }[] = [{ value, level: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.level > FILTER_LEVELS_MAX) return true
    for (const each of Object.values(next.value)) open.push({ value: each, level: next.level + 1 })
  }
  return false
}
