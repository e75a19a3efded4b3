import fc from 'fast-check'
import { formatNumber, normalizeCell, parseCell, proposeForm } from 'import-file/cells'
import { chooseForms } from 'import-file/forms'
import { decodeText, detectEncoding } from 'import-file/stream'
import { expect, test } from 'vitest'
import { findFaultColumn } from '../../src/admin/process/import/failures.ts'
import { attribute, definition } from './definition.ts'

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const visit = definition({
  attributes: [
    attribute('day', { type: 'date' }),
    attribute('amount', { type: 'float' }),
    attribute('source', { type: 'stringEnum', values: ['website', 'Walk in'] }),
    attribute('note'),
  ],
})
const two = (number: number) => String(number).padStart(2, '0')

test('a day is the same day in each of its written forms', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), date => {
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
      const iso = `${year}-${two(month)}-${two(day)}`
      const read = (text: string, form: Parameters<typeof normalizeCell>[3]) => normalizeCell(visit, 'day', text, form)
      expect(read(iso, 'asIs')).toBe(iso)
      expect(read(iso, 'dayMonthYear')).toBe(iso)
      for (const separator of ['.', '/', '-']) {
        expect(read([day, month, year].join(separator), 'dayMonthYear')).toBe(iso)
        expect(read([two(month), two(day), year].join(separator), 'monthDayYear')).toBe(iso)
      }
    }),
  )
})

test.each(['31.02.2026', '00.01.2026', '1.13.2026', 'tomorrow', '1.1.26', '2026-02-30', '1.1.2026 25:00'])(
  'a malformed day, %s, is left as it is, to be refused',
  text => expect(normalizeCell(visit, 'day', text, 'dayMonthYear')).toBe(text),
)

test('a time without a zone is in the zone of the reader', () => {
  const at = new Date(2026, 11, 31, 9, 30).toISOString()
  expect(normalizeCell(visit, 'nextActionAt', '31.12.2026 09:30', 'dayMonthYear')).toBe(at)
  expect(normalizeCell(visit, 'nextActionAt', '2026-12-31 09:30', 'asIs')).toBe(at)
  expect(normalizeCell(visit, 'nextActionAt', '2026-12-31T09:30:00Z', 'asIs')).toBe('2026-12-31T09:30:00Z')
  expect(normalizeCell(visit, 'nextActionAt', '1795276206000', 'dayMonthYear')).toBe('1795276206000')
})

test('the form of days follows from a cell that can be read in one way only', () => {
  expect(proposeForm(visit, 'day', ['1.2.2026', ''])).toBe('dayMonthYear')
  expect(proposeForm(visit, 'day', ['1/2/2026', '3/25/2026'])).toBe('monthDayYear')
  expect(proposeForm(visit, 'day', ['1/2/2026', '25/3/2026'])).toBe('dayMonthYear')
  expect(proposeForm(visit, 'day', ['2026-02-01'])).toBe('asIs')
  expect(proposeForm(visit, 'note', ['1.2.2026'])).toBe('asIs')
})

test('numbers with a comma are read as such only in a column of numbers', () => {
  expect(proposeForm(visit, 'amount', ['1.234,5', '7'])).toBe('decimalComma')
  expect(proposeForm(visit, 'amount', ['1234.5'])).toBe('asIs')
  expect(proposeForm(visit, 'note', ['1,5'])).toBe('asIs')
  expect(normalizeCell(visit, 'amount', '1.234,5', 'decimalComma')).toBe('1234.5')
  expect(normalizeCell(visit, 'amount', '-7,25', 'decimalComma')).toBe('-7.25')
  expect(normalizeCell(visit, 'amount', '12', 'decimalComma')).toBe('12')
})

test('a number is written so that it is read as itself, alone in its table, with or without a stated form', () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -9_999_999, max: 9_999_999 }).map(number => number / 1_000),
    fc.maxSafeInteger(),
  )
  fc.assert(
    fc.property(
      numbers,
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom(';', '\t'),
      (number, hasComma, isTold, separator) => {
        const cell = formatNumber(String(number), { hasComma })
        const told = { decimal: isTold ? (hasComma ? 'decimalComma' : 'decimalPoint') : undefined } as const
        const sample = { header: ['amount'], targets: ['amount'], rows: [{ cells: [cell] }], separator }
        const { forms, unclear } = chooseForms(visit, sample, told)
        expect(unclear).toEqual([])
        const text = normalizeCell(visit, 'amount', cell, forms[0] ?? 'asIs')
        expect(parseCell({ type: 'float' }, text)).toBe(Object.is(number, -0) ? 0 : number)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a value of a list is recognised however it is capitalized', () => {
  expect(normalizeCell(visit, 'source', 'WEBSITE', 'asIs')).toBe('website')
  expect(normalizeCell(visit, 'source', 'walk in', 'asIs')).toBe('Walk in')
  expect(normalizeCell(visit, 'source', 'boat', 'asIs')).toBe('boat')
})

test('a fault is shown at the first column whose name it contains as a whole word', () => {
  const targets = ['source', 'day', '', 'note']
  expect(findFaultColumn({ targets, header: targets }, '"day" must be a date')).toBe(1)
  expect(findFaultColumn({ targets, header: targets }, 'there is no daytime in note, nor in day')).toBe(3)
  expect(findFaultColumn({ targets, header: ['Source', 'Day', '', 'Note'] }, '"Day" has "03/04"')).toBe(1)
  expect(findFaultColumn({ targets, header: targets }, 'the row has 2 cells')).toBeUndefined()
})

test.each([
  ['utf-8', new TextEncoder().encode('a,b\nä,€')],
  ['windows-1252', new Uint8Array([0x61, 0x2c, 0xe4, 0x0a])],
  ['utf-16le', new Uint8Array([0xff, 0xfe, 0x61, 0x00])],
  ['utf-16be', new Uint8Array([0xfe, 0xff, 0x00, 0x61])],
] as const)('a file in %s is recognised as such', async (encoding, bytes) => {
  expect(await detectEncoding('a.csv', pieces(bytes))).toBe(encoding)
})

test('one broken byte does not change the encoding of a file, and only its row is unreadable', async () => {
  const utf8 = new TextEncoder()
  const bytes = new Uint8Array([...utf8.encode('a\nMünchen\nKöln\nx'), 0xff, ...utf8.encode('\nÅre\n')])
  expect(await detectEncoding('a.csv', pieces(bytes))).toBe('utf-8')
  let text = ''
  for await (const piece of decodeText(pieces(bytes), 'utf-8')) text += piece
  const lines = text.trimEnd().split('\n')
  expect(lines.map(line => line.isWellFormed())).toEqual([true, true, true, false, true])
  expect(lines.filter(line => line.isWellFormed())).toEqual(['a', 'München', 'Köln', 'Åre'])
})

test('Windows-1252 is read by its own table, whatever the machine takes it for', async () => {
  let text = ''
  for await (const piece of decodeText(pieces(new Uint8Array([0x80, 0x20, 0x8e, 0xfc, 0x96])), 'windows-1252'))
    text += piece
  expect(text).toBe('€ Žü–')
})

test('a workbook is no text', async () => {
  await expect(detectEncoding('a.xlsx', pieces(new Uint8Array([0x50, 0x4b, 3, 4, 0, 0])))).rejects.toThrow(
    'a.xlsx is not a text file',
  )
})
