import { formatCsvLine } from '../csv.ts'
import { formatNumber, getNumberKind, type NumberKind } from './number-formats.ts'
import { getAttribute, readXml } from './xml.ts'
import { damaged, readZipDirectory, readZipText, WorkbookError, type ZipDirectory } from './zip.ts'

export { WorkbookError }

/** The API accepts a file of as many bytes. */
const PACKED_BYTES_MAX = 100_000_000
/** Of one part: a larger sheet is a CSV file sooner. */
const UNPACKED_BYTES_MAX = 256_000_000
const TEXTS_MAX = 5_000_000
const STYLES_MAX = 100_000
/** More a spreadsheet does not have. */
const ROWS_MAX = 1_048_576
const COLUMNS_MAX = 1_000
/** Spreadsheets have less. One text can stand in every cell, so that a small file makes a large table. */
const CELL_CHARACTERS_MAX = 100_000
const TABLE_CHARACTERS_MAX = 256_000_000
/** A format of numbers is no longer in a spreadsheet. */
const FORMAT_CHARACTERS_MAX = 255

interface Sheet {
  name: string
  part: string
  isHidden: boolean
}

/** A sheet of a workbook as CSV, and the names of all its sheets. */
interface WorkbookTable {
  sheets: string[]
  sheet: string
  /** The rows, read as they are asked for, with a blank line for each empty one: by its rows, the text has the sheet's numbers. */
  lines: () => AsyncGenerator<string, void, undefined>
}

interface Workbook {
  file: Blob
  parts: ZipDirectory
}

/**
 * Opens the first sheet of a workbook that is not hidden, or the one that is called so. It is no library's: of `read-excel-file`, `hucre` and
 * SheetJS none bounds what it unpacks and how wide a row is, and the first starts Workers that the security policy refuses.
 */
export async function openWorkbook(file: Blob, sheetName?: string): Promise<WorkbookTable> {
  if (file.size > PACKED_BYTES_MAX)
    throw new WorkbookError(`it has more than ${PACKED_BYTES_MAX / 1_000_000} MB: save the sheet as “CSV UTF-8”`)
  const workbook = { file, parts: await readZipDirectory(file) }
  const bookPart = await findBookPart(workbook)
  const targets = await readTargets(workbook, bookPart)
  const { sheets, isFrom1904 } = await readSheets(workbook, bookPart, targets)
  const names = sheets.map(({ name }) => name)
  const first = sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]
  const sheet = sheetName === undefined ? first : sheets.find(({ name }) => name === sheetName)
  if (!sheet) throw new WorkbookError(formatNoSheet(names, sheetName))
  const findPart = (kind: string) => [...targets.values()].find(({ type }) => type.endsWith(kind))?.target ?? ''
  const kinds = await readNumberKinds(workbook, findPart('/styles'))
  const texts = await readSharedTexts(workbook, findPart('/sharedStrings'))
  const lines = () => formatRows(readRows(workbook, sheet.part, { texts, kinds, isFrom1904 }))
  return { sheets: names, sheet: sheet.name, lines }
}

const formatNoSheet = (names: readonly string[], name: string | undefined): string =>
  name === undefined
    ? 'it has no sheet'
    : `it has no sheet ${JSON.stringify(name)}: there are ${names.map(each => JSON.stringify(each)).join(', ')}`

/** The tokens of a part; none where the part is missing. */
async function* readPart({ file, parts }: Workbook, name: string) {
  const entry = parts.get(name)
  if (entry !== undefined) yield* readXml(readZipText(file, entry, UNPACKED_BYTES_MAX))
}

const splitFolder = (part: string): [folder: string, name: string] => {
  const at = part.lastIndexOf('/') + 1
  return [part.slice(0, at), part.slice(at)]
}

type Targets = Map<string, { type: string; target: string }>

/** What a part refers to, by the ids of its relationships. */
async function readTargets(workbook: Workbook, part: string): Promise<Targets> {
  const [folder, name] = splitFolder(part)
  const targets: Targets = new Map()
  for await (const token of readPart(workbook, `${folder}_rels/${name}.rels`)) {
    if (token.type !== 'open' || token.name !== 'Relationship') continue
    const target = getAttribute(token.attributes, 'Target') ?? ''
    targets.set(getAttribute(token.attributes, 'Id') ?? '', {
      type: getAttribute(token.attributes, 'Type') ?? '',
      target: target.startsWith('/') ? target.slice(1) : `${folder}${target}`,
    })
  }
  return targets
}

async function findBookPart(workbook: Workbook): Promise<string> {
  const targets = [...(await readTargets(workbook, '')).values()]
  const found = targets.find(({ type }) => type.endsWith('/officeDocument'))?.target
  if (found === undefined || !workbook.parts.has(found)) throw new WorkbookError('it is a zip file, and no workbook')
  return found
}

async function readSheets(
  workbook: Workbook,
  bookPart: string,
  targets: Targets,
): Promise<{ sheets: Sheet[]; isFrom1904: boolean }> {
  const sheets: Sheet[] = []
  let isFrom1904 = false
  for await (const token of readPart(workbook, bookPart)) {
    if (token.type !== 'open') continue
    if (token.name === 'workbookPr') isFrom1904 = /^(1|true)$/.test(getAttribute(token.attributes, 'date1904') ?? '')
    if (token.name !== 'sheet') continue
    const id = /\bid\s*=\s*["']([^"']*)["']/.exec(token.attributes.replace(/\bsheetId\b/, ''))?.[1] ?? ''
    const found = targets.get(id)
    const isSheet = found?.type.endsWith('/worksheet')
    if (!found || !isSheet) continue
    const isHidden = /hidden/i.test(getAttribute(token.attributes, 'state') ?? '')
    sheets.push({ name: getAttribute(token.attributes, 'name') ?? '', part: found.target, isHidden })
  }
  return { sheets, isFrom1904 }
}

/** What the numbers of each style of cells stand for. */
async function readNumberKinds(workbook: Workbook, part: string): Promise<NumberKind[]> {
  const codes = new Map<number, string>()
  const kinds: NumberKind[] = []
  let isInCells = false
  for await (const token of readPart(workbook, part)) {
    if (token.type === 'text') continue
    if (token.name === 'cellXfs') isInCells = token.type === 'open'
    if (token.type === 'close') continue
    const id = Number(getAttribute(token.attributes, 'numFmtId') ?? 0)
    if (token.name === 'numFmt') codes.set(id, readFormatCode(token.attributes))
    if (token.name === 'xf' && isInCells && kinds.length < STYLES_MAX) kinds.push(getNumberKind(id, codes.get(id)))
  }
  return kinds
}

const readFormatCode = (attributes: string): string =>
  (getAttribute(attributes, 'formatCode') ?? '').slice(0, FORMAT_CHARACTERS_MAX)

/** The texts that cells refer to by their numbers. How Japanese is read aloud is no part of them. */
async function readSharedTexts(workbook: Workbook, part: string): Promise<string[]> {
  const texts: string[] = []
  let [text, isInText, isPhonetic] = ['', false, false]
  for await (const token of readPart(workbook, part)) {
    if (token.type === 'text') text += isInText && !isPhonetic ? token.text : ''
    else if (token.name === 't') isInText = token.type === 'open'
    else if (token.name === 'rPh') isPhonetic = token.type === 'open'
    else if (token.name === 'si' && token.type === 'open') text = ''
    else if (token.name === 'si') texts.push(decodeEscapes(text))
    if (texts.length > TEXTS_MAX) throw new WorkbookError('it has too many texts: save the sheet as “CSV UTF-8”')
  }
  return texts
}

/** What XML can't have in it, a workbook writes as _x000D_. */
const decodeEscapes = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-F]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text

interface CellTypes {
  texts: readonly string[]
  kinds: readonly NumberKind[]
  isFrom1904: boolean
}

interface SheetRow {
  number: number
  cells: string[]
}

/**
 * The rows that have anything in them. Of a formula there is the value that it had when the workbook was saved. Programs
 * that do not calculate save none: such a cell is not empty, and what it would say nobody here knows. Nor are cells empty that
 * are merged with one of a row above.
 */
async function* readRows(
  workbook: Workbook,
  part: string,
  types: CellTypes,
): AsyncGenerator<SheetRow, void, undefined> {
  let row: SheetRow = { number: 0, cells: [] }
  let [column, attributes, text, isInText, isPhonetic, isFormula] = [0, '', '', false, false, false]
  let headerRow = 0
  const [unsaved, failed, merged] = [collectCells(), collectCells(), collectCells()]
  for await (const token of readPart(workbook, part)) {
    if (token.type === 'text') {
      if (isInText && !isPhonetic) text += token.text
    } else if (token.type === 'open') {
      if (token.name === 'row') {
        row = { number: readRowNumber(token.attributes, row.number), cells: [] }
        column = 0
      } else if (token.name === 'c') {
        attributes = token.attributes
        column = readColumn(getAttribute(attributes, 'r')) ?? column + 1
        ;[text, isFormula] = ['', false]
      } else if (token.name === 'f') isFormula = true
      else if (token.name === 'v' || token.name === 't') isInText = true
      else if (token.name === 'rPh') isPhonetic = true
      else if (token.name === 'mergeCell') {
        const range = getAttribute(token.attributes, 'ref') ?? ''
        const [first = 0, last = 0] = (range.match(/\d+/g) ?? []).map(Number)
        if (last > Math.max(first, headerRow)) merged.add(range)
      }
    } else if (token.name === 'v' || token.name === 't') isInText = false
    else if (token.name === 'rPh') isPhonetic = false
    else if (token.name === 'c') {
      // A formula whose value is an empty text is saved as one of the type "str".
      const type = getAttribute(attributes, 't')
      if (type === 'e') failed.add(formatPlace(column, row), text)
      else if (isFormula && text === '' && type !== 'str') unsaved.add(formatPlace(column, row))
      setCell(row, column, formatValue(attributes, text, types))
    } else if (token.name === 'row' && row.cells.length > 0) {
      headerRow ||= row.number
      yield row
    } else if (token.name === 'sheetData') {
      unsaved.refuse(UNSAVED)
      failed.refuse(FAILED)
    } else if (token.name === 'worksheet') {
      merged.refuse(MERGED)
      return
    }
  }
  throw damaged()
}

const CELLS_NAMED = 5

const UNSAVED = (cells: string, isOne: boolean): string =>
  `${isOne ? `the formula of ${cells} has` : `the formulas of ${cells} have`} no saved value: open the workbook in a spreadsheet program, save it, and send it again`

const FAILED = (cells: string, isOne: boolean): string =>
  `${isOne ? `the cell ${cells} is an error` : `the cells ${cells} are errors`}, and no value: correct or empty ${isOne ? 'it' : 'them'}, save the workbook, and send it again`

const MERGED = (cells: string): string =>
  `the cells ${cells} are merged, so that only the first row has their value: separate them, fill each row, save the workbook, and send it again`

/** Cells by which a sheet is refused once all of them are known; each may have a text that says why. */
function collectCells() {
  const named: string[] = []
  let count = 0
  return {
    add(place: string, text = '') {
      count += 1
      const why = text === '' ? '' : ` (${text})`
      if (named.length < CELLS_NAMED) named.push(`${place}${why}`)
    },
    refuse(describe: (cells: string, isOne: boolean) => string) {
      if (count === 0) return
      const others = count - named.length
      const cells = others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} more`
      throw new WorkbookError(describe(cells, count === 1))
    },
  }
}

function readRowNumber(attributes: string, before: number): number {
  const number = Number(getAttribute(attributes, 'r') ?? before + 1)
  if (number >= 1 && number <= ROWS_MAX) return number
  throw new WorkbookError(`a row has a number that no spreadsheet has: ${number}`)
}

function setCell({ number, cells }: SheetRow, column: number, value: string): void {
  if (value === '') return
  if (column > COLUMNS_MAX) throw new WorkbookError(`row ${number} has more than ${COLUMNS_MAX} columns`)
  if (value.length > CELL_CHARACTERS_MAX)
    throw new WorkbookError(`row ${number} has a text of more than ${CELL_CHARACTERS_MAX} characters`)
  while (cells.length < column - 1) cells.push('')
  cells[column - 1] = value
}

const LETTERS = 26
const BEFORE_A = 64

/** AB12 is in the column 28. */
function readColumn(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  return [...letters].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - BEFORE_A, 0)
}

/** The column 28 is AB. */
const formatColumn = (column: number): string =>
  column === 0
    ? ''
    : formatColumn(Math.floor((column - 1) / LETTERS)) + String.fromCharCode(BEFORE_A + 1 + ((column - 1) % LETTERS))

const formatPlace = (column: number, { number }: SheetRow): string => `${formatColumn(column)}${number}`

function formatValue(attributes: string, text: string, { texts, kinds, isFrom1904 }: CellTypes): string {
  const type = getAttribute(attributes, 't')
  if (type === 's') return text === '' ? '' : getSharedText(texts, text)
  if (type === 'b') return text === '' ? '' : String(text === '1' || text === 'true')
  const value = Number(text)
  if ((type !== undefined && type !== 'n') || text === '' || !Number.isFinite(value)) return decodeEscapes(text)
  const kind = kinds[Number(getAttribute(attributes, 's') ?? -1)] ?? 'number'
  return kind === 'number' && WHOLE_NUMBER.test(text) ? text : formatNumber(value, kind, isFrom1904)
}

/** Digits that were written are no noise of arithmetic: programs write ids of 16 and more, where a spreadsheet has an exponent. */
const WHOLE_NUMBER = /^(?:0|-?[1-9]\d*)$/

/** A cell whose text is missing is not empty. */
function getSharedText(texts: readonly string[], number: string): string {
  const text = texts[Number(number)]
  if (text === undefined) throw damaged()
  return text
}

/** As CSV, each row in its line and as wide as the first one: what is empty at its end is left out in a workbook. */
async function* formatRows(rows: AsyncIterable<SheetRow>): AsyncGenerator<string, void, undefined> {
  let [written, width, characters] = [0, 0, 0]
  for await (const { number, cells } of rows) {
    width ||= cells.length
    while (cells.length < width) cells.push('')
    const line = '\n'.repeat(Math.max(0, number - written - 1)) + formatCsvLine(cells)
    characters += line.length
    if (characters > TABLE_CHARACTERS_MAX)
      throw new WorkbookError(`the sheet has more than ${TABLE_CHARACTERS_MAX / 1_000_000} MB: save it as “CSV UTF-8”`)
    yield line
    written = Math.max(number, written + 1)
  }
}
