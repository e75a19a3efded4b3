import { isTimeColumn } from '../../import-file/cells.ts'
import { detectSeparator, formatCsvLine } from '../../import-file/csv.ts'
import { findFormOption } from '../../import-file/forms.ts'
import type { ItemFile } from '../bulk.ts'
import { type BatchLimits, JOB_BODY_BYTES_MAX, JOB_ENTRIES_MAX, packLines } from '../pack-lines.ts'
import type { RowFile } from './bulk-file.ts'
import { type FileRow, getNumbering, type Reading, readRows } from './bulk-rows.ts'
import { UsageError } from './command/command.ts'

/**
 * The bodies of the requests that a file takes. Each row is there, in the line that it has in the file, so that the
 * API reads it by the code of the command line, and what cannot be read becomes an INVALID entry with its line.
 */
export async function* splitFile(
  file: RowFile,
  { isLarge, ...reading }: CheckedReading,
  limits: BatchLimits = {},
): AsyncGenerator<ItemFile, void, undefined> {
  const rows = readRows(file, reading)
  if (file.format === 'ndjson') {
    for await (const ndjson of packLines(rows, limits)) yield { ndjson }
    return
  }
  const { header, headerLine, targets, stated } = reading
  const { mark } = await file.form()
  // Whether a heading "Status" means the state is told by the cells of the whole file, which a part has not.
  const names = header.map((name, at) => (isLarge && STATUS_OR_STATE.includes(targets[at] ?? '') ? targets[at] : name))
  const text = formatCsvLine(names.map(String), file.separator)
  const isFound = file.delimiter === undefined && detectSeparator(text) === file.separator
  const delimiter = isFound ? undefined : file.separator === '\t' ? 'tab' : file.separator
  const numbering = getNumbering(file)
  for await (const csv of packLines(rows, { ...limits, head: { text, line: headerLine, mark, numbering } }))
    yield { csv, charset: 'utf-8', delimiter, ...stated, ...(numbering === 'lines' ? {} : { numbering }) }
}

const STATUS_OR_STATE: readonly string[] = ['status', 'state']

/** How a file is read, once all of it was looked at. */
export interface CheckedReading extends Reading {
  /** It takes several requests. */
  isLarge: boolean
}

/** Counts what a file takes. A part of a large table is read by itself, so its cells must not be read by its first rows. */
export function trackSize(
  file: RowFile,
  reading: Reading,
): { add: (row: FileRow) => void; close: () => CheckedReading } {
  let [rows, bytes, last] = [0, 0, 0]
  return {
    add({ text, line }) {
      rows += 1
      bytes += Buffer.byteLength(text)
      last = line
    },
    close() {
      // Each line may be blank in what is sent.
      const isLarge = rows > JOB_ENTRIES_MAX || bytes + last + HEAD_BYTES > JOB_BODY_BYTES_MAX
      if (isLarge) requireTold(file, reading)
      return { ...reading, isLarge }
    },
  }
}

const HEAD_BYTES = 65_536

function requireTold({ name }: RowFile, { procedure, targets, open = [] }: Reading): void {
  const columns = targets.filter((target, at) => open[at] && !isTimeColumn(procedure, target))
  const unstated = [...new Set(columns.map(target => findFormOption(procedure, target)))].toSorted()
  if (unstated.length > 0)
    throw new UsageError(
      `${name} takes more than one job, and each must be read alike: say ${unstated.map(option => `--${option}`).join(' and ')}`,
    )
}
