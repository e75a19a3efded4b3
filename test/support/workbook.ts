interface WorkbookParts {
  /** The rows of each sheet, as XML. */
  sheets: Readonly<Record<string, string>>
  /** The names of those that are hidden. */
  hidden?: readonly string[]
  /** Ranges of cells that are merged, in each sheet. */
  merged?: readonly string[]
  sharedStrings?: string
  styles?: string
  /** Days are counted from 1904, as an old Mac did. */
  isFrom1904?: boolean
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook as a spreadsheet saves it: a zip file of XML. */
export function buildWorkbook({
  sheets,
  hidden = [],
  merged = [],
  sharedStrings = '',
  styles = '',
  isFrom1904 = false,
}: WorkbookParts) {
  const names = Object.keys(sheets)
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
  return zip({
    '[Content_Types].xml': `${HEAD}<Types/>`,
    '_rels/.rels': `${HEAD}<Relationships>${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns:r="${RELATIONS}"><workbookPr${isFrom1904 ? ' date1904="1"' : ''}/><sheets>${names
      .map(
        (name, at) =>
          `<sheet name="${name}" sheetId="${at + 4}"${hidden.includes(name) ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships>${names
      .map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`))
      .join(
        '',
      )}${relation('rId90', 'styles', 'styles.xml')}${relation('rId91', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${HEAD}<worksheet><sheetData>${rows}</sheetData><mergeCells>${merged.map(range => `<mergeCell ref="${range}"/>`).join('')}</mergeCells></worksheet>`,
      ]),
    ),
    'xl/styles.xml': `${HEAD}<styleSheet>${styles}</styleSheet>`,
    'xl/sharedStrings.xml': `${HEAD}<sst>${sharedStrings}</sst>`,
  })
}

/** Rows of texts and numbers. */
export const plainRows = (rows: readonly (readonly (string | number)[])[]): string =>
  rows
    .map(
      (cells, at) =>
        `<row r="${at + 1}">${cells
          .map(cell =>
            typeof cell === 'number' ? `<c><v>${cell}</v></c>` : `<c t="inlineStr"><is><t>${cell}</t></is></c>`,
          )
          .join('')}</row>`,
    )
    .join('')

const DEFLATED = 8
const utf8 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text))

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}

/** Numbers of two and of four bytes at their places. */
function fields(length: number, two: Readonly<Record<number, number>>, four: Readonly<Record<number, number>>) {
  const view = new DataView(new ArrayBuffer(length))
  for (const [at, value] of Object.entries(two)) view.setUint16(Number(at), value, true)
  for (const [at, value] of Object.entries(four)) view.setUint32(Number(at), value, true)
  return new Uint8Array(view.buffer)
}

export async function zip(parts: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> {
  const files: Uint8Array<ArrayBuffer>[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let [at, listed] = [0, 0]
  for (const [name, text] of Object.entries(parts)) {
    const [named, packed] = [utf8(name), await deflate(utf8(text))]
    // Some programs write without looking back: the sizes are in the directory alone.
    files.push(fields(30, { 6: 8, 8: DEFLATED, 26: named.length }, { 0: 0x0403_4b50 }), named, packed)
    directory.push(fields(46, { 10: DEFLATED, 28: named.length }, { 0: 0x0201_4b50, 20: packed.length, 42: at }), named)
    at += 30 + named.length + packed.length
    listed += 46 + named.length
  }
  const end = fields(22, { 10: Object.keys(parts).length }, { 0: 0x0605_4b50, 12: listed, 16: at })
  return new Uint8Array(await new Blob([...files, ...directory, end]).arrayBuffer())
}
