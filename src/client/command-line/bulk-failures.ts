import { open } from 'node:fs/promises'
import { createFailedRowWriter, ERROR_NOTE } from '../../import-file/failed-rows.ts'
import { getItemKey } from '../../import-file/items.ts'
import { nameAsHeading, splitRefused } from '../../refusal-text.ts'
import type { EntryStatus, Procedure } from '../client.ts'
import { isNdjsonName, type RowFile } from './bulk-file.ts'
import { type FileRow, listColumns, type Reading, readRows } from './bulk-rows.ts'
import { type Session, UsageError } from './command/command.ts'
import { adviseOnRows } from './failed-row-advice.ts'
import { formatNumber, openOutput, printError } from './output/terminal.ts'

/** The reasons why rows of a file failed, by their position, starting at 0; the API's have codes. */
export type Failures = Map<number, { message: string; code?: string | undefined }>

const HEAD_BYTES = 65_536
/** In a heading, or as the last member of an item. */
const FAILED_ROWS = [/^[^\r\n]*(?<!\w)_error(?!\w)/, /"_error":"(?:[^"\\]|\\.)*"\}\r?$/m]

/** Before anything is sent: what somebody has in a file of that name, failed rows of an earlier run apart, is not overwritten. */
export async function requireFailedRowsFile(name: string): Promise<void> {
  const head = await readHead(name)
  if (head !== '' && !FAILED_ROWS.some(each => each.test(head)) && !hasBrokenLinesAlone(name, head))
    throw new UsageError(`${name} exists, and has no failed rows in it: name another file in --failed-to, or remove it`)
}

/**
 * A line that is no JSON is written as it was, without its reason; of the last one, the head may have a part. A line of brackets
 * alone is of JSON that somebody has written over several lines.
 */
function hasBrokenLinesAlone(name: string, head: string): boolean {
  const lines = head.split('\n').slice(0, -1)
  return isNdjsonName(name) && lines.length > 0 && lines.every(line => !isJson(line) && !/^[\s{}[\],]*$/.test(line))
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** The beginning of a file; empty where there is none. */
async function readHead(name: string): Promise<string> {
  try {
    const handle = await open(name)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw new UsageError(`${name} cannot be written (--failed-to): ${error instanceof Error ? error.message : error}`)
  }
}

const FAILED: EntryStatus[] = ['INVALID', 'ERROR', 'CANCELLED']
/** Further rows of a reason are only counted, so that they hide no other one; and further rows of all are only in the file. */
const ROWS_PER_REASON_MAX = 5
const ROWS_PRINTED_MAX = 100
const REASONS_PRINTED_MAX = 20

/** Adds the failed entries of a job whose first entry is the row at `first`: each row of a file is an entry. */
export async function collectFailures(
  { client, signal }: Session,
  job: string,
  first: number,
  failures: Failures,
): Promise<void> {
  for (const completionStatus of FAILED)
    for await (const entry of client.jobs.results(job, { completionStatus, signal }))
      failures.set(first + entry.index, {
        message: entry.completionMessage || entry.completionStatus,
        code: (entry.completionResult as { code?: string } | null)?.code,
      })
}

/** Prints line and key of each failed row, and writes the rows with their errors into a file of the same form. */
export async function reportFailures(
  file: RowFile,
  reading: Reading,
  failures: Failures,
  target: string | undefined,
): Promise<void> {
  const output = target === undefined ? undefined : await openOutput(target)
  const { mark, lineEnd } = await file.form()
  const asInFile = (line: string): string => line.replace(/\n$/, lineEnd)
  const { procedure } = reading
  const columns = listColumns(reading)
  const { header } = createFailedRowWriter(reading, [ERROR_NOTE])
  const rowsByReason = new Map<string, number>()
  let [at, printed] = [0, 0]
  for await (const row of readRows(file, reading)) {
    if (at === 0) await output?.write(file.format === 'csv' ? `${mark}${asInFile(header)}` : mark)
    const found = failures.get(at)
    at += 1
    if (found === undefined) continue
    const failure = nameAsHeading(found.message.replace(`line ${row.line}: `, ''), columns)
    await output?.write(asInFile(row.withError(failure)))
    const reason = getReason(failure)
    const ofReason = (rowsByReason.get(reason) ?? 0) + 1
    rowsByReason.set(reason, ofReason)
    if (ofReason > ROWS_PER_REASON_MAX || printed === ROWS_PRINTED_MAX) continue
    printed += 1
    printError(`  line ${row.line}${formatKey(row, procedure)}: ${failure}\n`)
  }
  await output?.close()
  reportOthers(rowsByReason, failures.size - printed)
  if (failures.size === 0) return
  const codes = new Set([...failures.values()].map(({ code }) => code))
  const advice = adviseOnRows([...codes], target) ?? 'to fix the failed rows and send them again: --failed-to <file>'
  printError(`${advice}\n`)
}

/** A message without what it quotes of a row, which is another value in each. */
function getReason(message: string): string {
  const parts = splitRefused(message)
  if (parts === undefined) return message
  const tail = parts.refused.replace(/"(?:[^"\\]|\\.)*"/g, '…')
  // A bare correction in brackets is a value as well.
  return `${parts.sentence}, not ${tail.replace(/ \([^a-z()]*\)$/i, '')}`
}

/** Prints how many rows were not printed, and how many each frequent reason has. */
function reportOthers(rowsByReason: ReadonlyMap<string, number>, unprinted: number): void {
  if (unprinted === 0) return
  printError(`  and ${formatNumber(unprinted)} more:\n`)
  const frequent = [...rowsByReason]
    .filter(([, rows]) => rows > ROWS_PER_REASON_MAX)
    .sort(([, one], [, other]) => other - one)
  for (const [reason, rows] of frequent.slice(0, REASONS_PRINTED_MAX))
    printError(`  ${formatNumber(rows)} × ${reason}\n`)
}

/** The key or id of a row, for messages. */
function formatKey({ item }: FileRow, procedure: Procedure): string {
  const key = getItemKey(procedure, item) ?? item.id
  return key === undefined ? '' : `, ${String(key)}`
}
