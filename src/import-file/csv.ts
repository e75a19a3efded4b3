/** A row of a CSV file. */
export interface Row {
  /** The line in which it begins, or its number in a sheet. */
  line: number
  cells: string[]
  /** It has more characters than a row may have: its cells were read over. */
  isTooLong?: true
}

export class CsvError extends Error {
  override readonly name = 'CsvError'
}

const BYTE_ORDER_MARK = '\ufeff'

/** A first line by which Excel is told what stands between cells. */
const SEPARATOR_LINE = /^\ufeff?sep=([^"\r\n])(?=[\r\n]|$)/i

/** What numbers rows: the lines of the file, or the rows themselves as a spreadsheet has them, with line breaks in cells. */
export const NUMBERINGS = ['lines', 'rows'] as const
export type Numbering = (typeof NUMBERINGS)[number]

interface CsvOptions {
  rowCharactersMax?: number
  numbering?: Numbering | undefined
}

/** Parses CSV (RFC 4180) from chunks of any size. Blank lines are skipped, and a first line such as `sep=;`. */
export async function* parseCsv(
  texts: AsyncIterable<string>,
  separator = ',',
  { rowCharactersMax = Number.POSITIVE_INFINITY, numbering = 'lines' }: CsvOptions = {},
): AsyncGenerator<Row, void, undefined> {
  let [line, began, cell, cells, characters] = [1, 1, '', [] as string[], 0]
  let state: 'start' | 'bare' | 'quoted' | 'quote' = 'start'
  let afterReturn = false
  let first = true
  const endRow = (): Row | undefined => {
    const isTooLong = characters > rowCharactersMax
    const row: Row = isTooLong ? { line: began, cells: [], isTooLong } : { line: began, cells: [...cells, cell] }
    const isBlank = !isTooLong && cells.length === 0 && state === 'start'
    const isSkipped = isBlank || (began === 1 && SEPARATOR_LINE.test(row.cells.join(separator)))
    ;[cell, cells, state, began, characters] = ['', [], 'start', line, 0]
    return isSkipped ? undefined : row
  }
  for await (const text of texts) {
    const piece = first && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
    first = false
    for (const character of piece) {
      const isSecondOfPair = character === '\n' && afterReturn
      afterReturn = character === '\r'
      const endsLine = (character === '\n' && !isSecondOfPair) || character === '\r'
      if (endsLine && (numbering === 'lines' || state !== 'quoted')) line += 1
      characters += 1
      if (characters > rowCharactersMax) [cell, cells] = ['', []]
      if (state === 'quoted') {
        if (character === '"') state = 'quote'
        else cell += character
      } else if (character === '"' && state === 'quote') {
        cell += '"'
        state = 'quoted'
      } else if (character === '"' && state === 'start') state = 'quoted'
      else if (character === separator) {
        cells.push(cell)
        ;[cell, state] = ['', 'start']
      } else if (isSecondOfPair) began = line
      else if (character === '\n' || character === '\r') {
        const row = endRow()
        if (row) yield row
      } else if (state === 'quote') throw new CsvError(`line ${line}: something follows the closing quote`)
      else if (character === '"') throw new CsvError(`line ${line}: a quote inside a cell that is not quoted`)
      else {
        cell += character
        state = 'bare'
      }
    }
  }
  if (state === 'quoted') throw new CsvError(`line ${began}: a quote is opened in this row and never closed`)
  const last = endRow()
  if (last) yield last
}

/** Spreadsheets write rows of separators alone below what they hold. */
export const isEmptyRow = ({ cells }: { cells: readonly string[] }): boolean => cells.every(cell => cell.trim() === '')

/** Says how many of these were left out: whoever counts their rows misses them. */
export const formatEmptyRows = (count: number): string =>
  count === 1
    ? '1 row has nothing in any of its cells, and is left out'
    : `${count.toLocaleString('en-US')} rows have nothing in any of their cells, and are left out`

const SEPARATORS = [',', ';', '\t']
const QUOTED_CELLS = /"[^"]*"/g
/** The first line that is not blank. A quoted cell may have line ends in it. */
const HEADER = /(?:"[^"]*"|[^"\r\n])+/

/** What stands in the header outside of quotes. */
const readUnquoted = (head: string): string => HEADER.exec(head)?.[0].replaceAll(QUOTED_CELLS, '') ?? ''

/** The separator that the header has most of, outside of its quotes. Spreadsheets of some countries write semicolons. */
export function detectSeparator(head: string): string {
  const stated = SEPARATOR_LINE.exec(head)?.[1]
  if (stated !== undefined) return stated
  const header = readUnquoted(head)
  const counts = SEPARATORS.map(separator => header.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Says that a separator which the sender states is not that of the header, where another one is. */
export function findSeparatorFault(head: string, stated: string): string | undefined {
  const header = readUnquoted(head.replace(SEPARATOR_LINE, ''))
  const found = detectSeparator(head)
  const count = header.split(found).length - 1
  if (header.includes(stated) || count === 0) return undefined
  return `the header has no ${formatSeparator(stated)}, and ${count === 1 ? 'one' : `${count} times`} ${formatSeparator(found)}`
}

const formatSeparator = (separator: string): string => (separator === '\t' ? 'tab' : JSON.stringify(separator))

/** A header that is longer than that is told by what it begins with. */
const HEADER_CHARACTERS_MAX = 65_536
const WHOLE_HEADER = /^[\r\n]*(?:"[^"]*"|[^"\r\n])+[\r\n]/

/** The separator of a text that is read once, and that text from its beginning on, as far as it was read in `head`. */
export async function findSeparator(
  texts: AsyncGenerator<string, void, undefined>,
): Promise<{ separator: string; head: string; text: AsyncGenerator<string, void, undefined> }> {
  let head = ''
  while (head.length < HEADER_CHARACTERS_MAX && !WHOLE_HEADER.test(head)) {
    const { done, value } = await texts.next()
    if (done) break
    head += value
  }
  async function* whole(): AsyncGenerator<string, void, undefined> {
    yield head
    yield* texts
  }
  return { separator: detectSeparator(head), head, text: whole() }
}

/** What some reader takes for the end of a cell, whichever separator the file has: it may have to find out which. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/

/** A cell of CSV (RFC 4180). */
export const formatCsvCell = (text: string, separator = ','): string =>
  NEEDS_QUOTES.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text

/** The line of cells that are formatted. A single empty one is quoted: readers pass over blank lines. */
export const joinCsvCells = (cells: readonly string[], separator = ',', end = '\n'): string =>
  `${cells.length === 1 && cells[0] === '' ? '""' : cells.join(separator)}${end}`

/** One row of CSV with its line end. */
export const formatCsvLine = (cells: readonly string[], separator?: string, end?: string): string =>
  joinCsvCells(
    cells.map(cell => formatCsvCell(cell, separator)),
    separator,
    end,
  )
