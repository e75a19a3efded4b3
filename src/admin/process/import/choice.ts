import type { Procedure } from 'caseworker'
import { type CellForm, isNumberColumn, proposeForm } from 'import-file/cells'
import { type ImportMode, proposeTargets, type Targets } from 'import-file/columns'
import type { CsvFile } from './csv-file.ts'

/** What the reader imports and how: each change of it is another choice, which nothing is known of yet. */
export interface Choice {
  csv: CsvFile
  targets: Targets
  forms: readonly CellForm[]
  /** The columns that somebody has chosen to ignore. */
  leftOut: readonly number[]
  /** True if its rows were corrected on the page: it is checked at once. */
  isCorrected?: boolean
}

/** Proposes the form of each column's cells, by its target and its first cells. */
const proposeForms = (procedure: Procedure, { header, first, workbook }: CsvFile, targets: Targets): CellForm[] =>
  header.map((_, at) =>
    workbook && isNumberColumn(procedure, targets[at] ?? '')
      ? 'asIs'
      : proposeForm(
          procedure,
          targets[at] ?? '',
          first.map(({ cells }) => cells[at] ?? ''),
        ),
  )

/** The columns of a file that follows another go where they went. */
function keepTargets(before: Choice | undefined, proposed: Targets, header: readonly string[]): Targets {
  const earlier = new Map(before?.csv.header.map((column, at) => [column, before.targets[at] ?? '']))
  const isSame = header.every((column, at) => earlier.has(column) || proposed[at] === '')
  return isSame ? header.map((column, at) => earlier.get(column) ?? proposed[at] ?? '') : proposed
}

/** Returns the columns that stay ignored, because they were in the file before with the same headings. */
const keepLeftOut = (before: Choice | undefined, targets: Targets, header: readonly string[]): number[] =>
  [...header.keys()].filter(
    at => targets[at] === '' && before?.leftOut.some(each => before.csv.header[each] === header[at]),
  )

export function chooseFile(procedure: Procedure, mode: ImportMode, csv: CsvFile, before?: Choice): Choice {
  const targets = keepTargets(before, proposeTargets(procedure, mode, csv.header, csv.first), csv.header)
  return {
    csv,
    targets,
    forms: proposeForms(procedure, csv, targets),
    leftOut: keepLeftOut(before, targets, csv.header),
  }
}

/** The rows that were corrected on the page have the columns of their file. */
export const correctFile = (before: Choice, csv: CsvFile): Choice => ({ ...before, csv, isCorrected: true })

export function chooseMode(procedure: Procedure, mode: ImportMode, before: Choice): Choice {
  const targets = proposeTargets(procedure, mode, before.csv.header, before.csv.first)
  return placeColumns(procedure, before, targets, keepLeftOut(before, targets, before.csv.header))
}

/** A column that goes where it went is written as was chosen. */
export function placeColumns(
  procedure: Procedure,
  before: Choice,
  targets: Targets,
  leftOut: readonly number[],
): Choice {
  const forms = proposeForms(procedure, before.csv, targets).map((form, at) =>
    targets[at] === before.targets[at] ? (before.forms[at] ?? form) : form,
  )
  return { csv: before.csv, targets, forms, leftOut }
}

export const stateForm = (before: Choice, at: number, form: CellForm): Choice => ({
  ...before,
  forms: before.forms.map((each, place) => (place === at ? form : each)),
  isCorrected: false,
})
