type Row = Record<string, unknown>

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of a column: a field, an attribute in `data`, or a path such as `record.phone_number`. */
export function valueAt(row: unknown, column: string): unknown {
  if (!isRow(row)) return undefined
  if (Object.hasOwn(row, column)) return row[column]
  if (isRow(row.data) && Object.hasOwn(row.data, column)) return row.data[column]
  const dot = column.indexOf('.')
  return dot < 0 ? undefined : valueAt(row[column.slice(0, dot)], column.slice(dot + 1))
}
