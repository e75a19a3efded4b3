import { rowsOf } from 'caseworker/file'
import { encodingOf, type FileEncoding } from './encoding.ts'

/** A CSV file that is read in pieces, as often as needed: no more of it is in memory than what is looked at. */
export interface CsvFile {
  file: File
  /** UTF-8, where nothing else is said. */
  encoding?: FileEncoding
  separator: string
  header: string[]
  /** The first rows, to look at. */
  first: { line: number; cells: string[] }[]
}

const FIRST_ROWS = 20
const HEAD_BYTES = 65_536
const SEPARATORS = [',', ';', '\t']
const QUOTED = /"[^"]*"/g
/** The first line that is not blank. A quoted cell may have line ends in it. */
const HEADER = /(?:"[^"]*"|[^"\r\n])+/

/** The text of a file, in pieces. `onBytes` is told how much of it was read. */
async function* textOf(
  { file, encoding = 'utf-8' }: Pick<CsvFile, 'file' | 'encoding'>,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: false })
  const reader = file.stream().getReader()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.byteLength
      onBytes(bytes)
      yield decoder.decode(value, { stream: true })
      // The page is drawn and answers between the pieces.
      await new Promise(resolve => setTimeout(resolve))
    }
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw new Error(`${file.name} can’t be read to its end: save it as “CSV UTF-8”`)
    throw error
  } finally {
    reader.releaseLock()
  }
}

/** The one that the header has most of, outside of its quotes. Spreadsheets of some countries write semicolons. */
function separatorIn(head: string): string {
  const header = HEADER.exec(head)?.[0].replaceAll(QUOTED, '') ?? ''
  const counts = SEPARATORS.map(separator => header.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

export async function openCsv(file: File): Promise<CsvFile> {
  const encoding = await encodingOf(file)
  const head = await file.slice(0, HEAD_BYTES).arrayBuffer()
  const separator = separatorIn(new TextDecoder(encoding).decode(head))
  const rows: CsvFile['first'] = []
  for await (const row of rowsOf(textOf({ file, encoding }), separator)) {
    if (rows.length > 0 && isEmpty(row)) continue
    rows.push(row)
    if (rows.length > FIRST_ROWS) break
  }
  const [header, ...first] = rows
  if (header === undefined) throw new Error(`${file.name} is empty`)
  if (first.length === 0) throw new Error(`${file.name} has a header and no rows`)
  return { file, encoding, separator, header: header.cells.map(cell => cell.trim()), first }
}

/** Spreadsheets write rows of separators alone below what they hold. */
const isEmpty = ({ cells }: { cells: readonly string[] }): boolean => cells.every(cell => cell.trim() === '')

/** All rows after the header that have anything in them. */
export async function* rowsIn({ file, encoding = 'utf-8', separator }: CsvFile, onBytes?: (bytes: number) => void) {
  let isHeader = true
  for await (const row of rowsOf(textOf({ file, encoding }, onBytes), separator)) {
    if (!isHeader && !isEmpty(row)) yield row
    isHeader = false
  }
}
