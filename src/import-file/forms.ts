import {
  type Ambiguity,
  arePointsUnclear,
  type CellForm,
  type FormOption,
  findAmbiguity,
  formatAmbiguity,
  getFormOptions,
  getNumberMark,
  isNumberColumn,
  isTimeColumn,
  proposeForm,
} from './cells.ts'
import type { Targets } from './columns.ts'

/** The form of the columns of a file is found in so many rows: all of them may be more than a reader can hold. */
const SAMPLE_ROWS = 1_000
const SAMPLE_CHARACTERS_MAX = 1_000_000

/** Takes the rows that tell how a file is written, as many as the API takes. Returns whether there are enough. */
export function collectSample<Row extends { cells: readonly string[] }>(): { rows: Row[]; add: (row: Row) => boolean } {
  const rows: Row[] = []
  let characters = 0
  return {
    rows,
    add(row) {
      rows.push(row)
      // An empty cell takes memory as well.
      for (const cell of row.cells) characters += cell.length + 1
      return rows.length >= SAMPLE_ROWS || characters >= SAMPLE_CHARACTERS_MAX
    },
  }
}

export const DATE_FORMS = {
  iso: 'asIs',
  dmy: 'dayMonthYear',
  mdy: 'monthDayYear',
} as const satisfies Record<string, CellForm>
/** `plain` is 1234.5 alone: nothing stands before thousands. */
export const DECIMAL_FORMS = {
  point: 'decimalPoint',
  comma: 'decimalComma',
  plain: 'asIs',
} as const satisfies Record<string, CellForm>

/** What the sender says of all columns of days, and of all columns of numbers. What is left out is found out. */
export interface FormSettings {
  dates?: CellForm | undefined
  decimal?: CellForm | undefined
  /** What is said of one column alone. */
  columns?: readonly (CellForm | undefined)[] | undefined
}

interface Sample {
  header: readonly string[]
  targets: Targets
  rows: readonly { line?: number; cells: readonly string[] }[]
  separator: string
  /** Times without an offset are refused, whatever their form is: so it is not asked for. */
  timesNeedOffset?: boolean | undefined
}

type CellColumns = Parameters<typeof proposeForm>[0]

export interface FormProposal {
  forms: CellForm[]
  /** In which columns the point of a later `1.234` may stand before thousands. */
  unclearPoints: boolean[]
  /** Which columns have a form that nobody stated: where a cell can be read in two ways, its row is refused. */
  open: boolean[]
  /** What has to be stated, because it can be read in two ways: of each column. */
  unclear: { at: number; option: FormOption; message: string }[]
}

/** How the cells of each column are written. Nobody looks at a guess before it is sent: where it would be one, the sender has to say. */
export function chooseForms(
  procedure: CellColumns,
  { header, targets, rows, separator, timesNeedOffset }: Sample,
  stated: FormSettings,
): FormProposal {
  const unclear = new Map<number, FormProposal['unclear'][number]>()
  const columns = targets.map((target, at) => ({ target, cells: rows.map(({ cells }) => (cells[at] ?? '').trim()) }))
  const describe = (at: number, found: Ambiguity): string => {
    const cells = columns[at]?.cells ?? []
    return formatAmbiguity(header[at] ?? '', found, cell => rows[cells.indexOf(cell)]?.line)
  }
  const findStated = (at: number, option: FormOption) => stated.columns?.[at] ?? stated[option]
  const forms = columns.map(({ target, cells }, at): CellForm => {
    const option = findFormOption(procedure, target)
    if (option === undefined || (timesNeedOffset && isTimeColumn(procedure, target))) return 'asIs'
    const chosen = findStated(at, option)
    if (chosen !== undefined) return chosen
    const found = findAmbiguity(procedure, target, cells, separator)
    if (found) unclear.set(at, { at, option, message: describe(at, found) })
    return proposeForm(procedure, target, cells)
  })
  // A file has one mark before decimals: beside a column with commas, 1.234 may be a thousand in any other.
  if (forms.includes('decimalComma'))
    for (const [at, { target, cells }] of columns.entries()) {
      const marks = cells.map(getNumberMark)
      const isFound = isNumberColumn(procedure, target) && findStated(at, 'decimal') === undefined
      if (forms[at] !== 'asIs' || !isFound || marks.includes('point')) continue
      forms[at] = 'decimalComma'
      const cell = cells[marks.indexOf('point?')]
      if (cell !== undefined && !unclear.has(at))
        unclear.set(at, { at, option: 'decimal', message: describe(at, { option: 'decimal', cell }) })
    }
  const unclearPoints = columns.map(
    ({ target, cells }, at) =>
      findStated(at, 'decimal') === undefined && arePointsUnclear(procedure, target, { cells, separator }),
  )
  const open = columns.map(({ target }, at) => {
    const option = findFormOption(procedure, target)
    return option !== undefined && findStated(at, option) === undefined
  })
  return { forms, unclearPoints, open, unclear: [...unclear.values()] }
}

export const findFormOption = (procedure: CellColumns, target: string): FormOption | undefined =>
  getFormOptions(procedure, target).length === 0 ? undefined : isNumberColumn(procedure, target) ? 'decimal' : 'dates'

/** How a column is read, for people, where it is not as the API writes it. */
export function describeColumn(
  procedure: CellColumns,
  { column, target, form }: { column: string; target: string; form: CellForm },
): string | undefined {
  const label =
    form === 'asIs' ? undefined : getFormOptions(procedure, target).find(({ value }) => value === form)?.label
  if (target === column && label === undefined) return undefined
  return `${JSON.stringify(column)} is ${target}${label === undefined ? '' : `, ${label}`}`
}
