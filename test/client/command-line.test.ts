import { describe, expect, it, test } from 'vitest'
import type { Call } from '../../src/client/call/call.ts'
import { CaseworkerError, type Job, type Plan, type PlannedEntry, type Procedure } from '../../src/client/client.ts'
import { getJson, parseJsonFile } from '../../src/client/command-line/command/options.ts'
import { adviseOnRows } from '../../src/client/command-line/failed-row-advice.ts'
import { formatPlannedEntry, formatSummary } from '../../src/client/command-line/job-plan.ts'
import { describeUncounted } from '../../src/client/command-line/messages.ts'
import {
  createProgressReporter,
  formatDuration,
  formatProgress,
  formatProgressBar,
} from '../../src/client/command-line/output/progress.ts'
import { formatCell, getValue, isTimeField, layOutTable } from '../../src/client/command-line/output/rows.ts'
import { quoteSent } from '../../src/client/command-line/quote-sent.ts'
import { withoutHeader } from '../../src/client/command-line/results.ts'
import { listRecipients, summarizeSend } from '../../src/client/command-line/send-check.ts'
import type { UpdateProcessByIdBody } from '../../src/client/generated/bodies.ts'
import { createJobsClient } from '../../src/client/jobs.ts'
import { findAmbiguity, parseCell } from '../../src/import-file/cells.ts'
import { getReadOnlyColumns, type ImportMode, proposeTargets } from '../../src/import-file/columns.ts'
import { detectSeparator, formatCsvLine, parseCsv, type Row } from '../../src/import-file/csv.ts'
import { findItemFault, trackMissingKeys, trackRepeatedKeys } from '../../src/import-file/faults.ts'
import { findHeaderFault, findHeaderFaults } from '../../src/import-file/header.ts'
import { createRowParser, FIELDS, findJsonFault, toItem } from '../../src/import-file/items.ts'
import { nameAsHeading } from '../../src/refusal-text.ts'
import { collected } from '../support/client.ts'
import { createRandom } from '../support/random.ts'
import { SEED } from '../support/seed.ts'

async function* pieces(text: string, size = text.length): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}
const readCells = async (text: string, size?: number) =>
  (await collected(parseCsv(pieces(text, size)))).map(row => row.cells)

describe('a CSV file', () => {
  it.each<[string, string, string[][]]>([
    [
      'is rows of cells',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['needs no last line end', 'a\r\n1', [['a'], ['1']]],
    [
      'may quote commas, quotes and line ends',
      '"a,1","say ""x""","two\r\nlines"\n',
      [['a,1', 'say "x"', 'two\r\nlines']],
    ],
    [
      'may have empty cells, the last one, too',
      'a,,c,\n,\n',
      [
        ['a', '', 'c', ''],
        ['', ''],
      ],
    ],
    ['may have empty text in quotes', '""\n"",""\n', [[''], ['', '']]],
    ['loses its blank lines and its byte order mark', '\ufeffa\n\n\r\n1\n', [['a'], ['1']]],
    ['may be of an old machine', 'a\rb\r', [['a'], ['b']]],
    ['keeps spaces and letters of any alphabet', ' a ,ñ🙂\n', [[' a ', 'ñ🙂']]],
    ['may be empty', '', []],
  ])('%s', async (_, text, rows) => {
    expect(await readCells(text)).toEqual(rows)
    expect(await readCells(text, 1)).toEqual(await readCells(text))
  })

  it('is read back as any values were written', async () => {
    const letters = ['a', '"', ',', '\n', '\r', ' ', '🙂', '']
    const random = createRandom(SEED)
    const below = (max: number) => random.whole(0, max - 1)
    for (let run = 0; run < 300; run++) {
      const rows = Array.from({ length: 1 + below(4) }, () =>
        Array.from({ length: 2 }, () =>
          Array.from({ length: below(5) }, () => letters[below(letters.length)]).join(''),
        ),
      )
      const text = rows
        .map(row => row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(','))
        .join(below(2) ? '\n' : '\r\n')
      expect(await readCells(text, 1 + below(7)), JSON.stringify(text)).toEqual(rows)
    }
  })

  it('is refused by line where its quotes do not fit', async () => {
    await expect(readCells('a\n"b\n')).rejects.toThrow('line 2')
    await expect(readCells('a\n"b"c\n')).rejects.toThrow('line 2')
    await expect(readCells('a\nb"c\n')).rejects.toThrow('line 2')
    await expect(readCells('"x\n\ny"\nb"c\n')).rejects.toThrow('line 4')
  })

  it('knows where each row begins', async () => {
    const rows: Row[] = await collected(parseCsv(pieces('a\n\n"b\r\nc"\r\nd\n')))
    expect(rows.map(({ line }) => line)).toEqual([1, 3, 5])
  })
})

const attribute = (shortId: string, type: Procedure['attributes'][number]['type']) => ({
  shortId,
  type,
  name: shortId,
  required: false,
  indexed: false,
})
const LEAD = {
  shortId: 'lead',
  primaryKey: 'lead_id',
  attributes: [attribute('lead_id', 'string'), attribute('score', 'integer'), attribute('hot', 'boolean')],
} as unknown as Procedure

describe('a cell', () => {
  it.each<[Procedure['attributes'][number]['type'], string, unknown]>([
    ['integer', '105', 105],
    ['float', '-1.5', -1.5],
    ['integer', '007', '007'],
    ['integer', '12345678901234567890', '12345678901234567890'],
    ['integer', 'many', 'many'],
    ['datetime', '1795276206000', 1795276206000],
    ['datetime', '2026-11-21T15:50:06Z', 1795276206000],
    ['datetime', '2026-11-21T21:20:06.000+05:30', 1795276206000],
    ['datetime', '2026-11-21T15:50:06', '2026-11-21T15:50:06'],
    ['datetime', '2026-11-21', '2026-11-21'],
    ['boolean', 'TRUE', true],
    ['boolean', 'Yes', true],
    ['boolean', '0', false],
    ['boolean', 'ja', 'ja'],
    ['boolean', 'constructor', 'constructor'],
    ['string', '105', '105'],
    ['date', '20261121', '20261121'],
    ['multiString', 'loan; card', ['loan', 'card']],
    ['multiIntegerEnum', '1;2', [1, 2]],
    ['multiString', '["a;b"]', ['a;b']],
    ['geolocation', '{"latitude": 1}', { latitude: 1 }],
    ['json', 'not json', 'not json'],
  ])('is read by its type %s: %s', (type, text, value) => {
    expect(parseCell({ type }, text)).toEqual(value)
  })

  it('is ignored if it is empty', () => {
    const header = ['lead_id', 'score', 'state', 'unknown']
    expect(toItem(LEAD, header, ['L1', '', 'WON', '5'], 'update')).toEqual({
      lead_id: 'L1',
      update: { state: 'WON', data: { unknown: '5' } },
    })
  })

  it('sets an attribute, a field, or the customer', () => {
    const header = ['lead_id', 'hot', 'assignedTo', 'nextActionAt', 'record.phone_number']
    expect(toItem(LEAD, header, ['L1', 'true', 'meera', '1795362606000', '919448300007'], 'create')).toEqual({
      data: { lead_id: 'L1', hot: true },
      assignedTo: 'meera',
      nextActionAt: 1795362606000,
      record: { data: { phone_number: '919448300007' } },
    })
    expect(toItem(LEAD, ['id', 'lead_id'], ['some-id', 'L2'], 'update')).toEqual({
      id: 'some-id',
      update: { data: { lead_id: 'L2' } },
    })
    expect(toItem(LEAD, ['id', 'isDeleted'], ['some-id', 'true'], 'update')).toEqual({
      id: 'some-id',
      update: { isDeleted: true },
    })
  })

  it('has a header that names its meaning', () => {
    expect(findHeaderFault(LEAD, ['lead_id', 'score'], 'update')).toBeUndefined()
    expect(findHeaderFault(LEAD, ['score'], 'create')).toBeUndefined()
    expect(findHeaderFault(LEAD, ['score', 'hot'], 'update')).toMatch(/lead_id or id is needed, .*"score", "hot"/)
    expect(findHeaderFault(LEAD, ['lead_id;score'], 'create')).toContain('one column, "lead_id;score"')
    expect(findHeaderFault(LEAD, ['lead_id\tscore'], 'update')).toContain('not by "\\t"')
    expect(findHeaderFault(LEAD, ['id', ''], 'update')).toBeUndefined()
    expect(findHeaderFault(LEAD, ['id', 'record.email'], 'update')).toBeUndefined()
  })
})

describe('a heading that is no field and no attribute', () => {
  const findFaults = (header: string[], mode: ImportMode) => {
    const procedure = { ...LEAD, states: [] }
    const targets = proposeTargets(procedure, mode, header)
    return findHeaderFaults(procedure, mode, { header, targets }).map(({ message, hint }) => `${message} (${hint?.()})`)
  }

  it('is refused, with the one that was probably meant', () => {
    expect(findFaults(['lead_id', 'state', 'record.email', 'scroe', 'colour', 'id', '_note', ''], 'update')).toEqual([
      'the column "scroe" is no field, and no attribute of lead (did you mean "score"? a column whose heading begins with "_" is left out)',
      'the column "colour" is no field, and no attribute of lead (a column whose heading begins with "_" is left out)',
    ])
    expect(findFaults(['lead_id', 'isDeleted'], 'create')).toEqual([
      'the column "isDeleted" is of updates alone (an update deletes and restores processes that are there; a column whose heading begins with "_" is left out)',
    ])
  })
})

describe('a row, before it is sent', () => {
  const states = [{ shortId: 'NEW' }]
  const source = { ...attribute('source', 'stringEnum'), values: ['web', 'walk_in'] }
  const tags = { ...attribute('tags', 'multiStringEnum'), values: ['a', 'b'] }
  const more = [attribute('phone', 'phone'), attribute('weight', 'float'), attribute('at', 'datetime')]
  const procedure = { ...LEAD, states, attributes: [...LEAD.attributes, source, tags, ...more] } as unknown as Procedure
  const AT_FAULT =
    '"at" must be epoch milliseconds, or ISO 8601 with an offset, not "01.12.2026 10:00" (2026-01-31T09:30:00Z)'
  const required = {
    ...procedure,
    attributes: [{ ...attribute('city', 'string'), required: true }],
  } as unknown as Procedure

  it.each<[ImportMode, Record<string, unknown>, string | undefined]>([
    ['create', { data: { lead_id: 'L1', score: 5, hot: true, source: 'web', tags: ['a'] } }, undefined],
    ['create', { lead_id: 'L1', score: '5', data: { unknown: 'x' }, state: 'NEW', nextActionAt: 1 }, undefined],
    ['create', { data: { score: 'high' } }, '"score" must be a number, not "high"'],
    ['create', { data: { hot: 'ja' } }, '"hot" must be true or false, not "ja" (in a file also yes or no, 1 or 0)'],
    ['create', { data: { source: 'tv' } }, '"source" must be one of web, walk_in, not "tv"'],
    ['create', { data: { tags: ['a', 'c'] } }, '"tags" must be one of a, b, not "c"'],
    ['create', { data: { tags: 'a' } }, '"tags" must be a list, not "a" (["a"])'],
    [
      'create',
      { data: { phone: '+49_151_1234567' } },
      '"phone" must be a phone number, not "+49_151_1234567" (did you mean "491511234567"?)',
    ],
    [
      'create',
      { data: { score: '1e3' } },
      '"score" must be a number without an exponent, not "1e3" (write all digits: a spreadsheet that shows it so hides some)',
    ],
    [
      'create',
      { data: { weight: '1,00E+03' } },
      '"weight" must be a number without an exponent, not "1,00E+03" (write all digits: a spreadsheet that shows it so hides some)',
    ],
    [
      'create',
      { data: { weight: '0.1234567890123456789' } },
      '"weight" must be a number of at most 15 digits, not "0.1234567890123456789" (the last ones of a longer one are not kept)',
    ],
    [
      'create',
      { data: { weight: '9'.repeat(40) } },
      `"weight" must be a number of at most 15 digits, not "${'9'.repeat(40)}" (the last ones of a longer one are not kept)`,
    ],
    ['create', { data: { weight: '+5.5', score: '+5' } }, undefined],
    ['create', { data: { weight: '0012' } }, '"weight" must be a number without zeros before it, not "0012" (12)'],
    ['create', { data: { at: '01.12.2026 10:00' } }, AT_FAULT],
    ['create', { state: 'NWE' }, 'there is no state "NWE" (there are NEW)'],
    ['create', { status: 'DONE' }, '"status" must be one of CANCELLED, COMPLETED, OPEN, not "DONE"'],
    [
      'create',
      { nextActionAt: 'soon' },
      'nextActionAt must be a time in ISO 8601 with its offset, or epoch milliseconds, not "soon"',
    ],
    ['upsert', { data: { score: 5 } }, 'lead_id is missing'],
    ['update', { update: { data: { score: 5 } } }, 'lead_id is missing'],
    ['update', { lead_id: 'L1', update: { data: { score: 'high' } } }, '"score" must be a number, not "high"'],
    ['update', { id: 'some-id', update: { data: { score: null } } }, undefined],
  ])('is checked by the definition: %s %j', (mode, item, fault) => {
    expect(findItemFault(procedure, item, mode)).toBe(fault)
  })

  it('has only declared names where the procedure is strict', () => {
    const strict = { ...procedure, strict: true }
    expect(findItemFault(strict, { data: { lead_id: 'L1', scroe: 1 } }, 'create')).toBe(
      '"scroe" is not an attribute of this procedure (did you mean "score"?)',
    )
    expect(findItemFault(strict, { lead_id: 'L1', update: { data: { colour: 'red' } } }, 'update')).toContain(
      '"colour"',
    )
  })

  it('is refused if an earlier new row has its key, and only warned of if both are changes', () => {
    const rows = ['L1', 'L2', 'L1'].map((key, at) => ({ line: at + 2, item: { lead_id: key } }))
    const created = trackRepeatedKeys({ procedure, mode: 'create' })
    expect(rows.map(created.findFault)).toEqual([undefined, undefined, 'the same lead_id as line 2'])
    const updated = trackRepeatedKeys({ procedure, mode: 'update' })
    expect(rows.map(updated.findFault)).toEqual([undefined, undefined, undefined])
    expect([created.warnings(), updated.warnings()]).toEqual([[], ['line 4 has the same lead_id as line 2']])
  })

  it('is warned of if it lacks a key that may be left out', () => {
    const attributes = [
      { shortId: 'lead_id', name: 'Lead number', type: 'string' },
      { shortId: 'score', name: 'Score', type: 'integer' },
    ]
    const optional = { ...procedure, attributes } as unknown as typeof procedure
    const warned = (mode: 'create' | 'update', definition = optional) => {
      const missing = trackMissingKeys({ procedure: definition, mode })
      for (const item of [{ data: { score: 1 } }, { lead_id: '' }, { data: { lead_id: null } }, { lead_id: 'L1' }])
        missing.add(item)
      return missing.warnings()
    }
    expect(warned('create')).toEqual(['3 rows have no Lead number: what names a process is missing'])
    expect(warned('update')).toEqual([])
    expect(warned('create', { ...optional, primaryKey: null })).toEqual([])
  })

  it('needs what the procedure requires, if it is new', () => {
    expect(findItemFault(required, { data: {} }, 'create')).toBe('city is missing')
    expect(findItemFault(required, { city: 'Pune' }, 'create')).toBeUndefined()
    expect(findItemFault(required, { id: 'some-id' }, 'update')).toBeUndefined()
    expect(findItemFault(required, { data: { lead_id: 'L1' } }, 'upsert')).toBeUndefined()
  })
})

describe('a file of a spreadsheet', () => {
  const ORDER = {
    shortId: 'order',
    primaryKey: 'order_no',
    states: [{ shortId: 'ON_SITE', name: 'On site' }],
    attributes: [
      { ...attribute('order_no', 'string'), name: 'Order number' },
      { ...attribute('install_on', 'date'), name: 'Installation date' },
      { ...attribute('value', 'float'), name: 'Value' },
      { ...attribute('specs', 'json'), name: 'Specs' },
    ],
  } as unknown as Procedure

  it('has headings that are the names of attributes, and cells that are written as people write them', () => {
    const header = ['Order number', 'Installation date', 'Value', 'Specs', 'State', '']
    const targets = proposeTargets(ORDER, 'create', header)
    expect(targets).toEqual(['order_no', 'install_on', 'value', 'specs', 'state', ''])
    const forms = ['asIs', 'dayMonthYear', 'decimalComma', 'asIs', 'asIs', 'asIs'] as const
    const read = createRowParser({ procedure: ORDER, mode: 'create', targets, forms })
    expect(read([' IO-00344', '31.12.2026', '1.234,5 ', '{"roof":"flat"}', 'on site', '']).item).toEqual({
      state: 'ON_SITE',
      data: { order_no: 'IO-00344', install_on: '2026-12-31', value: 1234.5, specs: { roof: 'flat' } },
    })
  })

  it('names the customer in updates, too', () => {
    expect(proposeTargets(ORDER, 'update', ['Order number', 'Customer: phone number', 'record.vip'])).toEqual([
      'order_no',
      'record.phone_number',
      'record.vip',
    ])
  })

  it('broken JSON is not sent, which would be stored as text', () => {
    const read = createRowParser({ procedure: ORDER, mode: 'update', targets: ['order_no', 'specs'] })
    expect(read(['A', '{roof: flat}']).unreadable).toMatch(/"specs" is no JSON/)
    for (const fine of ['', 'flat', '5', '["flat"]', '"flat"']) expect(read(['A', fine]).unreadable).toBeUndefined()
    expect(findJsonFault(ORDER, 'order_no', '{roof: flat}')).toBeUndefined()
  })

  it('a wrong day is refused without a question, and an ambiguous one is asked about', () => {
    const read = createRowParser({
      procedure: ORDER,
      mode: 'update',
      targets: ['order_no', 'install_on'],
      forms: ['asIs', 'dayMonthYear'],
      open: [false, true],
    })
    expect(read(['A', '31.02.2026']).unreadable).toBeUndefined()
    expect(read(['A', '12/31/2026']).unreadable).toMatch(/say dates dmy or mdy/)
  })

  it.each<[string, string[], 'dates' | 'decimal' | undefined]>([
    ['install_on', ['03/04/2026', ''], 'dates'],
    ['install_on', ['03/04/2026', '31/12/2026'], undefined],
    ['install_on', ['3.4.2026'], undefined],
    ['install_on', ['2026-04-03'], undefined],
    ['value', ['1,234'], 'decimal'],
    ['value', ['1,234', '7,5'], undefined],
    ['value', ['0,125'], undefined],
    ['value', ['1.234,5'], undefined],
    ['value', ['1234.5'], undefined],
    ['value', ['1.234'], undefined],
    ['value', ['2,5', '1.234'], 'decimal'],
    ['value', ['2,5', '1.5'], 'decimal'],
    ['value', ['1,234', '7.5'], undefined],
    ['install_on', ['31/12/2026', '12/31/2026'], 'dates'],
    ['order_no', ['1,234'], undefined],
  ])('raises this question in a column %s with %j: %s', (target, cells, option) => {
    expect(findAmbiguity(ORDER, target, cells)?.option).toBe(option)
  })

  it.each([
    ['a,b;c', ','],
    ['a;b;c', ';'],
    ['"a,b,c";b', ';'],
    ['a\tb', '\t'],
    ['a', ','],
  ])('has its separator detected: %j has %j', (head, separator) => {
    expect(detectSeparator(head)).toBe(separator)
  })
})

const planned = (entry: Partial<PlannedEntry>): PlannedEntry => ({
  index: 0,
  completionStatus: 'SUCCESS',
  completionMessage: '',
  code: null,
  action: 'update',
  process: null,
  primaryKey: null,
  changes: [],
  more: 0,
  ...entry,
})
const change = (field: string, from: unknown, to: unknown) => ({ field, from, to })

describe('a dry run of a send', () => {
  it('says who gets it and what they read, why others do not, and who is written to at another number', async () => {
    const sent = (primaryKey: string, phone: string) =>
      planned({
        action: 'send',
        primaryKey,
        changes: [change('recipient', null, phone), change('text', null, `Hi ${primaryKey}`)],
      })
    const failed = planned({
      completionStatus: 'ERROR',
      action: null,
      code: 'opted_out',
      process: 'c',
      completionMessage: 'asked not to',
    })
    async function* entries() {
      yield* [sent('A', '4915100000002'), sent('B', '4915100000002'), failed]
    }
    const rows = []
    for await (const row of listRecipients(entries())) rows.push(row)
    expect(rows).toEqual([
      { process: 'A', phone: '4915100000002', result: 'SEND', before: 0, text: 'Hi A', reason: '' },
      { process: 'B', phone: '4915100000002', result: 'SEND', before: 1, text: 'Hi B', reason: '' },
      { process: 'c', phone: null, result: 'opted_out', before: 0, text: null, reason: 'asked not to' },
    ])
    const group = { count: 1, message: 'asked not to', entries: [{ index: 2, primaryKey: null }] }
    const plan = { id: 'dry', job: { total: 3 }, counts: { SUCCESS: 2 }, failures: [group] } as unknown as Plan
    expect(summarizeSend(plan, 1)).toEqual([
      'dry run: nothing was sent; 2 of 3 would be',
      '  1 × asked not to (index 2)',
      '  1 of those to be sent go to a number that gets one already',
      'to send it as it is: caseworker apply dry',
    ])
  })
})

test('each sentence of a refusal calls a column as the file does, and no value that only looks like one', () => {
  const columns = [
    { target: 'score', name: 'Punkte' },
    { target: 'mobile', name: 'score' },
    { target: 'city', name: 'Ort "neu"' },
  ]
  expect(
    nameAsHeading(
      '"score" must be a number, not "a; \\"city\\" b"; "mobile" must be a phone number; "city" is required; "note" is unknown; there is no state "score"',
      columns,
    ),
  ).toBe(
    '"Punkte" must be a number, not "a; \\"city\\" b"; "score" must be a phone number; "Ort \\"neu\\"" is required; "note" is unknown; there is no state "score"',
  )
})

describe('the summary of a dry run', () => {
  it.each<[Partial<PlannedEntry>, string]>([
    [
      { primaryKey: 'L1', changes: [change('data.score', 81, 82), change('data.city', null, 'Pune')] },
      '~ L1: score 81 → 82, city none → "Pune"',
    ],
    [
      { action: 'create', primaryKey: 'L2', changes: [change('state', null, 'NEW'), change('data.score', null, 5)] },
      '+ L2: state "NEW", score 5',
    ],
    [{ action: 'delete', primaryKey: 'L3', changes: [change('isDeleted', false, true)] }, '- L3'],
    [{ action: 'restore', process: 'x', changes: [change('isDeleted', true, false)] }, '+ x'],
    [
      {
        action: 'send',
        primaryKey: 'L4',
        changes: [change('recipient', null, '49151'), change('text', null, 'Hi\nLiv')],
      },
      '> L4, 49151: Hi Liv',
    ],
    [
      { index: 7, changes: [change('nextActionAt', null, 1796119200000)], more: 9 },
      '~ index 7: nextActionAt none → 2026-12-01T10:00:00.000Z and 9 more',
    ],
    [
      { primaryKey: 'L5', changes: [change('data.note', null, 'x'.repeat(99))] },
      `~ L5: note none → "${'x'.repeat(58)}…`,
    ],
  ])('has a line for an entry: %j', (entry, line) => {
    expect(formatPlannedEntry(planned(entry))).toBe(line)
  })

  it('counts what entries would do, of several jobs together', () => {
    const nothing = { create: 0, update: 0, same: 0, delete: 0, restore: 0, send: 0, none: 0, fail: 0, fields: {} }
    expect(
      formatSummary([
        { ...nothing, create: 1_000, same: 3, none: 1 },
        { ...nothing, create: 5, update: 2, fail: 4 },
      ]),
    ).toBe('1,005 would be created, 2 changed, 3 given the values that they have, 1 left unchanged; 4 would fail')
    expect(formatSummary([{ ...nothing, fail: 1 }])).toBe('1 would fail')
  })
})

describe('a refusal of a change', () => {
  it('quotes what was sent, where it says what a value must be', () => {
    const [score, name] = ['"score" must be a number', '"name" is required']
    const errors = [
      { code: 'invalid_request', message: score, path: '/body/data/score' },
      { code: 'invalid_request', message: name, path: '/body/data/name' },
      { code: 'invalid_request', message: '"at" must be a time, not "x"', path: '/body/data/at' },
      { code: 'invalid_request', message: '"state" must be text', path: '/body/state' },
    ] as const
    const error = new CaseworkerError({ code: 'invalid_request', status: 400, errors, operation: 'createProcess' })
    const quoted = quoteSent(error, { data: { score: 'high', name: 'A', at: 'x' }, state: { a: 1 } })
    expect(quoted).toMatchObject({
      code: 'invalid_request',
      status: 400,
      errors: [{ message: `${score}, not "high"` }, { message: name }, errors[2], errors[3]],
    })
    const other = new Error('none')
    expect(quoteSent(other, {})).toBe(other)
  })
})

describe('a column of an export', () => {
  it('is not sent back if it cannot be set, unless it is a declared attribute', () => {
    const header = ['id', 'lead_id', 'createdAt', 'team', '_error']
    expect(getReadOnlyColumns(LEAD, header, 'update')).toEqual(['createdAt', 'team'])
    expect(getReadOnlyColumns(LEAD, header, 'create')).toEqual(['id', 'createdAt', 'team'])
    const cells = ['some-id', 'L1', '2026-11-21T15:50:06Z', 'Sales', 'not found']
    expect(toItem(LEAD, header, cells, 'create')).toEqual({ data: { lead_id: 'L1' } })
    const more = [attribute('team', 'string'), attribute('_error', 'string')]
    const declared = { ...LEAD, attributes: [...LEAD.attributes, ...more] } as Procedure
    expect(toItem(declared, header, cells, 'update')).toEqual({
      id: 'some-id',
      update: { data: { lead_id: 'L1', team: 'Sales', _error: 'not found' } },
    })
  })

  it('is found in fields, attributes and the customer', () => {
    const row = { id: '1', data: { id: '2', city: 'Pune' }, record: { id: '3', data: { phone_number: '91' } } }
    const names = ['id', 'city', 'record.phone_number', 'record.id', 'nope', 'city.x']
    expect(names.map(each => getValue(row, each))).toEqual(['1', 'Pune', '91', '3', undefined, undefined])
  })

  it.each<[Procedure['attributes'][number]['type'], unknown, string]>([
    ['string', 'a;b', 'a;b'],
    ['integer', 5, '5'],
    ['boolean', false, 'false'],
    ['datetime', 1795276206000, '2026-11-21T15:50:06.000Z'],
    ['multiString', ['loan', 'card'], 'loan;card'],
    ['multiString', ['a;b'], '["a;b"]'],
    ['multiString', [], '[]'],
    ['multiString', ['[x'], '["[x"]'],
    ['multiString', [' x'], '[" x"]'],
    ['multiIntegerEnum', [1, 2], '1;2'],
    ['json', { a: [1] }, '{"a":[1]}'],
  ])('is read back as it was written, for the type %s: %j', (type, value, text) => {
    expect(formatCell(value, type === 'datetime')).toBe(text)
    expect(parseCell({ type }, text)).toEqual(value)
  })

  it('shows a time in ISO 8601, and nothing for never', () => {
    expect(['createdAt', 'timestamp', 'state', 'format'].map(isTimeField)).toEqual([true, true, false, false])
    expect([formatCell(0, true), formatCell(null, true), formatCell(0, false)]).toEqual(['', '', '0'])
    const far = [253_402_300_800_000, 9_007_199_254_740_991]
    expect(
      far.map(ms => formatCell(ms, true)),
      'a year of five digits',
    ).toEqual(far.map(String))
  })

  it('is quoted in CSV only where it must be', () => {
    expect(formatCsvLine(['a', 'b,c', 'say "x"', ' d', ''])).toBe('a,"b,c","say ""x"""," d",\n')
    expect(formatCsvLine([''])).toBe('""\n')
  })
})

describe('a file of JSON', () => {
  it.each([
    ['{"a": 1,\n "b": x}', 'line 2, column 7: a value is expected'],
    ['{"a": 1\n "b": 2}', 'line 2, column 2: a comma or } is expected'],
    ['{"a": 1,}', 'line 1, column 9: a name in double quotes is expected'],
    ['{"a" 1}', 'line 1, column 6: a colon is expected'],
    ['{"a": [1, "x\ty"', 'line 1, column 11: a value is expected'],
    ['{} {}', 'line 1, column 4: the end is expected'],
    ['[1]', 'it is not an object'],
  ])('is refused where it stops being an object, with the reason: %j', (text, fault) => {
    expect(() => parseJsonFile(text, 'visit.json')).toThrow(`visit.json is not a JSON object: ${fault}`)
  })
})

it('an option or a file of JSON whose member is there twice is refused', () => {
  const text = '{"data": {"score": 1, "score": 2}}'
  expect(() => getJson({ words: [], options: { update: text } }, 'update')).toThrow('--update has "score" twice')
  expect(() => parseJsonFile(text, 'visit.json')).toThrow('visit.json has "score" twice')
})

describe('a table', () => {
  const rows = [
    ['1', 'Pune', 'x'.repeat(60)],
    ['22', 'Rio\nde\tJaneiro', 'y'],
  ]

  it('aligns its columns, and keeps each row in one line', () => {
    const { heading, line } = layOutTable(['id', 'city', 'text'], rows, { width: 200, hasColor: false })
    expect([heading, ...rows.map(line)]).toEqual([
      'id  city            text',
      `1   Pune            ${'x'.repeat(39)}…`,
      '22  Rio de Janeiro  y',
    ])
  })

  it('leaves out the columns that the terminal has no room for, and makes only its heading bold', () => {
    const { heading, line } = layOutTable(['id', 'city', 'text'], rows, { width: 30, hasColor: true })
    expect(heading).toBe('\u001b[1mid  city\u001b[22m')
    expect(line(['22', 'Pune', 'y'])).toBe('22  Pune')
  })
})

describe('progress', () => {
  const job = (done: number, error = 0) =>
    ({
      total: 2000,
      counts: {
        NOT_STARTED: 2000 - done - error,
        IN_PROGRESS: 0,
        SUCCESS: done,
        ERROR: error,
        INVALID: 0,
        CANCELLED: 0,
      },
      progress: { done: done + error, total: 2000, perSecond: null, etaAt: null, limitedBy: null },
      completedAt: 0,
    }) as Job

  it('is a bar that fills', () => {
    expect(formatProgressBar(job(0))).toBe(`[${'░'.repeat(30)}]   0 %  0 of 2,000`)
    expect(formatProgressBar(job(990, 10))).toBe(
      `[${'█'.repeat(15)}${'░'.repeat(15)}]  50 %  1,000 of 2,000, 10 failed`,
    )
    expect(formatProgress(job(1999))).toBe(' 99 %  1,999 of 2,000')
  })

  it('says how long it takes, and what holds it up', () => {
    const going = (limitedBy: Job['progress']['limitedBy'], ms: number) =>
      formatProgress({
        ...job(1000),
        progress: { ...job(1000).progress, limitedBy, etaAt: Date.now() + ms },
      })
    expect(going(null, 195_000)).toBe(' 50 %  1,000 of 2,000, about 3 min left')
    expect([59_500, 3_590_000, 7_180_000, 3_600_000].map(formatDuration)).toEqual(['1 min', '1 h', '2 h', '1 h'])
    expect(going('sender-pace', 7_860_000)).toBe(
      ' 50 %  1,000 of 2,000, about 2 h 11 min left, at the pace of the sender number',
    )
    const held = { ...job(0), progress: { ...job(0).progress, limitedBy: 'team-share' as const } }
    expect(formatProgress(held)).toBe('  0 %  0 of 2,000, waits until other jobs of the team have ended')
    const done = { ...job(2000), progress: { ...job(2000).progress, etaAt: 1 } }
    expect(formatProgress(done)).toBe('100 %  2,000 of 2,000')
    expect(formatProgress({ ...done, ...job(1999, 0), completedAt: 1, progress: done.progress })).toBe(
      ' 99 %  1,999 of 2,000',
    )
    expect([400, 59_000, 3_600_000].map(formatDuration)).toEqual(['1 s', '59 s', '1 h'])
  })

  it('does not begin before all entries are found', () => {
    const finding = { ...job(0), isCollecting: true as const, statusMessage: 'Finding what matches: …', completedAt: 0 }
    const none = { ...finding, total: 0, counts: { ...finding.counts, NOT_STARTED: 0 } }
    expect(formatProgressBar(none)).toBe(`[${'░'.repeat(30)}]   0 %  0 of 0`)
    let text = ''
    const progress = createProgressReporter(more => {
      text += more
    }, false)
    for (const each of [none, finding, job(2000)]) progress.show(each)
    expect(text).toBe('Finding what matches\n  0 %  0 of 0\n100 %  2,000 of 2,000\n')
  })

  it('says why a job waits or is paused, once for each reason', () => {
    const said = (isTerminal: boolean) => {
      let text = ''
      const progress = createProgressReporter(more => {
        text += more
      }, isTerminal)
      const paused = 'Paused: the plugin is stopped. Correct it. Of 2,000 entries'
      for (const [done, statusMessage] of [
        [0, 'Waiting to start with 2,000 entries'],
        [10, 'Of 2,000 entries 10 succeeded, 1,990 to go'],
        [10, `${paused} 10 succeeded, 1,990 to go`],
        [20, `${paused} 20 succeeded, 1,980 to go`],
        [30, 'Of 2,000 entries 30 succeeded, 1,970 to go'],
        [30, `${paused} 30 succeeded, 1,970 to go`],
      ] as const)
        progress.show({ ...job(done), statusMessage, completedAt: 0 })
      return text
    }
    for (const isTerminal of [false, true]) {
      const text = said(isTerminal)
      expect(text.match(/Paused: the plugin is stopped\. Correct it\.(?! Of)/g)).toHaveLength(2)
      expect(text.match(/Waiting to start with 2,000 entries/g)).toHaveLength(1)
    }
  })

  it('overwrites itself on a terminal, and elsewhere prints a line for each tenth', () => {
    const told = (isTerminal: boolean) => {
      let text = ''
      const progress = createProgressReporter(more => {
        text += more
      }, isTerminal)
      for (const done of [0, 20, 199, 200, 1000, 2000]) progress.show(job(done))
      progress.end()
      return text
    }
    expect(told(false).split('\n')).toHaveLength(5)
    expect(told(true).split('\r')).toHaveLength(7)
    expect(told(true).endsWith('\n')).toBe(true)
  })
})

it('a file that is appended to gets no second header, though a heading has line breaks', async () => {
  const bytes = new TextEncoder().encode('"a\n""b""",_status\r\n1,ERROR\r\n"x\ny",ERROR\r\n')
  async function* chunks(size: number) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  for (const size of [1, 5, 100]) {
    const rest = (await collected(withoutHeader(chunks(size)))).map(chunk => new TextDecoder().decode(chunk))
    expect(rest.join('')).toBe('1,ERROR\r\n"x\ny",ERROR\r\n')
  }
})

it('a table of updates has columns for all fields of an update', () => {
  const fields: Record<Exclude<keyof UpdateProcessByIdBody, 'data' | 'record'>, true> = {
    status: true,
    state: true,
    nextActionAt: true,
    assignedTo: true,
  }
  expect([...FIELDS].sort()).toEqual(Object.keys(fields).sort())
})

test('failed rows are to be fixed, and what others have changed since a plan is to be planned again', () => {
  expect(adviseOnRows(['invalid_request', undefined], 'left.csv')).toBe(
    'the failed rows are in left.csv: fix them, and send that file',
  )
  expect(adviseOnRows(['changed_since'], 'left.csv')).toBe(
    'the failed rows are in left.csv: others have changed them since the plan; send that file with --plan, which shows what it would change now',
  )
  expect(adviseOnRows(['changed_since', null], 'left.csv')).toContain('fix the others, and send that file with --plan')
  expect(adviseOnRows(['changed_since'], undefined)).toContain('send that file with --plan')
  expect(adviseOnRows([], undefined)).toBeUndefined()
})

it.each([
  [{}, '800,000 entries have no message: caseworker results job --failed\n'],
  [
    { isDeliveryCountComplete: false },
    'only the messages of the first entries were counted, as there was no time for all: 200,000 so far\n',
  ],
])(
  'the figures of a job do not say of entries that were not counted that they have no message: %o',
  async (more, text) => {
    const data = { id: 'job', total: 1_000_000, completedAt: 1 }
    const meta = { bjEntryCompletionStatusVsCount: {}, deliveryStatusVsCount: { READ: 200_000 }, ...more }
    const call = (async () => ({ status: 200, headers: new Headers(), data, meta })) as unknown as Call
    expect(describeUncounted(await createJobsClient(call).get('job'))).toBe(text)
  },
)
