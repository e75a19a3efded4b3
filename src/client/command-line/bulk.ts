import path from 'node:path'
import type { ImportMode } from '../../import-file/columns.ts'
import { formatEmptyRows } from '../../import-file/csv.ts'
import { findItemFault, trackMissingKeys, trackRepeatedKeys } from '../../import-file/faults.ts'
import { importInJobs } from '../bulk.ts'
import type { Plan } from '../client.ts'
import { collectFailures, type Failures, reportFailures } from './bulk-failures.ts'
import { FILE_FORMATS, openRowFile, type RowFile } from './bulk-file.ts'
import { FORM_OPTIONS, getCellForms, getFileForm } from './bulk-options.ts'
import { type CheckedReading, splitFile, trackSize } from './bulk-parts.ts'
import { planReading } from './bulk-reading.ts'
import { listColumns, type Reading, readRows } from './bulk-rows.ts'
import { type Command, EXIT, type ExitCode, type ParsedArguments, type Session, UsageError } from './command/command.ts'
import { getOption, hasFlag } from './command/options.ts'
import { getFailedRowsFile } from './job-options.ts'
import { confirmPlans, showPlans, watchPlan } from './job-plan.ts'
import { formatCount, print, printError } from './output/terminal.ts'
import { KEY_OPTION, PROCEDURE, YES_OPTION } from './process-options.ts'
import { watchToEnd } from './watch.ts'

const MODES = ['create', 'update', 'upsert'] as const satisfies readonly ImportMode[]

export const bulkCommand: Command = {
  name: 'bulk',
  group: 'Files',
  summary: 'Create or change processes from a .csv, .xlsx or .ndjson file, as a job',
  details:
    'A CSV file may be as a spreadsheet writes it: with semicolons or tabs, in UTF-8, UTF-16 or Windows-1252, with days as 31.12.2026, decimal commas, and headings that are names of attributes. What was recognised is printed; the options overrule it. Of a workbook (.xlsx) the first sheet is read, or that of --sheet, with the values that its formulas had when it was saved. Spaces around cells are left out. The whole file is checked before the first row is sent. Line and key of each failed row are printed; --failed-to writes these rows, with the reason, to a file that can be corrected and sent. --plan makes a dry run of the whole file first: it shows how many processes would be created and changed, the first changes and the reasons of failures, and asks.',
  arguments: [PROCEDURE, { name: 'file', summary: 'a file, or - for standard input', completed: 'file' }],
  options: {
    create: { summary: 'rows are new processes' },
    update: { summary: 'rows are changes of processes (default)' },
    upsert: { summary: 'rows are created, or change the process that has their primary key' },
    'failed-to': { value: 'file', summary: 'write the failed rows, with _error', completed: 'file' },
    plan: { summary: 'show what would change, before and after, and ask' },
    ...YES_OPTION,
    'dry-run': { summary: 'check the file by the definition of the procedure, and send nothing' },
    detach: { summary: 'print the id of the job and do not wait' },
    format: { value: 'format', summary: 'if the file name has no such ending', choices: FILE_FORMATS },
    ...FORM_OPTIONS,
    ...KEY_OPTION,
  },
  examples: [
    'bulk lead leads.csv --upsert --plan --failed-to failed.csv',
    'bulk lead from-excel.csv --create --delimiter ";" --dates dmy --decimal comma --dry-run',
    'bulk lead from-excel.xlsx --upsert --sheet 2026 --plan',
    'bulk lead changes.ndjson --idempotency-key changes-of-monday',
  ],
  run: {
    async remote(session, args) {
      const [procedure = '', name = ''] = args.words
      const mode = getMode(args)
      const failedTo = getOption(args, 'failed-to')
      if (failedTo !== undefined && path.resolve(failedTo) === path.resolve(name))
        throw new UsageError('--failed-to cannot be the file that is sent')
      const target = await getFailedRowsFile(args)
      const excluded = ['dry-run', 'detach'].find(name => hasFlag(args, name))
      if (hasFlag(args, 'plan') && excluded !== undefined) throw new UsageError(`--plan excludes --${excluded}`)
      const definition = await session.client.procedures.get(procedure, { signal: session.signal })
      const file = await openRowFile(name, getFileForm(args))
      try {
        const reading = await planReading(file, definition, mode, getCellForms(args))
        const isCheck = hasFlag(args, 'dry-run')
        const looksAtKeys = isCheck || hasFlag(args, 'plan')
        const { faults, ...checked } = await checkRows(file, reading, { isCheck, looksAtKeys })
        if (hasFlag(args, 'plan')) return await importAfterAsking(session, args, file, checked)
        if (!isCheck) return await importRows(session, args, file, checked)
        await reportFailures(file, reading, faults, target)
        return faults.size === 0 ? undefined : EXIT.failed
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
 * rows that the definition of the procedure does not allow. With `looksAtKeys`, tells of rows that repeat a key.
 */
async function checkRows(
  file: RowFile,
  reading: Reading,
  { isCheck, looksAtKeys }: { isCheck: boolean; looksAtKeys: boolean },
): Promise<CheckedReading & { faults: Failures }> {
  const { procedure, mode } = reading
  const faults: Failures = new Map()
  let [rows, empty] = [0, 0]
  const countEmpty = () => {
    empty += 1
  }
  const repeated = trackRepeatedKeys(reading)
  const missing = trackMissingKeys(reading)
  const size = trackSize(file, reading)
  for await (const row of readRows(file, reading, countEmpty)) {
    const found = row.fault ?? (isCheck ? findItemFault(procedure, row.item, mode) : undefined)
    // The rows of a plan are judged by the API; that they repeat a key is only told.
    const repeats = found === undefined && looksAtKeys ? repeated.findFault(row) : undefined
    const fault = found ?? (isCheck ? repeats : undefined)
    if (fault !== undefined) faults.set(rows, { message: fault })
    else missing.add(row.item)
    size.add(row)
    rows += 1
  }
  for (const sentence of [...repeated.warnings(), ...missing.warnings()]) printError(`warning: ${sentence}\n`)
  if (empty > 0) printError(`${formatEmptyRows(empty)}\n`)
  if (rows === 0) throw new UsageError(`there are no rows in ${file.name}`)
  if (isCheck) printError(`${formatCount(rows, 'row', 'rows')}, ${faults.size} invalid; nothing was sent\n`)
  return { ...size.close(), faults }
}

async function importRows(
  session: Session,
  args: ParsedArguments,
  file: RowFile,
  reading: CheckedReading,
): Promise<ExitCode | undefined> {
  const failures: Failures = new Map()
  const all = await runJobs(session, args, file, reading, failures)
  if (hasFlag(args, 'detach')) {
    printError('to follow a job: caseworker watch <job>\n')
    return undefined
  }
  await reportFailures(file, reading, failures, getOption(args, 'failed-to'))
  return all && failures.size === 0 ? undefined : EXIT.failed
}

/** Runs the jobs and returns whether all succeeded. It adds their failures. */
async function runJobs(
  session: Session,
  args: ParsedArguments,
  file: RowFile,
  reading: CheckedReading,
  failures: Failures,
): Promise<boolean> {
  let [offset, allSucceeded] = [0, true]
  const processes = session.client.processes(reading.procedure.shortId)
  const options = { signal: session.signal, idempotencyKey: getOption(args, 'idempotency-key') }
  for await (const { id, total } of importInJobs(processes, reading.mode, splitFile(file, reading), options)) {
    await print(`${id}\n`)
    const first = offset
    offset += total
    if (hasFlag(args, 'detach')) continue
    const { completionStatus } = await watchToEnd(session, id)
    if (completionStatus === 'SUCCESS') continue
    allSucceeded = false
    await collectFailures(session, id, first, failures)
  }
  return allSucceeded
}

/** Shows what the whole file would change, by dry runs, asks, and applies them. */
async function importAfterAsking(
  session: Session,
  args: ParsedArguments,
  file: RowFile,
  reading: CheckedReading,
): Promise<ExitCode | undefined> {
  const { client, signal } = session
  const target = getOption(args, 'failed-to')
  const plans: { plan: Plan; first: number }[] = []
  const key = getOption(args, 'idempotency-key')
  const options = { signal, dryRun: true, idempotencyKey: key && `${key}-plan` }
  let offset = 0
  const processes = client.processes(reading.procedure.shortId)
  for await (const { id, total } of importInJobs(processes, reading.mode, splitFile(file, reading), options)) {
    plans.push({ plan: await watchPlan(session, id), first: offset })
    offset += total
  }
  const all = plans.map(({ plan }) => plan)
  const outlook = await showPlans(session, all, listColumns(reading))
  const planned: Failures = new Map()
  for (const { plan, first } of plans) await collectFailures(session, plan.id, first, planned)
  if (outlook.changing === 0) {
    await reportFailures(file, reading, planned, target)
    return planned.size === 0 ? undefined : EXIT.failed
  }
  try {
    await confirmPlans(session, args, all, outlook)
  } catch (error) {
    await reportFailures(file, reading, planned, target)
    throw error
  }
  const failures: Failures = new Map()
  for (const [at, { plan, first }] of plans.entries()) {
    const { id } = await plan.apply({ signal, idempotencyKey: key && `${key}-apply-${at + 1}` })
    await print(`${id}\n`)
    const { completionStatus } = await watchToEnd(session, id)
    if (completionStatus !== 'SUCCESS') await collectFailures(session, id, first, failures)
  }
  await reportFailures(file, reading, failures, target)
  return failures.size === 0 ? undefined : EXIT.failed
}
