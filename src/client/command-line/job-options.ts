import { isWorkbookName } from '../../import-file/workbook/name.ts'
import { requireFailedRowsFile } from './bulk-failures.ts'
import { type Argument, type Options, type ParsedArguments, UsageError } from './command/command.ts'
import { getOption, hasFlag } from './command/options.ts'

export const JOB: Argument = { name: 'job', summary: 'the id of the job' }

export const FAILED_TO_OPTION = {
  'failed-to': { value: 'file', summary: 'write the failed rows as CSV, with _error', completed: 'file' },
} as const satisfies Options

/** The file for the failed rows. It is checked before anything is sent. */
export async function getFailedRowsFile(args: ParsedArguments): Promise<string | undefined> {
  const target = getOption(args, 'failed-to')
  if (target !== undefined && isWorkbookName(target)) throw new UsageError('--failed-to writes CSV: call the file .csv')
  if (target !== undefined && hasFlag(args, 'detach')) throw new UsageError('--failed-to waits: it excludes --detach')
  if (target !== undefined) await requireFailedRowsFile(target)
  return target
}
