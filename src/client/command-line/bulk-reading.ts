import { getReadOnlyColumns, type ImportMode, proposeTargets, type Targets } from '../../import-file/columns.ts'
import type { Row } from '../../import-file/csv.ts'
import { formatEncoding } from '../../import-file/encoding.ts'
import {
  chooseForms,
  collectSample,
  DATE_FORMS,
  DECIMAL_FORMS,
  describeColumn,
  type FormProposal,
  type FormSettings,
} from '../../import-file/forms.ts'
import { findHeaderFaults, type HeaderFault } from '../../import-file/header.ts'
import type { Procedure } from '../client.ts'
import type { RowFile } from './bulk-file.ts'
import { type CellForms, type Reading, readCells } from './bulk-rows.ts'
import { UsageError } from './command/command.ts'
import { printError } from './output/terminal.ts'

/**
 * Decides where the columns of a file go and how its cells are written, and prints what differs from the form of the
 * API.
 */
export async function planReading(
  file: RowFile,
  procedure: Procedure,
  mode: ImportMode,
  { dates, decimal }: CellForms,
): Promise<Reading> {
  if (file.format !== 'csv')
    return { procedure, mode, header: [], headerLine: 1, separator: ',', targets: [], forms: [], stated: {} }
  // A number of a workbook is one, however it is shown; what looks like one in a text may be anything.
  const stated: CellForms = { dates, decimal: file.sheet === undefined ? decimal : 'plain' }
  const settings: FormSettings = {
    dates: stated.dates && DATE_FORMS[stated.dates],
    decimal: stated.decimal && DECIMAL_FORMS[stated.decimal],
  }
  const { first, rows } = await readSample(file)
  if (first === undefined) throw new UsageError(`${file.name} is empty`)
  const header = first.cells
  const targets = proposeTargets(procedure, mode, header, rows)
  const readOnly = getReadOnlyColumns(procedure, header, mode)
  const faults = findHeaderFaults(procedure, mode, { header, targets })
  const { separator } = file
  const { unclear, ...written } = chooseForms(procedure, { header, targets, rows, separator }, settings)
  // Nobody checks a guess before it is sent: the sender has to choose.
  const refusals = [...faults.map(formatHeaderFault), ...unclear.map(each => `${each.message} (--${each.option})`)]
  if (refusals.length > 0) throw new UsageError(refusals.join('\n'))
  if (readOnly.length > 0) printError(`these columns cannot be changed and are not sent: ${readOnly.join(', ')}\n`)
  for (const sentence of describeReading(file, procedure, { header, targets, ...written })) printError(`${sentence}\n`)
  const headerLine = first.line
  return { procedure, mode, header, headerLine, separator, targets, ...written, stated }
}

const formatHeaderFault = ({ message, hint }: HeaderFault): string =>
  hint === undefined ? message : `${message} (${hint()})`

async function readSample(file: RowFile): Promise<{ first: Row | undefined; rows: readonly Row[] }> {
  const sample = collectSample<Row>()
  let first: Row | undefined
  for await (const row of readCells(file)) {
    if (first === undefined) first = row
    else if (sample.add(row)) break
  }
  return { first, rows: sample.rows }
}

/** Describes what was detected, as lines; none if a file is in the form of the API. */
function describeReading(
  { name, sheet, encoding, separator }: RowFile,
  procedure: Procedure,
  { header, targets, forms }: { header: readonly string[]; targets: Targets } & Pick<FormProposal, 'forms'>,
): string[] {
  const columns = header.flatMap((column, at) => {
    const target = targets[at] ?? ''
    if (target === '') return []
    const sentence = describeColumn(procedure, { column, target, form: forms[at] ?? 'asIs' })
    return sentence === undefined ? [] : [`  ${sentence}`]
  })
  const times = targets.some((target, at) => {
    const type = procedure.attributes.find(({ shortId }) => shortId === target)?.type
    return forms[at] !== 'asIs' && (target === 'nextActionAt' || type === 'datetime' || type === 'datetimeISO8601')
  })
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const isUsual = encoding === 'utf-8' && separator === ',' && columns.length === 0
  const between = separator === '\t' ? 'tabs' : JSON.stringify(separator)
  return isUsual
    ? []
    : [
        sheet === undefined
          ? `${name} is read as ${formatEncoding(encoding)} with ${between} between its cells`
          : `${name} is read from its sheet ${JSON.stringify(sheet)}`,
        ...columns,
        ...(times ? [`  times without a zone are those of ${zone}`] : []),
      ]
}
