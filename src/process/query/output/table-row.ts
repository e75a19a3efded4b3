import { csvCell, csvRecord } from '../../../http/response/csv.ts'
import type { Procedure } from '../../../procedure/model.ts'
import type { Process } from '../../schema.ts'
import { chosenValue, type Identities } from './chosen.ts'
import type { ChosenField } from './fields.ts'

/** A text that Excel takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/
const LAST_MS = Date.UTC(9999, 11, 31)

/** The rows of a table, one for each process. */
export interface Table {
  head: string
  row: (process: Process, identities: Identities) => string
}

/** `forExcel`: it reads UTF-8 only behind a byte order mark, and runs what looks like a formula. */
export function tableOf(procedure: Procedure, fields: readonly ChosenField[], forExcel: boolean): Table {
  const columns = fields.map(field => ({ field, isTime: holdsTime(procedure, field) }))
  const isNever = (field: ChosenField, value: unknown) =>
    field.name === 'completedAt' && field.of === 'process' && value === 0
  const text = (value: string) => (forExcel && FORMULA.test(value) ? `'${value}` : value)
  const cell = (value: unknown, isTime: boolean): string => {
    if (value === null || value === undefined) return ''
    if (typeof value === 'string') return value === '' ? '""' : csvCell(text(value))
    if (typeof value === 'object') return csvCell(JSON.stringify(value))
    return isTime && typeof value === 'number' ? timeText(value) : String(value)
  }
  return {
    head: (forExcel ? '\ufeff' : '') + csvRecord(fields.map(({ name }) => csvCell(text(name)))),
    row: (process, identities) =>
      csvRecord(
        columns.map(({ field, isTime }) => {
          const value = chosenValue(process, field, identities)
          return isNever(field, value) ? '' : cell(value, isTime)
        }),
      ),
  }
}

/** Fields such as `createdAt`, and attributes that are declared as points in time. */
function holdsTime({ attributes }: Procedure, field: ChosenField): boolean {
  if (field.of === 'data')
    return attributes.some(({ shortId, type }) => shortId === field.attribute && type === 'datetime')
  return field.of !== 'record data' && field.member.endsWith('At')
}

/** As ISO 8601, as far as its years have four digits. */
const timeText = (ms: number): string =>
  Number.isInteger(ms) && ms >= 0 && ms <= LAST_MS ? new Date(ms).toISOString() : String(ms)
