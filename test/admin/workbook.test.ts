import { formatNumber, getNumberKind } from 'import-file/workbook/number-formats'
import { openWorkbook } from 'import-file/workbook/xlsx'
import { readZipDirectory, readZipText } from 'import-file/workbook/zip'
import { describe, expect, it } from 'vitest'
import { openTable, rowsIn } from '../../src/admin/process/import/csv-file.ts'
import { buildWorkbook, plainRows, zip } from '../support/workbook.ts'

const toFile = (bytes: Uint8Array<ArrayBuffer>, name = 'orders.xlsx') => new File([bytes], name)

async function readCells(bytes: Uint8Array<ArrayBuffer>, sheet?: string): Promise<string[][]> {
  const csv = await openTable(toFile(bytes), sheet)
  const rows: string[][] = [csv.header]
  for await (const { cells } of rowsIn(csv)) rows.push(cells)
  return rows
}

const STYLES = `<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts>
  <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
  <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="165"/><xf numFmtId="10"/></cellXfs>`

describe('a workbook', () => {
  it('has texts, numbers, truth values, days, times, and the results of formulas', async () => {
    const sharedStrings =
      '<si><t>Name</t></si><si><r><t>Ol</t></r><r><t xml:space="preserve">af &amp; Co </t></r><rPh><t>no</t></rPh></si>'
    const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>City, &lt;or&gt; place</t></is></c>
        <c r="C1" t="str"><v>Day</v></c><c r="D1" t="str"><v>At</v></c><c r="E1" t="str"><v>Time</v></c><c r="F1" t="str"><v>Amount</v></c>
        <c r="G1" t="str"><v>Hot</v></c><c r="H1" t="str"><v>Length</v></c><c r="I1" t="str"><v>Share</v></c></row>
      <row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" t="str"><f>"Os"&amp;"lo"</f><v>Oslo</v></c><c r="C2" s="1"><v>46387</v></c>
        <c r="D2" s="2"><v>46387.354166666664</v></c><c r="E2" s="3"><v>0.3541666666666667</v></c><c r="F2"><f>A1</f><v>1.234</v></c>
        <c r="G2" t="b"><v>1</v></c><c r="H2" s="4"><v>1.5</v></c><c r="I2" s="5"><v>0.30000000000000004</v></c></row>
      <row r="3"><c r="A3" t="str"><v>#N/A</v></c><c r="F3"><v>919448100009</v></c><c r="G3" t="b"><v>0</v></c></row>`
    expect(await readCells(await buildWorkbook({ sheets: { Orders: rows }, sharedStrings, styles: STYLES }))).toEqual([
      ['Name', 'City, <or> place', 'Day', 'At', 'Time', 'Amount', 'Hot', 'Length', 'Share'],
      ['Olaf & Co ', 'Oslo', '2026-12-31', '2026-12-31 08:30', '08:30', '1.234', 'true', '1.5', '0.3'],
      ['#N/A', '', '', '', '', '919448100009', 'false', '', ''],
    ])
  })

  it('may leave out rows and cells, have empty ones, and prefixes before its tags', async () => {
    const rows = `<x:row r="2"><x:c r="B2" t="str"><x:v>id</x:v></x:c><x:c r="C2" s="1"/></x:row>
      <x:row r="5"><x:c r="B5"><x:v>7</x:v></x:c></x:row><x:row r="6"><x:c r="B6"/></x:row><x:row r="9"/>`
    const csv = await openTable(toFile(await buildWorkbook({ sheets: { Only: rows } })))
    expect([csv.header, csv.first]).toEqual([['', 'id'], [{ line: 5, cells: ['', '7'] }]])
  })

  it('has sections and comments with any signs in them, however long they are', async () => {
    const text = 'a > b & c, '.repeat(9_000).trim()
    const nths = [1, 2, 3, 4, 5, 6]
    const rows = nths.map(
      nth => `<!-- ${text} --><row r="${nth}"><c t="str"><v><![CDATA[${nth} ${text}]]></v></c></row>`,
    )
    const cells = await readCells(await buildWorkbook({ sheets: { Only: rows.join('') } }))
    expect(cells.map(([cell], nth) => cell === `${nths[nth]} ${text}`)).toEqual(nths.map(() => true))
  })

  it('numbers its rows as the sheet does, whatever line breaks are in cells and whichever rows are empty', async () => {
    const rows = `${plainRows([['id', 'two\nlines'], ['1', 'a\n\nb'], [], ['', ''], ['2', 'c']])}<row r="9"><c><v>3</v></c></row>`
    const csv = await openTable(toFile(await buildWorkbook({ sheets: { Only: rows } })))
    const lines: number[] = []
    for await (const { line } of rowsIn(csv)) lines.push(line)
    expect([lines, csv.first.map(({ line }) => line)]).toEqual([
      [2, 5, 9],
      [2, 5, 9],
    ])
  })

  it('is refused with the cells whose formulas have no saved value, which are not empty', async () => {
    const cell = (at: string) => `<c r="${at}"><f>A1</f><v></v></c>`
    const read = (rows: string) =>
      buildWorkbook({ sheets: { A: `${plainRows([['id', 'city']])}${rows}` } }).then(readCells)
    await expect(read(`<row r="3"><c r="A3"><v>1</v></c><c r="AB3"><f>A1</f></c></row>`)).rejects.toThrow(
      'orders.xlsx can’t be read: the formula of AB3 has no saved value: open the workbook in a spreadsheet program, save it, and send it again',
    )
    const many = [2, 3, 4, 5]
      .map(row => `<row r="${row}">${cell(`A${row}`)}<c><f t="shared" si="0"/></c></row>`)
      .join('')
    await expect(read(many)).rejects.toThrow('the formulas of A2, B2, A3, B3, A4 and 3 more have no saved value')
    // The value of such a formula is an empty text, or nought.
    const saved = '<row r="2"><c t="str"><f>""</f><v></v></c><c><f>A1</f><v>0</v></c></row>'
    expect(await read(saved)).toEqual([
      ['id', 'city'],
      ['', '0'],
    ])
  })

  it('is refused with the cells that are errors, which are no texts', async () => {
    const read = (cells: string) =>
      buildWorkbook({ sheets: { A: `${plainRows([['id', 'city']])}<row r="2">${cells}</row>` } }).then(readCells)
    await expect(read('<c r="A2"><v>1</v></c><c r="B2" t="e"><f>A1/0</f><v>#DIV/0!</v></c>')).rejects.toThrow(
      'orders.xlsx can’t be read: the cell B2 (#DIV/0!) is an error, and no value: correct or empty it, save the workbook, and send it again',
    )
    await expect(read('<c r="A2" t="e"><v>#N/A</v></c><c r="B2" t="e"><v>#REF!</v></c>')).rejects.toThrow(
      'the cells A2 (#N/A), B2 (#REF!) are errors, and no value: correct or empty them,',
    )
  })

  it('is read from its first sheet, or from the one that is named', async () => {
    const sheets = { Orders: plainRows([['id'], [1]]), 'Two &amp; more': plainRows([['other'], [2]]) }
    const bytes = await buildWorkbook({ sheets })
    expect(await readCells(bytes)).toEqual([['id'], ['1']])
    expect(await readCells(bytes, 'Two & more')).toEqual([['other'], ['2']])
    const { workbook } = await openTable(toFile(bytes))
    expect([workbook?.sheet, workbook?.sheets]).toEqual(['Orders', ['Orders', 'Two & more']])
    await expect(openTable(toFile(bytes), 'Three')).rejects.toThrow(
      'orders.xlsx can’t be read: it has no sheet "Three": there are "Orders", "Two & more"',
    )
  })

  it('is read from the first sheet that is not hidden, or from a hidden one that is named', async () => {
    const sheets = { Codes: plainRows([['code'], [1]]), Orders: plainRows([['id'], [2]]) }
    const bytes = await buildWorkbook({ sheets, hidden: ['Codes'] })
    expect(await readCells(bytes)).toEqual([['id'], ['2']])
    expect(await readCells(bytes, 'Codes')).toEqual([['code'], ['1']])
    expect(await readCells(await buildWorkbook({ sheets, hidden: ['Codes', 'Orders'] }))).toEqual([['code'], ['1']])
  })

  it('is refused with cells that are merged over rows, whose value only the first row has', async () => {
    const rows = '<row r="2"><c t="str"><v>id</v></c><c t="str"><v>city</v></c></row><row r="3"><c><v>1</v></c></row>'
    const read = (merged: string[]) => buildWorkbook({ sheets: { A: rows }, merged }).then(readCells)
    await expect(read(['A1:B1', 'B3:B9', 'A2:A3'])).rejects.toThrow(
      'orders.xlsx can’t be read: the cells B3:B9, A2:A3 are merged, so that only the first row has their value: separate them, fill each row, save the workbook, and send it again',
    )
    // A title above, and cells of one row.
    expect(await read(['A1:B1', 'A1:A2', 'A3:B3'])).toEqual([
      ['id', 'city'],
      ['1', ''],
    ])
  })

  it('counts its days from 1904 if it is of an old Mac', async () => {
    const rows = `${plainRows([['day']])}<row r="2"><c s="1"><v>44925</v></c></row>`
    expect(await readCells(await buildWorkbook({ sheets: { A: rows }, styles: STYLES, isFrom1904: true }))).toEqual([
      ['day'],
      ['2026-12-31'],
    ])
  })
})

describe('a file that is no workbook, or too large', () => {
  const rejected = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
    const error = await readCells(bytes).catch((thrown: Error) => thrown)
    return error instanceof Error ? error.message.replace('orders.xlsx can’t be read: ', '') : 'was read'
  }

  it('is refused in a sentence', async () => {
    expect(await rejected(new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0, 0]))).toMatch(/^it is no \.xlsx file/)
    expect(await rejected(await zip({ 'word/document.xml': '<document/>' }))).toBe('it is a zip file, and no workbook')
    const whole = await buildWorkbook({ sheets: { A: plainRows([['id'], [1]]) } })
    expect(await rejected(whole.slice(0, whole.length - 30))).toMatch(/^it is no \.xlsx file/)
    const broken = whole.slice()
    broken.fill(0, 30, 400)
    expect(await rejected(broken)).toMatch(/damaged|no workbook/)
  })

  it('is not unpacked beyond a bound, whatever size it states', async () => {
    const file = new Blob([await zip({ a: 'x'.repeat(3_000_000) })])
    expect(file.size).toBeLessThan(10_000)
    const entry = (await readZipDirectory(file)).get('a') ?? expect.fail('the part is not found')
    const read = async (bytesMax: number): Promise<number> => {
      let characters = 0
      for await (const text of readZipText(file, entry, bytesMax)) characters += text.length
      return characters
    }
    expect(await read(3_000_000)).toBe(3_000_000)
    await expect(read(2_000_000)).rejects.toThrow('more than 2 MB are packed in it')
  })

  it('makes no table that is many times as large as the file', async () => {
    const far = '<row r="1"><c><v>1</v></c></row><row r="1048577"><c><v>1</v></c></row>'
    expect(await rejected(await buildWorkbook({ sheets: { A: far } }))).toBe(
      'a row has a number that no spreadsheet has: 1048577',
    )
    const long = (characters: number, rows: number) =>
      buildWorkbook({
        sheets: { A: '<row><c t="s"><v>0</v></c></row>'.repeat(rows) },
        sharedStrings: `<si><t>${'x'.repeat(characters)}</t></si>`,
      })
    expect(await rejected(await long(100_001, 2))).toBe('row 1 has a text of more than 100000 characters')
    expect(await rejected(await long(99_000, 2_600))).toMatch(/^the sheet has more than 256 MB/)
  })

  it('is not read in part: a missing text or end is an error', async () => {
    const missing = plainRows([['id'], [1]]).replace('<c><v>1</v></c>', '<c t="s"><v>7</v></c>')
    expect(await rejected(await buildWorkbook({ sheets: { A: missing }, sharedStrings: '<si><t>a</t></si>' }))).toMatch(
      /damaged/,
    )
    expect(await rejected(await buildWorkbook({ sheets: { A: `${plainRows([['id'], [1]])}<!--` } }))).toMatch(/damaged/)
  })

  it('may not have an endless name or format', async () => {
    const named = `${plainRows([['id'], [1]])}<${'a'.repeat(900_000)}`
    expect(await readCells(await buildWorkbook({ sheets: { A: named } }))).toHaveLength(2)
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="${'['.repeat(900_000)}"/></numFmts>`
    expect(await readCells(await buildWorkbook({ sheets: { A: plainRows([['id'], [1]]) }, styles }))).toHaveLength(2)
  })

  it('may not have a row of thousands of columns, or an endless tag', async () => {
    const wide = '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>'
    expect(await rejected(await buildWorkbook({ sheets: { A: wide } }))).toBe('row 1 has more than 1000 columns')
    const endless = `<row r="1"><c r="A1" t="str"><v>${'<'.repeat(1_100_000)}`
    expect(await rejected(await buildWorkbook({ sheets: { A: endless } }))).toBe('it has a part that is no XML')
  })
})

it('a workbook distinguishes days and times from other numbers by their formats', () => {
  const kinds = ['yyyy-mm-dd', 'd. mmm', 'mm/yy', 'hh:mm:ss', 'h:mm AM/PM', '[h]:mm', '0.00', '#,##0 "Tage"', '[Red]0']
  expect(kinds.map(code => getNumberKind(164, code))).toEqual([
    'day',
    'day',
    'day',
    'time',
    'time',
    'number',
    'number',
    'number',
    'number',
  ])
  expect([14, 22, 20, 46, 0, 9, 44].map(id => getNumberKind(id, undefined))).toEqual([
    'day',
    'day',
    'time',
    'number',
    'number',
    'number',
    'number',
  ])
  expect([1, 59, 61, 46_387.5].map(value => formatNumber(value, 'day', false))).toEqual([
    '1900-01-01',
    '1900-02-28',
    '1900-03-01',
    '2026-12-31 12:00',
  ])
})

it('a whole number keeps the digits that were written', async () => {
  const rows = `${plainRows([['id']])}<row><c><v>4929123456789012</v></c></row><row><c><v>1789012345678901234</v></c></row>
    <row><c><v>1.7890123456789E+18</v></c></row><row><c><v>-12</v></c></row>`
  expect(await readCells(await buildWorkbook({ sheets: { A: rows } }))).toEqual([
    ['id'],
    ['4929123456789012'],
    ['1789012345678901234'],
    ['1789012345678900000'],
    ['-12'],
  ])
})

it('a cell that refers to no text is empty', async () => {
  const rows = '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c t="s"/><c t="s"><v>1</v></c></row>'
  const sharedStrings = '<si><t>first</t></si><si><t>second</t></si>'
  expect(await readCells(await buildWorkbook({ sheets: { A: rows }, sharedStrings }))).toEqual([
    ['first', 'second'],
    ['', 'second'],
  ])
})

it('a number of a workbook is never one that can be read in two ways', async () => {
  const table = await openWorkbook(
    new Blob([await buildWorkbook({ sheets: { A: plainRows([['n'], [1.234], [1e21]]) } })]),
  )
  const lines: string[] = []
  for await (const line of table.lines()) lines.push(line)
  expect(lines).toEqual(['n\n', '1.234\n', '1e+21\n'])
})
