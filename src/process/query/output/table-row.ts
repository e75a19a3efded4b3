import { formatCsvCell, joinCsvCells } from '../../../import-file/csv.ts'
import { ATTRIBUTE_TYPES, type Procedure } from '../../../procedure/model.ts'
import type { Process } from '../../schema.ts'
import { getFieldValue, type Identities } from './chosen.ts'
import type { SelectedField } from './fields.ts'

/** Matches a text that Excel takes for a formula. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/
const LAST_MS = Date.UTC(9999, 11, 31)

/** The rows of a table, one for each process. */
export interface Table {
  head: string
  row: (process: Process, identities: Identities) => string
}

/** Creates a table. With `forExcel`, no text begins like a formula: Excel would run it. */
export function createTable(procedure: Procedure, fields: readonly SelectedField[], forExcel: boolean): Table {
  const columns = fields.map(field => ({ field, kind: getColumnKind(procedure, field) }))
  const text = (value: string) => (forExcel && FORMULA.test(value) ? `'${value}` : value)
  const cell = (value: unknown, kind: ColumnKind): string => {
    if (value === null || value === undefined || (kind === 'completion' && value === 0)) return ''
    if (typeof value === 'object' || kind === 'document') return formatCsvCell(JSON.stringify(value))
    if (typeof value === 'string') return value === '' ? '""' : formatCsvCell(text(value))
    return typeof value === 'number' && kind !== 'plain' ? formatTime(value) : String(value)
  }
  return {
    head: (forExcel ? '\ufeff' : '') + formatLine(fields.map(({ name }) => formatCsvCell(text(name)))),
    row: (process, identities) =>
      formatLine(columns.map(({ field, kind }) => cell(getFieldValue(process, field, identities), kind))),
  }
}

const formatLine = (cells: readonly string[]): string => joinCsvCells(cells, ',', '\r\n')

/** The form of a value in the table. A time of completion is 0 until there is one; a document may be a text that looks like another document. */
type ColumnKind = 'time' | 'completion' | 'document' | 'plain'

function getColumnKind({ attributes }: Procedure, field: SelectedField): ColumnKind {
  if (field.of === 'record data') return 'plain'
  if (field.of !== 'data') {
    if (field.member === 'completedAt') return 'completion'
    return field.member.endsWith('At') ? 'time' : 'plain'
  }
  const type = attributes.find(({ shortId }) => shortId === field.attribute)?.type
  if (type === undefined) return 'plain'
  if (type === 'datetime') return 'time'
  return ATTRIBUTE_TYPES[type] === 'document' ? 'document' : 'plain'
}

/** Formats a time as ISO 8601, as long as its year has four digits. */
const formatTime = (ms: number): string =>
  Number.isInteger(ms) && ms >= 0 && ms <= LAST_MS ? new Date(ms).toISOString() : String(ms)
