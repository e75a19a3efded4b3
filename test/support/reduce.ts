const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Counts the comparisons of a query. */
export const leaves = (query: Record<string, unknown>): number =>
  Object.entries(query).reduce((sum, [key, side]) => {
    if (key !== 'and' && key !== 'or') return sum + (isObject(side) ? Object.keys(side).length : 1)
    return sum + (side as Record<string, unknown>[]).reduce((inner, each) => inner + leaves(each), 0)
  }, 0)

/** Every query that lacks one thing of a query. */
export function* smaller(query: unknown): Generator<unknown> {
  if (typeof query !== 'object' || query === null) return
  const entries = Object.entries(query)
  const rebuilt = (parts: [string, unknown][]) =>
    Array.isArray(query) ? parts.map(([, part]) => part) : Object.fromEntries(parts)
  for (const [index, [key, part]] of entries.entries()) {
    if (entries.length > 1 || !Array.isArray(query)) yield rebuilt(entries.toSpliced(index, 1))
    for (const less of smaller(part)) yield rebuilt(entries.toSpliced(index, 1, [key, less]))
  }
}
