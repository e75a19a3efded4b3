import type { Procedure } from '../../client.ts'
import { type CellForm, findAmbiguity, getFormOptions, proposeForm } from '../../import-file/cells.ts'
import {
  findHeaderFault,
  getReadOnlyColumns,
  type ImportMode,
  isNoteColumn,
  proposeTargets,
  type Targets,
} from '../../import-file/columns.ts'
import { FILE_ENCODINGS, formatEncoding } from '../../import-file/encoding.ts'
import type { Given, Options } from '../command/command.ts'
import { choiceOption, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { printError } from '../output/terminal.ts'
import { cellsIn, type Reading } from './file-rows.ts'
import { type ChosenForm, FILE_FORMATS, type RowFile } from './row-file.ts'

const DATES = { iso: 'asIs', dmy: 'dayMonthYear', mdy: 'monthDayYear' } as const satisfies Record<string, CellForm>
const DECIMALS = { point: 'asIs', comma: 'decimalComma' } as const satisfies Record<string, CellForm>
const getNames = <Name extends string>(names: Readonly<Record<Name, unknown>>) => Object.keys(names) as Name[]

/** What was found out of a file can be overruled. */
export const FORM_OPTIONS = {
  delimiter: { value: 'char', summary: 'what is between the cells of a CSV file: one character, or tab' },
  encoding: { value: 'name', summary: 'how the file is written', choices: FILE_ENCODINGS },
  dates: {
    value: 'order',
    summary: 'how days are written: 2026-12-31, 31.12.2026 or 12/31/2026',
    choices: getNames(DATES),
  },
  decimal: { value: 'mark', summary: 'what begins the decimals of a number', choices: getNames(DECIMALS) },
} as const satisfies Options

export function chosenForm(given: Given): ChosenForm {
  const delimiter = textOption(given, 'delimiter')
  if (delimiter !== undefined && delimiter !== 'tab' && !/^[^"\r\n]$/.test(delimiter))
    throw new UsageError(`--delimiter takes one character, or tab, not ${delimiter}`)
  return {
    format: choiceOption(given, 'format', FILE_FORMATS),
    encoding: choiceOption(given, 'encoding', FILE_ENCODINGS),
    separator: delimiter === 'tab' ? '\t' : delimiter,
  }
}

interface ChosenCells {
  dates: CellForm | undefined
  decimal: CellForm | undefined
}

export function chosenCells(given: Given): ChosenCells {
  const [dates, decimal] = [
    choiceOption(given, 'dates', getNames(DATES)),
    choiceOption(given, 'decimal', getNames(DECIMALS)),
  ]
  return { dates: dates && DATES[dates], decimal: decimal && DECIMALS[decimal] }
}

/** The form of a column is told by so many rows. */
const SAMPLE_ROWS = 1_000

/** Where the columns of a file go and how its cells are written; what is not as the API writes it is printed. */
export async function readPlan(
  file: RowFile,
  procedure: Procedure,
  mode: ImportMode,
  chosen: ChosenCells,
): Promise<Reading> {
  if (file.format !== 'csv') return { procedure, mode, header: [], targets: [], forms: [] }
  const [first, ...rows] = await sampleOf(file)
  const header = first?.cells ?? []
  const proposed = proposeTargets(procedure, mode, header, rows)
  const readOnly = getReadOnlyColumns(procedure, header, mode)
  // What is called as nothing that is declared is an attribute of that name, as in a request.
  const targets = header.map(
    (column, at) => proposed[at] || (isNoteColumn(procedure, column) || readOnly.includes(column) ? '' : column),
  )
  const fault = findHeaderFault(
    procedure,
    targets.filter(target => target !== ''),
    mode,
  )
  if (fault !== undefined) throw new UsageError(`the header: ${fault}`)
  const forms = targets.map((target, at) => {
    const cells = rows.map(row => row.cells[at] ?? '')
    return formOfColumn(procedure, { target, column: header[at] ?? '', cells }, chosen)
  })
  if (readOnly.length > 0) printError(`these columns cannot be changed and are not sent: ${readOnly.join(', ')}\n`)
  for (const sentence of describe(file, procedure, { header, targets, forms })) printError(`${sentence}\n`)
  return { procedure, mode, header, targets, forms }
}

async function sampleOf(file: RowFile) {
  const rows = []
  for await (const row of cellsIn(file)) {
    rows.push(row)
    if (rows.length > SAMPLE_ROWS) break
  }
  return rows
}

interface Column {
  target: string
  column: string
  cells: readonly string[]
}

/** Nobody looks at a guess before it is sent: where it would be one, the caller has to say. */
function formOfColumn(
  procedure: Procedure,
  { target, column, cells }: Column,
  { dates, decimal }: ChosenCells,
): CellForm {
  const offered = getFormOptions(procedure, target).map(({ value }) => value)
  const given = [dates, decimal].find(form => form !== undefined && offered.includes(form))
  if (given !== undefined) return given
  const option = findAmbiguity(procedure, target, cells)
  if (option === undefined) return proposeForm(procedure, target, cells)
  const example = cells.find(cell => cell.trim() !== '')
  throw new UsageError(
    option === 'dates'
      ? `the column ${JSON.stringify(column)} has days such as ${example}, of which day or month may come first: say --dates dmy or --dates mdy`
      : `the column ${JSON.stringify(column)} has numbers such as ${example}, whose comma may stand before decimals or thousands: say --decimal comma or --decimal point`,
  )
}

/** What was recognised, as lines; none where a file is as the API writes it. */
function describe(
  { name, encoding, separator }: RowFile,
  procedure: Procedure,
  { header, targets, forms }: { header: readonly string[]; targets: Targets; forms: readonly CellForm[] },
): string[] {
  const columns = header.flatMap((column, at) => {
    const target = targets[at] ?? ''
    const form = forms[at] ?? 'asIs'
    const label =
      form === 'asIs' ? undefined : getFormOptions(procedure, target).find(({ value }) => value === form)?.label
    if (target === '') return column === '' ? ['  a column without a name is left out'] : []
    if (target === column && label === undefined) return []
    return [`  ${JSON.stringify(column)} is ${target}${label === undefined ? '' : `, ${label}`}`]
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
        `${name} is read as ${formatEncoding(encoding)} with ${between} between its cells`,
        ...columns,
        ...(times ? [`  times without a zone are those of ${zone}`] : []),
      ]
}
