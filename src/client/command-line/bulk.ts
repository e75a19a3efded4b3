import path from 'node:path'
import { importInJobs } from '../bulk.ts'
import type { EntryStatus, Procedure } from '../client.ts'
import type { ImportMode } from '../import-file/columns.ts'
import { formatCsvLine } from '../import-file/csv.ts'
import { findItemFault, findUndeclaredNames, trackMissingKeys, trackRepeatedKeys } from '../import-file/faults.ts'
import { getItemKey } from '../import-file/items.ts'
import {
  ERROR_COLUMN,
  FILE_FORMATS,
  type FileRow,
  FORM_OPTIONS,
  getCellForms,
  getFileForm,
  getSentColumns,
  openRowFile,
  planReading,
  type Reading,
  type RowFile,
  readRows,
} from './bulk-file.ts'
import { type Command, EXIT, type ExitCode, type ParsedArguments, type Session, UsageError } from './command/command.ts'
import { getOption, hasFlag } from './command/options.ts'
import { watchToEnd } from './jobs.ts'
import { formatCount, openOutput, print, printError } from './output/terminal.ts'
import { KEY_OPTION, PROCEDURE } from './process-options.ts'

const MODES = ['create', 'update', 'upsert'] as const satisfies readonly ImportMode[]

export const bulkCommand: Command = {
  name: 'bulk',
  group: 'Files',
  summary: 'Create or change processes from a .csv or .ndjson file, as a job',
  details:
    'A CSV file may be as a spreadsheet writes it: with semicolons or tabs, in UTF-8, UTF-16 or Windows-1252, with days as 31.12.2026, decimal commas, and headings that are names of attributes. What was recognised is printed; the options overrule it. Spaces around cells are left out. The whole file is checked before the first row is sent. Line and key of each failed row are printed; --failed-to writes these rows, with the reason, to a file that can be corrected and sent.',
  arguments: [PROCEDURE, { name: 'file', summary: 'a file, or - for standard input', completed: 'file' }],
  options: {
    create: { summary: 'rows are new processes' },
    update: { summary: 'rows are changes of processes (default)' },
    upsert: { summary: 'rows are created, or change the process that has their primary key' },
    'failed-to': { value: 'file', summary: 'write the failed rows, with _error', completed: 'file' },
    'dry-run': { summary: 'check the file by the definition of the procedure, and send nothing' },
    detach: { summary: 'print the id of the job and do not wait' },
    format: { value: 'format', summary: 'if the file name has no such ending', choices: FILE_FORMATS },
    ...FORM_OPTIONS,
    ...KEY_OPTION,
  },
  examples: [
    'bulk lead leads.csv --create --failed-to failed.csv',
    'bulk lead from-excel.csv --create --delimiter ";" --dates dmy --decimal comma --dry-run',
    'bulk lead changes.ndjson --idempotency-key changes-of-monday',
  ],
  run: {
    async remote(session, args) {
      const [procedure = '', name = ''] = args.words
      const mode = getMode(args)
      const target = getOption(args, 'failed-to')
      if (target !== undefined && path.resolve(target) === path.resolve(name))
        throw new UsageError('--failed-to cannot be the file that is sent')
      if (target !== undefined && hasFlag(args, 'detach'))
        throw new UsageError('--failed-to waits: it excludes --detach')
      const definition = await session.client.procedures.get(procedure, { signal: session.signal })
      const file = await openRowFile(name, getFileForm(args))
      try {
        const reading = await planReading(file, definition, mode, getCellForms(args))
        const isCheck = hasFlag(args, 'dry-run')
        const faults = await checkRows(file, reading, isCheck)
        if (!isCheck) return await importRows(session, args, file, reading)
        await reportFailures(file, reading, faults, target)
        return faults.size === 0 ? undefined : EXIT.entriesFailed
      } finally {
        await file.close()
      }
    },
  },
}

function getMode(args: ParsedArguments): ImportMode {
  const chosen = MODES.filter(mode => hasFlag(args, mode))
  if (chosen.length > 1) throw new UsageError(`${chosen.map(each => `--${each}`).join(' and ')} exclude each other`)
  return chosen[0] ?? 'update'
}

/**
 * Reads the whole file, so that nothing is sent of a file that is invalid further down. With `isCheck`, also finds the
 * rows that the definition of the procedure does not allow.
 */
async function checkRows(file: RowFile, reading: Reading, isCheck: boolean): Promise<Failures> {
  const { procedure, mode } = reading
  // The API has the same warnings when it accepts the job.
  if (isCheck)
    for (const sentence of findUndeclaredNames(
      procedure,
      reading.targets.filter(target => target !== ''),
      mode === 'update' ? 'update' : 'create',
    ))
      printError(`warning: column ${sentence}\n`)
  const faults: Failures = new Map()
  let rows = 0
  const repeated = trackRepeatedKeys(reading)
  const missing = trackMissingKeys(reading)
  for await (const row of readRows(file, reading)) {
    const fault = isCheck
      ? (row.unreadable ?? findItemFault(procedure, row.item, mode) ?? repeated.findFault(row))
      : undefined
    if (fault !== undefined) faults.set(rows, fault)
    else missing.add(row.item)
    rows += 1
  }
  for (const sentence of [...repeated.warnings(), ...missing.warnings()]) printError(`warning: ${sentence}\n`)
  if (rows === 0) throw new UsageError(`there are no rows in ${file.name}`)
  if (isCheck) printError(`${formatCount(rows, 'row', 'rows')}, ${faults.size} invalid; nothing was sent\n`)
  return faults
}

async function importRows(
  session: Session,
  args: ParsedArguments,
  file: RowFile,
  reading: Reading,
): Promise<ExitCode | undefined> {
  const failures: Failures = new Map()
  const all = await runJobs(session, args, file, reading, failures)
  if (hasFlag(args, 'detach')) {
    printError('to follow a job: caseworker watch <job>\n')
    return undefined
  }
  await reportFailures(file, reading, failures, getOption(args, 'failed-to'))
  return all && failures.size === 0 ? undefined : EXIT.entriesFailed
}

/** Whether all jobs succeeded. Their failures are added, and the rows that can't be sent. */
async function runJobs(
  session: Session,
  args: ParsedArguments,
  file: RowFile,
  reading: Reading,
  failures: Failures,
): Promise<boolean> {
  const sent: number[] = []
  async function* items() {
    let at = -1
    for await (const { item, unreadable } of readRows(file, reading)) {
      at += 1
      if (unreadable !== undefined) failures.set(at, unreadable)
      else {
        sent.push(at)
        yield item
      }
    }
  }
  let [offset, allSucceeded] = [0, true]
  const processes = session.client.processes(reading.procedure.shortId)
  const options = { signal: session.signal, idempotencyKey: getOption(args, 'idempotency-key') }
  for await (const { id, total } of importInJobs(processes, reading.mode, items(), options)) {
    await print(`${id}\n`)
    const first = offset
    offset += total
    if (hasFlag(args, 'detach')) continue
    const { completionStatus } = await watchToEnd(session, id)
    if (completionStatus === 'SUCCESS') continue
    allSucceeded = false
    await collectFailures(session, id, index => sent[first + index] ?? first + index, failures)
  }
  return allSucceeded
}

/** Why rows of a file failed, by their position, starting at 0. */
export type Failures = Map<number, string>

const FAILED: EntryStatus[] = ['INVALID', 'ERROR', 'CANCELLED']
/** More are only in the file. */
const ROWS_PRINTED_MAX = 100

/** Adds the failed entries of a job whose first entry is the row at `offset`. */
async function collectFailures(
  { client, signal }: Session,
  job: string,
  rowAt: (index: number) => number,
  failures: Failures,
): Promise<void> {
  for (const completionStatus of FAILED)
    for await (const entry of client.jobs.results(job, { completionStatus, signal }))
      failures.set(rowAt(entry.index), entry.completionMessage || entry.completionStatus)
}

/** Prints line and key of each failed row, and writes the rows with their errors into a file of the same form. */
async function reportFailures(
  file: RowFile,
  reading: Reading,
  failures: Failures,
  target: string | undefined,
): Promise<void> {
  const output = target === undefined ? undefined : await openOutput(target)
  const { mark, lineEnd } = await file.form()
  const asInFile = (line: string): string => line.replace(/\n$/, lineEnd)
  const { procedure } = reading
  const header = formatCsvLine([...getSentColumns(procedure, reading.header), ERROR_COLUMN], file.separator)
  let [at, printed] = [0, 0]
  for await (const row of readRows(file, reading)) {
    if (at === 0) await output?.write(file.format === 'csv' ? `${mark}${asInFile(header)}` : mark)
    const failure = failures.get(at)
    at += 1
    if (failure === undefined) continue
    await output?.write(asInFile(row.withError(failure)))
    printed += 1
    if (printed <= ROWS_PRINTED_MAX) printError(`  line ${row.line}${formatKey(row, procedure)}: ${failure}\n`)
  }
  await output?.close()
  if (printed > ROWS_PRINTED_MAX) printError(`  and ${(printed - ROWS_PRINTED_MAX).toLocaleString('en-US')} more\n`)
  if (failures.size === 0) return
  printError(
    target === undefined
      ? 'to fix the failed rows and send them again: --failed-to <file>\n'
      : `the failed rows are in ${target}: fix them, and send that file\n`,
  )
}

/** The key or id of a row, for messages. */
function formatKey({ item }: FileRow, procedure: Procedure): string {
  const key = getItemKey(procedure, item) ?? item.id
  return key === undefined ? '' : `, ${String(key)}`
}
