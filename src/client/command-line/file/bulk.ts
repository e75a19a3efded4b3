import path from 'node:path'
import type { ImportMode } from '../../import-file/columns.ts'
import { findItemFault, findUndeclaredNames, trackMissingKeys, trackRepeatedKeys } from '../../import-file/faults.ts'
import { toUpdateItem } from '../../import-file/items.ts'
import type { Command, Given, Session } from '../command/command.ts'
import { EXIT, type ExitCode } from '../command/exit-code.ts'
import { hasFlag, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { watchToEnd } from '../job/follow-job.ts'
import { howMany } from '../output/how-many.ts'
import { print, printError } from '../output/terminal.ts'
import { KEY_OPTION, PROCEDURE } from '../process/arguments.ts'
import { collectFailures, type Failures, reportFailures } from './failures.ts'
import { chosenCells, chosenForm, FORM_OPTIONS, readPlan } from './file-plan.ts'
import { fileRows, type Reading } from './file-rows.ts'
import { sendItems } from './import-mode.ts'
import { FILE_FORMATS, openRowFile, type RowFile } from './row-file.ts'

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
    async remote(session, given) {
      const [procedure = '', name = ''] = given.words
      const mode = modeOf(given)
      const target = textOption(given, 'failed-to')
      if (target !== undefined && path.resolve(target) === path.resolve(name))
        throw new UsageError('--failed-to cannot be the file that is sent')
      for (const needed of ['failed-to', 'upsert'])
        if (given.options[needed] && hasFlag(given, 'detach'))
          throw new UsageError(`--${needed} waits: it excludes --detach`)
      const definition = await session.client.procedures.get(procedure, { signal: session.signal })
      const file = await openRowFile(name, chosenForm(given))
      try {
        const reading = await readPlan(file, definition, mode, chosenCells(given))
        const isCheck = hasFlag(given, 'dry-run')
        const faults = await checkRows(file, reading, isCheck)
        if (!isCheck) return await importRows(session, given, file, reading)
        await reportFailures(file, reading, faults, target)
        return faults.size === 0 ? undefined : EXIT.entriesFailed
      } finally {
        await file.close()
      }
    },
  },
}

function modeOf(given: Given): ImportMode {
  const chosen = MODES.filter(mode => hasFlag(given, mode))
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
  for await (const row of fileRows(file, reading)) {
    const fault = isCheck
      ? (row.unreadable ?? findItemFault(procedure, row.item, mode) ?? repeated.findFault(row))
      : undefined
    if (fault !== undefined) faults.set(rows, { message: fault, code: undefined })
    else missing.add(row.item)
    rows += 1
  }
  for (const sentence of [...repeated.warnings(), ...missing.warnings()]) printError(`warning: ${sentence}\n`)
  if (rows === 0) throw new UsageError(`there are no rows in ${file.name}`)
  if (isCheck) printError(`${howMany(rows, 'row', 'rows')}, ${faults.size} invalid; nothing was sent\n`)
  return faults
}

async function importRows(
  session: Session,
  given: Given,
  file: RowFile,
  reading: Reading,
): Promise<ExitCode | undefined> {
  const key = textOption(given, 'idempotency-key')
  const failures: Failures = new Map()
  const all = await runJobs(session, given, file, { ...reading, key, rows: undefined }, failures)
  if (hasFlag(given, 'detach')) {
    printError('to follow a job: caseworker watch <job>\n')
    return undefined
  }
  const existing = [...failures].filter(([, { code }]) => code === 'duplicate_primary_key').map(([row]) => row)
  if (reading.mode !== 'upsert' || existing.length === 0) {
    await reportFailures(file, reading, failures, textOption(given, 'failed-to'))
    return all && failures.size === 0 ? undefined : EXIT.entriesFailed
  }
  // What exists already is updated. Its failures are those of the rows.
  for (const row of existing) failures.delete(row)
  printError(`${existing.length.toLocaleString('en-US')} exist already and are updated\n`)
  const updates = { ...reading, key: key && `${key}-update`, rows: new Set(existing) }
  await runJobs(session, given, file, updates, failures)
  await reportFailures(file, reading, failures, textOption(given, 'failed-to'))
  return failures.size === 0 ? undefined : EXIT.entriesFailed
}

interface Run extends Reading {
  key: string | undefined
  /** The rows that are sent, as updates; all if undefined. */
  rows: ReadonlySet<number> | undefined
}

/** Whether all jobs succeeded. Their failures are added, and the rows that can't be sent. */
async function runJobs(
  session: Session,
  given: Given,
  file: RowFile,
  { key, rows, ...reading }: Run,
  failures: Failures,
): Promise<boolean> {
  const { procedure, mode } = reading
  const sent: number[] = []
  async function* items() {
    let at = -1
    for await (const { item, unreadable } of fileRows(file, reading)) {
      at += 1
      if (rows !== undefined && !rows.has(at)) continue
      if (unreadable !== undefined) failures.set(at, { message: unreadable, code: undefined })
      else {
        sent.push(at)
        yield rows === undefined ? item : toUpdateItem(procedure, item)
      }
    }
  }
  let [offset, allSucceeded] = [0, true]
  for await (const { id, total } of sendItems(session, procedure, rows === undefined ? mode : 'update', items(), key)) {
    await print(`${id}\n`)
    const first = offset
    offset += total
    if (hasFlag(given, 'detach')) continue
    const { completionStatus } = await watchToEnd(session, id)
    if (completionStatus === 'SUCCESS') continue
    allSucceeded = false
    await collectFailures(session, id, index => sent[first + index] ?? first + index, failures)
  }
  return allSucceeded
}
