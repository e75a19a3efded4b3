import { createFailedRowWriter, RESULT_NOTES } from 'import-file/failed-rows'
import { rowsIn } from './csv-file.ts'
import type { Plan } from './reading.ts'

export interface RowFailure {
  message: string
  hint?: string | undefined
  code?: string | undefined
  /** The status of its entry; of a row that was not sent, INVALID. */
  status: string
  isUnsent?: true
  line?: number
}

/** The failed rows by their position in the file. */
export type RowFailures = Map<number, RowFailure>

export interface FailureGroup {
  message: string
  hint: string | undefined
  count: number
  /** Some of the lines of its rows. */
  lines: number[]
}

const LINES_SHOWN = 5
const QUOTED = /"(?:[^"\\]|\\.)*"/g
/** A quoted beginning is a column, except in a sentence about a cell without one. */
const withoutValues = (message: string): string =>
  message
    .replaceAll(QUOTED, (quoted, at: number) =>
      at === 0 && !message.startsWith(' stands in column ', quoted.length) ? quoted : '…',
    )
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '…')
    .replaceAll(/\d+/g, '…')
/** Values, ids and numbers differ from row to row and do not make another group. */
const getKind = ({ code, message }: RowFailure): string =>
  code !== undefined && code !== 'invalid_request' ? code : withoutValues(message)

/** Groups the failed rows by reason, the most frequent first. */
export function groupFailures(failures: Iterable<RowFailure>): FailureGroup[] {
  const groups = new Map<string, FailureGroup>()
  for (const failure of failures) {
    const kind = getKind(failure)
    const group = groups.get(kind) ?? { message: failure.message, hint: failure.hint, count: 0, lines: [] }
    group.count += 1
    // Values of one row alone are removed from the message of all.
    if (group.message !== failure.message && withoutValues(group.message) === withoutValues(failure.message))
      group.message = withoutValues(failure.message)
    if (failure.line !== undefined && group.lines.length < LINES_SHOWN) group.lines.push(failure.line)
    groups.set(kind, group)
  }
  return [...groups.values()].sort((one, other) => other.count - one.count)
}

const BYTE_ORDER_MARK = '\ufeff'

/** Writes the failed rows with what the results of a job would say of each, and all its cells: once corrected, this file can be sent. */
export async function writeFailedRows(plan: Plan, failures: RowFailures): Promise<Blob> {
  const { header, formatRow } = createFailedRowWriter(plan, RESULT_NOTES)
  const parts = [BYTE_ORDER_MARK, header]
  let index = 0
  for await (const { line, cells } of rowsIn(plan.csv)) {
    const failure = failures.get(index)
    index += 1
    if (!failure) continue
    const { status, message, hint = '' } = failure
    parts.push(formatRow([status, message, hint, '', String(line)], cells))
  }
  return new Blob(parts, { type: 'text/csv' })
}

/** Finds the column of a fault by the first target or heading that it names; undefined for a fault of the whole row. */
export function findFaultColumn(
  { targets, header }: Pick<Plan, 'targets' | 'header'>,
  fault: string,
): number | undefined {
  const named = targets
    .flatMap((target, at) => [target, header[at] ?? ''].map(name => ({ at, found: findWord(fault, name) })))
    .filter(({ found }) => found >= 0)
  return named.sort((one, other) => one.found - other.found)[0]?.at
}

/** Finds the position of a whole word in a text, or -1. */
function findWord(text: string, word: string): number {
  if (word === '') return -1
  const isPart = (character: string | undefined) => character !== undefined && /\w/.test(character)
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return at
  return -1
}
