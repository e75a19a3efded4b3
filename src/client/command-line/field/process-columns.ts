import type { Procedure } from '../../client.ts'
import { type IsTime, isTimeField } from '../output/cell-text.ts'

/** The columns of a table, the most telling first: a narrow terminal shows only the first ones. */
export const tableColumnsOf = ({ primaryKey, attributes }: Procedure): string[] => [
  primaryKey ?? 'id',
  'state',
  'status',
  ...attributes.map(({ shortId }) => shortId).filter(name => name !== primaryKey),
  'assignedTo',
  'nextActionAt',
  'updatedAt',
]

/** The columns of a file. `bulk` takes them back: it ignores those that cannot be changed. */
export const fileColumnsOf = ({ primaryKey, attributes }: Procedure): string[] => [
  'id',
  ...(primaryKey === null ? [] : [primaryKey]),
  'state',
  'status',
  'assignedTo',
  'nextActionAt',
  ...attributes.map(({ shortId }) => shortId).filter(name => name !== primaryKey),
  'createdAt',
  'updatedAt',
]

/** Fields such as `createdAt`, and the attributes of the type datetime. */
export function timesOf({ attributes }: Procedure): IsTime {
  const times = new Set(attributes.filter(({ type }) => type === 'datetime').map(({ shortId }) => shortId))
  const declared = new Set(attributes.map(({ shortId }) => shortId))
  return column => times.has(column) || (isTimeField(column) && !declared.has(column))
}

/** What an export has to have for these columns: of a path such as `record.name`, what it begins with. */
export function fieldsOfColumns({ attributes }: Procedure, columns: readonly string[]): string[] {
  const declared = new Set(attributes.map(({ shortId }) => shortId))
  const fields = columns.map(column => (declared.has(column) ? column : (column.split('.')[0] ?? column)))
  return [...new Set(fields)]
}
