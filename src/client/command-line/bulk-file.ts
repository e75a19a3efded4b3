import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { findSeparator, findSeparatorFault } from '../../import-file/csv.ts'
import type { FileEncoding } from '../../import-file/encoding.ts'
import { decodeText, detectEncoding } from '../../import-file/stream.ts'
import { isWorkbookName } from '../../import-file/workbook/name.ts'
import { UsageError } from './command/command.ts'
import { printError } from './output/terminal.ts'

export const FILE_FORMATS = ['csv', 'ndjson', 'xlsx'] as const
type FileFormat = (typeof FILE_FORMATS)[number]

interface FileForm {
  /** The byte order mark, by which Excel reads UTF-8; or empty. */
  mark: string
  lineEnd: '\n' | '\r\n'
}

/** The format of a file; undefined parts are detected. */
export interface FileFormOptions {
  format: FileFormat | undefined
  encoding: FileEncoding | undefined
  separator: string | undefined
  /** The sheet of a workbook; undefined for the first one. */
  sheet: string | undefined
  /** An option that a workbook has no use for. */
  stated: string | undefined
}

/** A file of rows that can be read several times. */
export interface RowFile {
  /** The path as it was given, for messages. */
  name: string
  format: Exclude<FileFormat, 'xlsx'>
  /** The sheet of the workbook that its rows are of. Its numbers are numbers, however they are shown. */
  sheet?: string
  encoding: FileEncoding
  /** The separator of the cells of a CSV file. */
  separator: string
  /** The separator, if the sender has said it. */
  delimiter?: string | undefined
  /** The text in chunks. */
  text: () => AsyncGenerator<string, void, undefined>
  /** Returns the byte order mark and line ends of the file, for a file in the same form. */
  form: () => Promise<FileForm>
  /** Removes what was stored. */
  close: () => Promise<void>
}

/** `-` is standard input. It is stored in a file, because rows are read again: checked first, and found if they failed. */
export async function openRowFile(name: string, chosen: FileFormOptions): Promise<RowFile> {
  const format = chosen.format ?? parseFormat(name)
  if (format === 'xlsx' && chosen.stated !== undefined)
    throw new UsageError(`--${chosen.stated} is for text: a workbook says that itself`)
  if (format !== 'xlsx' && chosen.sheet !== undefined) throw new UsageError('--sheet is for a workbook, an .xlsx file')
  if (name !== '-' && format !== 'xlsx')
    return { ...(await rowFile(name, name, { ...chosen, format })), delimiter: chosen.separator }
  const folder = await mkdtemp(path.join(tmpdir(), 'caseworker-'))
  const close = () => rm(folder, { recursive: true, force: true })
  const stored = path.join(folder, 'input')
  try {
    if (name === '-') await pipeline(process.stdin, createWriteStream(stored, { mode: 0o600 }))
    const shown = name === '-' ? 'standard input' : name
    if (format !== 'xlsx')
      return { ...(await rowFile(stored, shown, { ...chosen, format })), delimiter: chosen.separator, close }
    const table = path.join(folder, 'sheet.csv')
    const sheet = await storeSheet(name === '-' ? stored : name, shown, { target: table, sheet: chosen.sheet })
    return { ...(await rowFile(table, shown, { format: 'csv', encoding: 'utf-8', separator: ',' })), sheet, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Writes a sheet of a workbook as CSV, and returns its name. */
async function storeSheet(
  file: string,
  name: string,
  { target, sheet }: { target: string; sheet: string | undefined },
): Promise<string> {
  const { openWorkbook, WorkbookError } = await import('../../import-file/workbook/xlsx.ts')
  try {
    const table = await openWorkbook(new Blob([await readFile(file)]), sheet)
    await pipeline(table.lines(), createWriteStream(target, { mode: 0o600 }))
    const others = table.sheets.filter(each => each !== table.sheet)
    if (others.length > 0 && sheet === undefined)
      printError(`other sheets of ${name}: ${others.map(each => JSON.stringify(each)).join(', ')} (--sheet)\n`)
    return table.sheet
  } catch (error) {
    throw error instanceof WorkbookError ? new UsageError(`${name} cannot be read: ${error.message}`) : error
  }
}

type TextForm = Pick<FileFormOptions, 'encoding' | 'separator'> & Pick<RowFile, 'format'>

async function rowFile(file: string, name: string, chosen: TextForm): Promise<RowFile> {
  const { format } = chosen
  const encoding = chosen.encoding ?? (format === 'csv' ? await readEncoding(file, name) : 'utf-8')
  const text = () => readText(file, name, encoding)
  const separator = format === 'csv' ? await readSeparator(text(), chosen.separator) : ','
  return { name, format, encoding, separator, text, form: () => readForm(file, encoding), close: async () => {} }
}

async function readEncoding(file: string, name: string): Promise<FileEncoding> {
  try {
    return await detectEncoding(name, createReadStream(file))
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

/** A separator that the sender states has to be that of the header: otherwise a quote in some row would be in its way. */
async function readSeparator(
  text: AsyncGenerator<string, void, undefined>,
  stated: string | undefined,
): Promise<string> {
  const { separator, head } = await findSeparator(text)
  await text.return()
  const fault = stated === undefined ? undefined : findSeparatorFault(head, stated)
  if (fault !== undefined) throw new UsageError(`${fault} (--delimiter)`)
  return stated ?? separator
}

export const isNdjsonName = (name: string): boolean => /\.(ndjson|jsonl)$/i.test(name)

function parseFormat(name: string): FileFormat {
  if (/\.csv$/i.test(name)) return 'csv'
  if (isNdjsonName(name)) return 'ndjson'
  if (isWorkbookName(name)) return 'xlsx'
  throw new UsageError(`${name} is neither .csv, .xlsx nor .ndjson: use --format csv, xlsx or ndjson`)
}

async function* readText(file: string, name: string, encoding: FileEncoding): AsyncGenerator<string, void, undefined> {
  try {
    yield* decodeText(createReadStream(file), encoding)
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

const FORM_BYTES_READ = 65_536
const BYTE_ORDER_MARK = '\ufeff'

/** Told by the first bytes. `readText` decodes the mark away. What is not UTF-8 gets a copy that is, and that Excel reads as such. */
async function readForm(file: string, encoding: FileEncoding): Promise<FileForm> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FORM_BYTES_READ), 0, FORM_BYTES_READ, 0)
    const head = buffer.toString('utf8', 0, bytesRead).replaceAll('\0', '')
    const lineEnd = /^[^\n]*\r\n/.test(head) ? '\r\n' : '\n'
    const isMarked = encoding !== 'utf-8' || head.startsWith(BYTE_ORDER_MARK)
    return { mark: isMarked ? BYTE_ORDER_MARK : '', lineEnd }
  } finally {
    await handle.close()
  }
}
