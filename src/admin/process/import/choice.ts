import type { Procedure } from 'caseworker'
import type { CellForm } from 'import-file/cells'
import { type ImportMode, proposeTargets, type Targets } from 'import-file/columns'
import { chooseForms } from 'import-file/forms'
import { targetsFault } from './columns.ts'
import type { CsvFile } from './csv-file.ts'
import type { Plan } from './reading.ts'

/** What the reader imports and how: each change of it is another choice, which nothing is known of yet. */
export interface Choice {
  csv: CsvFile
  targets: Targets
  /** How the reader says that a column is written; without it, that is found in its cells. */
  forms: readonly (CellForm | undefined)[]
  /** How all numbers are written, where that is known: those of a workbook are numbers, however they are shown. */
  decimal?: CellForm | undefined
  /** The columns that somebody has chosen to ignore. */
  leftOut: readonly number[]
  /** True if its rows were corrected on the page: it is checked at once. */
  isCorrected?: boolean
}

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

/** Another file may be written otherwise, also if its columns are called alike. */
export function chooseFile(procedure: Procedure, mode: ImportMode, csv: CsvFile, before?: Choice): Choice {
  const targets = keepTargets(before, proposeTargets(procedure, mode, csv.header, csv.sample), csv.header)
  const decimal = csv.workbook && 'asIs'
  return { csv, targets, forms: [], decimal, leftOut: keepLeftOut(before, targets, csv.header) }
}

/** A file of the rows that failed comes back, written as it was. */
export function bringBack(procedure: Procedure, mode: ImportMode, csv: CsvFile, before: Choice): Choice {
  const choice = chooseFile(procedure, mode, csv, before)
  const forms = csv.header.map((column, at) => {
    const earlier = before.csv.header.indexOf(column)
    return before.targets[earlier] === choice.targets[at] ? before.forms[earlier] : undefined
  })
  return { ...choice, forms }
}

/** The rows that were corrected on the page have the columns of their file, and are written as all of its rows. */
export const correctFile = (before: Choice, csv: CsvFile): Choice => ({
  ...before,
  csv: { ...csv, sample: before.csv.sample },
  isCorrected: true,
})

export function chooseMode(procedure: Procedure, mode: ImportMode, before: Choice): Choice {
  const targets = proposeTargets(procedure, mode, before.csv.header, before.csv.sample)
  return placeColumns(before, targets, keepLeftOut(before, targets, before.csv.header))
}

/** A column that goes where it went is written as was said. */
export const placeColumns = (before: Choice, targets: Targets, leftOut: readonly number[]): Choice => ({
  ...before,
  targets,
  leftOut,
  forms: targets.map((target, at) => (target === before.targets[at] ? before.forms[at] : undefined)),
  isCorrected: false,
})

export const stateForm = (before: Choice, at: number, form: CellForm): Choice => ({
  ...before,
  forms: before.targets.map((_, place) => (place === at ? form : before.forms[place])),
  isCorrected: false,
})

interface ChoicePlan {
  plan: Plan
  /** The columns whose cells can be read in two ways: the reader has to say which. */
  unclear: number[]
  /** The reason why nothing can be read yet. */
  fault: string | undefined
}

const SAY = /: say (dates dmy or mdy|decimal comma or point)/

/** Plans how a file is read, by the code of the API and of the command line: what can be read in two ways is asked for. */
export function planChoice(procedure: Procedure, mode: ImportMode, choice: Choice): ChoicePlan {
  const { csv, targets, leftOut, decimal, forms } = choice
  const { header, separator, sample } = csv
  const sampled = { header, targets, rows: sample, separator }
  const { unclear, ...written } = chooseForms(procedure, sampled, { decimal, columns: forms })
  const [question] = unclear.map(({ message }) => `In the file, ${message.replace(SAY, ': choose how it is written')}.`)
  return {
    plan: { procedure, mode, csv, header, separator, targets, leftOut, ...written },
    unclear: unclear.map(({ at }) => at),
    fault: targetsFault(procedure, mode, targets, { header, leftOut }) ?? question,
  }
}
