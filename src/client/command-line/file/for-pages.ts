/** Rows of a CSV file as items of a bulk request: what the command line makes and says of a file, the admin area does, too. */

export { csvLine } from '../output/csv-line.ts'
export { type CellForm, type CellFormOption, formOptions, proposedForm, readCell } from './cell-forms.ts'
export { headerFault, type ImportMode, isNote, itemOf, readOnlyColumns } from './columns.ts'
export { rowsOf } from './csv-rows.ts'
export { decodeText, detectEncoding, encodingWords, type FileEncoding } from './encoding.ts'
export { missingKeys } from './missing-keys.ts'
export { updateOfItem } from './row-fault.ts'
export { type RowPlan, rowReader } from './row-reader.ts'
export { isEmptyRow, separatorIn } from './separator.ts'
export { DELETION_NAME, FIELD_NAMES, ID_NAME, proposedTargets, RECORD_NAMES, type Targets } from './targets.ts'
