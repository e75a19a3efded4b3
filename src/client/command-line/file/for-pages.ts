/** Rows of a CSV file as items of a bulk request: what the command line makes and says of a file, the admin area does, too. */

export { csvLine } from '../output/csv-line.ts'
export { headerFault, type ImportMode, isNote, itemOf, readOnlyColumns } from './columns.ts'
export { rowsOf } from './csv-rows.ts'
export { repeatedKeys } from './repeated-keys.ts'
export { rowFault, updateOfItem } from './row-fault.ts'
