import { detectSeparator, isEmptyRow, type Numbering, parseCsv } from 'import-file/csv'
import type { FileEncoding } from 'import-file/encoding'
import { collectSample } from 'import-file/forms'
import { decodeText, detectEncoding } from 'import-file/stream'
import { isWorkbookName } from 'import-file/workbook/name'

/** A CSV file that is read in pieces, as often as needed: only one piece is in memory. */
export interface CsvFile {
  file: File
  /** UTF-8, where nothing else is said. */
  encoding?: FileEncoding
  separator: string
  header: string[]
  /** The workbook that it was read from, and which of its sheets this is. Its numbers are numbers, however they are shown. */
  workbook?: { file: File; sheets: readonly string[]; sheet: string }
  /** The rows that tell how its cells are written, as many as the API takes. */
  sample: { line: number; cells: string[] }[]
  /** The first rows, for the preview. */
  first: { line: number; cells: string[] }[]
}

const FIRST_ROWS = 20
const HEAD_BYTES = 65_536

/** Reads the bytes of a file in pieces. `onBytes` receives the number of bytes so far. */
async function* readBytes(
  file: File,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = file.stream().getReader()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.byteLength
      onBytes(bytes)
      yield value
      // The page is drawn and answers between the pieces.
      await new Promise(resolve => setTimeout(resolve))
    }
  } finally {
    reader.releaseLock()
  }
}

const readText = (
  { file, encoding = 'utf-8' }: Pick<CsvFile, 'file' | 'encoding'>,
  onBytes?: (bytes: number) => void,
) => decodeText(readBytes(file, onBytes), encoding)

/** Opens a CSV file, or a sheet of a workbook as one: what follows is the same. */
export async function openTable(file: File, sheet?: string): Promise<CsvFile> {
  if (!isWorkbookName(file.name)) return openCsv(file)
  const { openWorkbook, WorkbookError } = await import('import-file/workbook/xlsx')
  try {
    const table = await openWorkbook(file, sheet)
    const csv = new File(await joinLines(table.lines()), file.name, {
      type: 'text/csv',
      lastModified: file.lastModified,
    })
    return { ...(await openCsv(csv, 'rows')), workbook: { file, sheets: table.sheets, sheet: table.sheet } }
  } catch (error) {
    throw error instanceof WorkbookError ? new Error(`${file.name} can’t be read: ${error.message}`) : error
  }
}

const LINES_AT_ONCE = 1_000

async function joinLines(lines: AsyncIterable<string>): Promise<string[]> {
  const [parts, some]: [string[], string[]] = [[], []]
  for await (const line of lines) {
    if (some.push(line) < LINES_AT_ONCE) continue
    parts.push(some.splice(0).join(''))
    // The page is drawn and answers between the pieces.
    await new Promise(resolve => setTimeout(resolve))
  }
  return [...parts, some.join('')]
}

/** The rows of a sheet have its numbers. */
export async function openCsv(file: File, numbering: Numbering = 'lines'): Promise<CsvFile> {
  const encoding = await detectEncoding(file.name, readBytes(file))
  const head = await file.slice(0, HEAD_BYTES).arrayBuffer()
  const separator = detectSeparator(new TextDecoder(encoding).decode(head))
  const sample = collectSample<CsvFile['sample'][number]>()
  let header: string[] | undefined
  for await (const row of parseCsv(readText({ file, encoding }), separator, { numbering })) {
    if (header === undefined) header = row.cells.map(cell => cell.trim())
    else if (!isEmptyRow(row) && sample.add(row)) break
  }
  if (header === undefined) throw new Error(`${file.name} is empty`)
  if (sample.rows.length === 0) throw new Error(`${file.name} has a header and no rows`)
  return { file, encoding, separator, header, sample: sample.rows, first: sample.rows.slice(0, FIRST_ROWS) }
}

export interface RowOptions {
  /** Receives the number of bytes so far. */
  onBytes?: (bytes: number) => void
  onEmpty?: () => void
}

/** Reads all rows after the header that are not empty. `onEmpty` is told of each that is. */
export async function* rowsIn(
  { file, encoding = 'utf-8', separator, workbook }: CsvFile,
  { onBytes, onEmpty = () => {} }: RowOptions = {},
) {
  const numbering = workbook === undefined ? 'lines' : 'rows'
  let isHeader = true
  for await (const row of parseCsv(readText({ file, encoding }, onBytes), separator, { numbering })) {
    if (!isHeader && isEmptyRow(row)) onEmpty()
    else if (!isHeader) yield row
    isHeader = false
  }
}
