/** Writes JSON with members in the order of their names, so that two spellings of one value are the same text. */
export const toCanonicalJson = (value: unknown): string => JSON.stringify(value, withMembersInOrder) ?? ''

/** Compares JSON values. The order of members does not count, that of elements does. */
export const isSameJson = (one: unknown, other: unknown): boolean => toCanonicalJson(one) === toCanonicalJson(other)

const withMembersInOrder = (_: string, value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
