/** A point in time as epoch milliseconds; 0 stands for never. */
const TIME_FIELD = /(At|^timestamp)$/

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** Which columns are points in time: fields such as `createdAt`, and attributes of the type datetime. */
export type IsTime = (column: string) => boolean
export const isTimeField: IsTime = column => TIME_FIELD.test(column)

/**
 * A value as text for tables and CSV, such that `parseCell` reads it back: lists as `a;b`, documents as JSON, times in
 * ISO 8601.
 */
export function cellText(value: unknown, isTime: boolean): string {
  if (value === null || value === undefined) return ''
  if (isTime && typeof value === 'number') return value === 0 ? '' : new Date(value).toISOString()
  if (Array.isArray(value)) return listText(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function listText(values: readonly unknown[]): string {
  const text = values.join(';')
  const isPlain =
    values.length > 0 &&
    values.every(each => isScalar(each) && each !== '' && !/;|^\s|\s$/.test(String(each))) &&
    !text.startsWith('[')
  return isPlain ? text : JSON.stringify(values)
}
