/** Compares as SQLite does: numbers before text, and text by code point, which is not the order of UTF-16 units. */
export function isAbove(one: string | number, other: string | number): boolean {
  if (typeof one === 'number' || typeof other === 'number')
    return typeof one === typeof other ? one > other : typeof one === 'string'
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    if (one[at] !== other[at]) return (one.codePointAt(at) ?? 0) > (other.codePointAt(at) ?? 0)
  }
  return one.length > other.length
}
