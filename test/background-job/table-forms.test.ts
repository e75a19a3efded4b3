import { describe, expect, it } from 'vitest'
import { newTeam, type Reply, request, type Team } from '../support/api.ts'
import { JOBS, LEADS, leadProcedure, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { attribute } from '../support/procedures.ts'

const UPSERT = `${LEADS}/bulk-upsert`

const start = async (): Promise<Team> => {
  const team = await newLeadTeam({
    attributes: [
      attribute('lead_id', 'string'),
      { ...attribute('city', 'string'), name: 'Home town' },
      attribute('score', 'integer'),
      attribute('value', 'float'),
      attribute('price', 'float'),
      attribute('day', 'date'),
      attribute('since', 'datetime'),
    ],
  })
  return team
}

type Sent = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

const send = (team: Team, body: Sent, { query = '', charset = '', key = '' } = {}): Promise<Reply> =>
  request('POST', `${UPSERT}${query}`, {
    headers: {
      authorization: `Bearer ${team.token}`,
      'content-type': `text/csv${charset && `; charset=${charset}`}`,
      ...(key && { 'idempotency-key': key }),
    },
    body,
  })

interface Seen {
  completionStatus: string
  completionMessage: string
}

async function run(team: Team, body: Sent, options: Parameters<typeof send>[2] = {}): Promise<[Seen[], Reply]> {
  const reply = await send(team, body, options)
  expect([reply.status, reply.errors]).toEqual([202, []])
  await waitForJob(team, reply.data.id)
  return [await listEntries(team, reply.data.id, '?limit=100'), reply]
}

const readData = async (team: Team, key: string) => (await team.call('GET', `${LEADS}/lead_id/${key}`)).data.data
const statuses = (entries: Seen[]) => entries.map(({ completionStatus }) => completionStatus)
const warnings = (reply: Reply): string[] =>
  (reply.meta.warnings ?? []).map(({ message }: { message: string }) => message)

async function expectRefused(team: Team, reply: Reply, path: string, message: string): Promise<void> {
  expect([reply.status, reply.errors[0]]).toEqual([400, expect.stringContaining(message)])
  expect(reply.meta.errors[0].path).toBe(path)
  expect((await team.call('GET', JOBS)).data).toEqual([])
}

const streamPieces = (bytes: Uint8Array, bytesEach: number): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, at + bytesEach))
      at += bytesEach
      if (at >= bytes.length) controller.close()
    },
  })
}

const utf16 = (text: string, order: 0 | 1): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(2 * text.length)
  for (let at = 0; at < text.length; at++) {
    bytes[2 * at + order] = text.charCodeAt(at) & 0xff
    bytes[2 * at + 1 - order] = text.charCodeAt(at) >> 8
  }
  return bytes
}

const latin = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, character => character.charCodeAt(0))

const utf8 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text))

const TABLE = 'lead_id,city\r\nA,"Zürich, Ost"\r\nB,Öhningen\r\n'

describe('the encoding of a table', () => {
  it.each<[string, Uint8Array<ArrayBuffer>, string, string | undefined]>([
    ['UTF-8', utf8(TABLE), '', undefined],
    ['UTF-8 with its mark', utf8(`\ufeff${TABLE}`), '', undefined],
    ['UTF-16, little end first', utf16(`\ufeff${TABLE}`, 0), '', 'UTF-16'],
    ['UTF-16, big end first', utf16(`\ufeff${TABLE}`, 1), '', 'UTF-16'],
    ['UTF-16 that is told', utf16(TABLE, 1), 'utf-16be', undefined],
    ['UTF-16 that is told without its order', utf16(TABLE, 0), 'UTF-16', undefined],
    ['Windows-1252', latin(TABLE), '', 'Windows-1252'],
    ['Windows-1252 that is told', latin(TABLE), 'windows-1252', undefined],
  ])('%s is read, in pieces of any size', async (_, bytes, charset, found) => {
    for (const each of [1, 3, 1_000]) {
      const team = await start()
      const [entries, reply] = await run(team, streamPieces(bytes, each), { charset })
      expect(statuses(entries)).toEqual(['SUCCESS', 'SUCCESS'])
      expect([(await readData(team, 'A')).city, (await readData(team, 'B')).city]).toEqual(['Zürich, Ost', 'Öhningen'])
      expect(warnings(reply)).toEqual(found === undefined ? [] : [`the text is read as ${found}`])
    }
  })

  it('is that of its first 64 KiB that are not ASCII: a line that contradicts it later is INVALID, by its number', async () => {
    const team = await start()
    const filler = Array.from({ length: 90 }, (_, nth) => `F${nth},${'x'.repeat(1_000)}\n`).join('')
    const bytes = new Uint8Array([
      ...new TextEncoder().encode(`lead_id,city\nA,Zürich\n${filler}B,M`),
      ...[0xfc, 0x0a],
      ...new TextEncoder().encode('C,Köln\n'),
    ])
    const [entries] = await run(team, streamPieces(bytes, 10_000))
    expect(entries.filter(each => each.completionStatus === 'INVALID').map(each => each.completionMessage)).toEqual([
      'line 93: it is no text in the encoding of the file: say which one it has',
    ])
    expect((await readData(team, 'C')).city).toBe('Köln')
  })

  it('does not change for all rows because of a byte in one: that row is INVALID', async () => {
    const team = await start()
    const [entries] = await run(
      team,
      new Uint8Array([...utf8('lead_id,city\nA,Zürich\nB,Öhningen\nC,M'), 0xfc, ...utf8('\n')]),
    )
    expect(statuses(entries)).toEqual(['SUCCESS', 'SUCCESS', 'INVALID'])
    expect([(await readData(team, 'A')).city, (await readData(team, 'B')).city]).toEqual(['Zürich', 'Öhningen'])
  })

  it('is not guessed for what is no text', async () => {
    const team = await start()
    const reply = await send(team, new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 1, 2]))
    await expectRefused(team, reply, '/body', 'the body is no text')
  })
})

describe('the separator of a table', () => {
  it.each([
    ['a comma', 'lead_id,city\nA,"a;b"\n', '', 'a;b', []],
    ['a semicolon', 'lead_id;city\nA;a,b\n', '', 'a,b', ['cells are separated by ";"']],
    ['a tab', 'lead_id\tcity\nA\ta,b\n', '', 'a,b', ['cells are separated by tabs']],
    ['told', 'lead_id|city\nA|a,b\n', '?delimiter=%7C', 'a,b', []],
    ['told by a first line for Excel', 'sep=;\r\nlead_id;city\r\nA;a,b\r\n', '', 'a,b', ['cells are separated by ";"']],
    ['told twice', 'sep=|\nlead_id|city\nA|a,b\n', '?delimiter=%7C', 'a,b', []],
    ['a tab that is told', 'lead_id\tcity\nA\ta,b\n', '?delimiter=tab', 'a,b', []],
  ])('is %s', async (_, table, query, city, said) => {
    const team = await start()
    const [entries, reply] = await run(team, table, { query })
    expect([statuses(entries), (await readData(team, 'A')).city, warnings(reply)]).toEqual([['SUCCESS'], city, said])
  })

  it('is one character, and only of a table', async () => {
    const team = await start()
    await expectRefused(
      team,
      await send(team, 'lead_id\n', { query: '?delimiter=%3B%3B' }),
      '/query/delimiter',
      'one character',
    )
    const json = await team.call('POST', `${UPSERT}?delimiter=tab&dates=dmy`, [{ lead_id: 'A' }])
    expect(json.meta.errors.map((each: { path: string }) => each.path)).toEqual(['/query/delimiter', '/query/dates'])
  })
})

describe('the columns of a table', () => {
  it('may be called as the attributes are, and the response says so', async () => {
    const team = await start()
    const [entries, reply] = await run(team, 'Lead ID,Home town\nA,Goa\n')
    expect([statuses(entries), await readData(team, 'A')]).toEqual([['SUCCESS'], { lead_id: 'A', city: 'Goa' }])
    expect(warnings(reply)).toEqual(['"Lead ID" is lead_id', '"Home town" is city'])
  })

  it('mean the state only if they are not called status as in the API', async () => {
    const team = await start()
    await run(team, 'lead_id,Status\nA,won\n')
    expect((await team.call('GET', `${LEADS}/lead_id/A`)).data.state).toBe('WON')
    const [entries] = await run(team, 'lead_id,status\nA,new\n')
    expect(statuses(entries)).toEqual(['INVALID'])
    expect((await team.call('GET', `${LEADS}/lead_id/A`)).data.state).toBe('WON')
  })

  it('are refused where two attributes have the name, and mean one by its short id', async () => {
    const team = await newTeam()
    const named = (shortId: string) => ({ ...attribute(shortId, 'string'), name: 'Amount' })
    await leadProcedure(team, { attributes: [attribute('lead_id', 'string'), named('net'), named('gross')] })
    const reply = await send(team, 'lead_id,Amount\nA,12\n')
    await expectRefused(team, reply, '/body', 'the column "Amount" may be any of net, gross')
    await run(team, 'lead_id,gross\nA,12\n')
    expect(await readData(team, 'A')).toEqual({ lead_id: 'A', gross: '12' })
  })

  it('are refused where there are more than a process can have', async () => {
    const team = await start()
    const reply = await send(team, `lead_id${','.repeat(100_000)}\n${'A\n'.repeat(1_000)}`)
    await expectRefused(team, reply, '/body', 'a table has at most 2000 columns, and this one 100001')
  })

  it('are not searched for among endless spaces', async () => {
    const team = await start()
    await expectRefused(team, await send(team, ' '.repeat(65_000)), '/body', 'the body has no items')
  })

  it('are refused where two mean the same attribute', async () => {
    const team = await start()
    const refuse = async (header: string, message: string) => {
      const reply = await send(team, `${header}\nA,B,C\n`)
      await expectRefused(team, reply, '/body', `the header: ${message}`)
      expect(reply.errors).toHaveLength(1)
    }
    const twice = (name: string) => `${JSON.stringify(name)} stands there twice, as column 2 and as column 3`
    await refuse('lead_id,city,Home town', '"city", column 2, and "Home town", column 3, are both city')
    await refuse('lead_id,city,city', twice('city'))
    await refuse('lead_id,Home town,Home town', twice('Home town'))
    await refuse('lead_id, Home-Town ,home town', '"Home-Town", column 2, and "home town", column 3, are both city')
    await refuse(
      'lead_id,record.email,record.E-Mail',
      '"record.email", column 2, and "record.E-Mail", column 3, are both record.email',
    )
    await refuse(
      'lead_id, record.E-Mail,record.e-mail',
      '"record.E-Mail", column 2, and "record.e-mail", column 3, are both record.email',
    )
  })
})

describe('days and decimals of a table', () => {
  it('are detected where there is one reading, which the response names', async () => {
    const team = await start()
    const [entries, reply] = await run(
      team,
      'lead_id;day;value;price\nA;31.12.2026;2,5;7\nB;01.02.2026;1.234,5;1.234,25\nC;2026-03-04;-7;\n',
    )
    expect(statuses(entries)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    expect(await readData(team, 'B')).toEqual({ lead_id: 'B', day: '2026-02-01', value: 1234.5, price: 1234.25 })
    expect(await readData(team, 'C')).toEqual({ lead_id: 'C', day: '2026-03-04', value: -7 })
    expect(warnings(reply)).toEqual([
      'cells are separated by ";"',
      '"day" is day, Day, month, year: 31.12.2026',
      '"value" is value, With a comma: 1.234,5',
      '"price" is price, With a comma: 1.234,5',
    ])
  })

  it.each([
    ['days of one order or the other', 'day', ['03/04/2026'], 'dates'],
    ['days of both orders', 'day', ['31/12/2026', '12/31/2026'], 'dates'],
    ['days with dots beside the month first', 'day', ['01.02.2026', '12/31/2026'], 'dates'],
    ['one number that may be thousands', 'value', ['1,234'], 'decimal'],
    ['a whole number with a comma', 'score', ['1,000'], 'decimal'],
    ['a whole number with a point', 'score', ['1.000'], 'decimal'],
    ['thousands among decimal commas', 'value', ['2,5', '1.234'], 'decimal'],
    ['points among decimal commas', 'value', ['2,5', '1.5'], 'decimal'],
    ['a point that may be of thousands, where no comma is between cells', 'value', ['1.500', '250'], 'decimal'],
  ])('are refused by the name of the parameter: %s', async (_, column, cells, option) => {
    const team = await start()
    const table = `lead_id;${column}\n${cells.map((cell, nth) => `L${nth};${cell}\n`).join('')}`
    await expectRefused(team, await send(team, table), `/query/${option}`, `the column "${column}" has`)
  })

  it('are refused with both values, both lines, and all that is wrong with the table', async () => {
    const team = await start()
    const rows = ['', 'A;31.12.2026;2,5', 'B;2026-01-02;1', 'C;04/28/2021;6017.83']
    const { status, errors } = await send(team, ['lead_id;day;value;Remark', ...rows.map(row => `${row};`)].join('\n'))
    expect([status, errors]).toEqual([
      400,
      [
        expect.stringMatching(/^the column "Remark" is no field/),
        'the column "day" has days of both orders, "31.12.2026" (line 3) and "04/28/2021" (line 5): say dates dmy or mdy. All its days are read by that, and what is no day then is INVALID',
        'the column "value" has numbers with a comma and with a point before their decimals, "2,5" (line 3) and "6017.83" (line 5): say decimal comma or point. All its numbers are read by that, and what is no number then is INVALID',
      ],
    ])
  })

  it('are refused for each column, with a value that is read by what is said as well', async () => {
    const team = await start()
    await leadProcedure(team, {
      attributes: [
        ...['lead_id'].map(name => attribute(name, 'string')),
        ...['day', 'until', 'later'].map(name => attribute(name, 'date')),
        ...['value', 'price'].map(name => attribute(name, 'float')),
      ],
    })
    const rows = [
      'A;31/12/2026;12/31/2026;01/02/2026;2,5;1.5',
      'B;12/31/2026;02/06/2026;01/02/2026;1.5;2,5',
      'C;02/06/2026;31/12/2026;01/02/2026;1.234;1',
    ]
    const table = ['lead_id;day;until;later;value;price', ...rows, ''].join('\n')
    const { status, errors } = await send(team, table)
    const days = (first: string, second: string, unclear: string) =>
      `${first} and ${second}: say dates dmy or mdy. All its days are read by that, ${unclear} as well, and what is no day then is INVALID`
    expect([status, errors]).toEqual([
      400,
      [
        `the column "day" has days of both orders, ${days('"31/12/2026" (line 2)', '"12/31/2026" (line 3)', '"02/06/2026" (line 4)')}`,
        `the column "until" has days of both orders, ${days('"31/12/2026" (line 4)', '"12/31/2026" (line 2)', '"02/06/2026" (line 3)')}`,
        'the column "later" has "01/02/2026" (line 2), of which is not known whether day or month comes first: say dates dmy or mdy',
        'the column "value" has numbers with a comma and with a point before their decimals, "2,5" (line 2) and "1.5" (line 3): say decimal comma or point. All its numbers are read by that, "1.234" (line 4) as well, and what is no number then is INVALID',
        'the column "price" has numbers with a comma and with a point before their decimals, "2,5" (line 3) and "1.5" (line 2): say decimal comma or point. All its numbers are read by that, and what is no number then is INVALID',
      ],
    ])
    const [entries] = await run(team, table, { query: '?dates=dmy&decimal=comma' })
    expect(statuses(entries)).toEqual(['INVALID', 'INVALID', 'SUCCESS'])
    expect(await readData(team, 'C')).toMatchObject({ day: '2026-06-02', until: '2026-12-31', value: 1234 })
  })

  it('are refused by a delimiter that the header has not', async () => {
    const team = await start()
    const reply = await send(team, 'lead_id;city;note\nA;Goa;"b"\n', { query: '?delimiter=%2C' })
    await expectRefused(team, reply, '/query/delimiter', 'the header has no ",", and 2 times ";"')
  })

  it('are refused where another column has decimal commas', async () => {
    const team = await start()
    const reply = await send(team, 'lead_id;value;price\nA;2,5;1.234\n')
    await expectRefused(team, reply, '/query/decimal', 'the column "price" has "1.234"')
  })

  it.each<[string, string, object]>([
    ['?dates=dmy', '03/04/2026;1;2', { day: '2026-04-03', value: 1, score: 2 }],
    ['?dates=mdy', '03/04/2026;1;2', { day: '2026-03-04', value: 1, score: 2 }],
    ['?decimal=comma', '2026-01-02;1,234;1.000', { day: '2026-01-02', value: 1.234, score: 1000 }],
    ['?decimal=point', '2026-01-02;1,234;1,000', { day: '2026-01-02', value: 1234, score: 1000 }],
    ['?dates=iso&decimal=comma', '2026-01-02;1.234,5;7', { day: '2026-01-02', value: 1234.5, score: 7 }],
    ['?decimal=comma&dates=mdy', '12/31/2026;1,5;7', { day: '2026-12-31', value: 1.5, score: 7 }],
    ['?decimal=point&dates=dmy', '31.12.2026;1,234.5;7', { day: '2026-12-31', value: 1234.5, score: 7 }],
  ])('are read as requested: %s of %s', async (query, cells, data) => {
    const team = await start()
    const [entries, reply] = await run(team, `lead_id;day;value;score\nA;${cells}\n`, {
      query: `${query}&delimiter=%3B`,
    })
    expect([statuses(entries), await readData(team, 'A')]).toEqual([['SUCCESS'], { lead_id: 'A', ...data }])
    expect(warnings(reply)).toEqual([])
  })

  it('are detected in the first thousand rows: what does not fit them later is INVALID, by its line', async () => {
    const team = await start()
    const rows = Array.from({ length: 1_000 }, (_, nth) => `L${nth};31.12.2026;1,5;7\n`)
    const later = ['X;12/31/2026;1,5;7', 'Y;01.12.2026;1.234;7', 'Z;01.12.2026;1,25;1.000', 'OK;01.12.2026;1,25;1']
    const [, reply] = await run(team, `lead_id;day;value;score\n${rows.join('')}${later.join('\n')}\n`)
    const entries = await listEntries(team, reply.data.id, '?skip=1000')
    expect(statuses(entries)).toEqual(['INVALID', 'INVALID', 'INVALID', 'SUCCESS'])
    expect(entries.map((each: Seen) => each.completionMessage.split(',')[0])).toEqual([
      'line 1002: the column "day" has "12/31/2026"',
      'line 1003: the column "value" has "1.234"',
      'line 1004: the column "score" has "1.000"',
      '',
    ])
    expect(entries[0].completionMessage).toContain('say dates dmy or mdy')
    expect(await readData(team, 'OK')).toMatchObject({ day: '2026-12-01', value: 1.25 })
  })

  it('have a decimal point where commas separate cells, or another number of the column has one', async () => {
    const team = await start()
    await run(team, 'lead_id,value\nA,12.345\n')
    expect((await readData(team, 'A')).value).toBe(12.345)
    await run(team, 'lead_id;value\nA;1.500\nB;2.25\n')
    expect((await readData(team, 'A')).value).toBe(1.5)
  })

  it('may have a point of thousands only further down: that row is INVALID', async () => {
    const team = await start()
    const rows = Array.from({ length: 1_000 }, (_, nth) => `L${nth};7\n`)
    const [, reply] = await run(team, `lead_id;value\n${rows.join('')}X;1.500\nY;2.25\n`, { query: '?dryRun=true' })
    expect(statuses(await listEntries(team, reply.data.id, '?skip=1000'))).toEqual(['INVALID', 'SUCCESS'])
  })

  it('have midnight of a day as the day, and a refused one says what it lacks', async () => {
    const team = await start()
    const table =
      'lead_id,day,value\nA,31.12.2026 00:00,1\nB,2026-12-31 00:00:00,1\nC,12/31/26,1\nD,,1234 €\nE,31.12.2026 10:00,1\n'
    const [entries] = await run(team, table)
    expect([(await readData(team, 'A')).day, (await readData(team, 'B')).day]).toEqual(['2026-12-31', '2026-12-31'])
    expect(entries.slice(2).map(each => Reflect.get(each, 'completionResult').errors[0].hint)).toEqual([
      'a year has four digits, and that of "12/31/26" two',
      'a number without "€"',
      undefined,
    ])
  })

  it('leave a day of the first years as it is', async () => {
    const team = await start()
    await run(team, 'lead_id,day\nA,0001-01-01\n')
    expect((await readData(team, 'A')).day).toBe('0001-01-01')
  })

  it('refuse a time without an offset as a timestamp: nobody knows whose it is', async () => {
    const team = await start()
    const [entries] = await run(team, 'lead_id,since\nA,31.12.2026 10:00\nB,2026-12-31T10:00:00+01:00\n')
    expect(statuses(entries)).toEqual(['INVALID', 'SUCCESS'])
    expect((await readData(team, 'B')).since).toBe(Date.UTC(2026, 11, 31, 9))
  })
})

describe('rows without anything in them', () => {
  it('are left out, and the response says how many there were, wherever they stood and however wide', async () => {
    const team = await start()
    const filler = Array.from({ length: 1_100 }, (_, nth) => `F${nth};x\n`).join('')
    const [, reply] = await run(team, `lead_id;city\nA;Goa\n;\n\nB;Pune\n ; ;;\n${filler};\n;\n`)
    expect([reply.data.total, warnings(reply)]).toEqual([
      1_102,
      ['cells are separated by ";"', '4 rows have nothing in any of their cells, and are left out'],
    ])
    const [, one] = await run(team, 'lead_id,city\nA,Goa\n,\n')
    expect(warnings(one)).toEqual(['1 row has nothing in any of its cells, and is left out'])
  })
})

describe('truth values of a table', () => {
  it('are true or false, yes or no, 1 or 0, in any case; others are refused with these words', async () => {
    const team = await start()
    await leadProcedure(team, { attributes: [attribute('lead_id', 'string'), attribute('hot', 'boolean')] })
    const cells = ['TRUE', 'yes', '1', 'false', 'No', '0', 'ja', 'x']
    const [entries, { data }] = await run(
      team,
      `lead_id,hot\n${cells.map((cell, nth) => `L${nth},${cell}\n`).join('')}`,
    )
    expect(statuses(entries)).toEqual([...Array(6).fill('SUCCESS'), 'INVALID', 'INVALID'])
    const stored = await Promise.all([0, 1, 2, 3, 4, 5].map(nth => readData(team, `L${nth}`)))
    expect(stored.map(({ hot }) => hot)).toEqual([true, true, true, false, false, false])
    const [refused] = await listEntries(team, data.id, '?completionStatus=INVALID')
    expect(refused.completionResult.errors).toEqual([
      expect.objectContaining({
        message: '"hot" must be true or false, not "ja"',
        hint: 'in a file also yes or no, 1 or 0',
      }),
    ])
    const deletion = await request('PATCH', LEADS, {
      headers: { authorization: `Bearer ${team.token}`, 'content-type': 'text/csv' },
      body: 'lead_id,isDeleted\nL0,yes\nL1,ja\n',
    })
    await waitForJob(team, deletion.data.id)
    const [deleted, kept] = await listEntries(team, deletion.data.id, '?limit=100')
    expect([deleted.completionStatus, kept.completionMessage]).toEqual([
      'SUCCESS',
      '"isDeleted" must be true or false, not "ja"',
    ])
  })
})

describe('the numbers of rows', () => {
  const TABLE = 'lead_id,city,score\r\nA,"New\r\nGoa\nOld",1\r\n\r\n,,\r\nB,Pune,many\r\nC,"Pu\nne"\r\n'

  it('are the lines in which they begin, or those of a spreadsheet, where a cell may have line breaks', async () => {
    const team = await start()
    for (const [query, lines] of [
      ['', [2, 7, 8]],
      ['?numbering=lines', [2, 7, 8]],
      ['?numbering=rows', [2, 5, 6]],
    ] as const) {
      const [, reply] = await run(team, TABLE, { query })
      const entries = await listEntries(team, reply.data.id, '?limit=100')
      expect(entries.map((each: { data: { apiData: { line: number } } }) => each.data.apiData.line)).toEqual(lines)
      expect(entries[2].completionMessage).toBe(`line ${lines[2]}: the row has 2 cells, and the header 3`)
    }
  })

  it('are those of a spreadsheet in a refusal as well, and only of a table', async () => {
    const team = await start()
    const body = 'lead_id,city,day\nA,"New\nGoa",31.12.2026\nB,Pune,12/31/2026\n'
    await expectRefused(team, await send(team, body, { query: '?numbering=rows' }), '/query/dates', '(line 3)')
    const { status, errors } = await team.call('POST', `${UPSERT}?numbering=rows`, [{ lead_id: 'A' }])
    expect([status, errors]).toEqual([400, ['"numbering" is only for a body of text/csv']])
  })
})

describe('an idempotency key', () => {
  it('covers the table and how it is to be read', async () => {
    const team = await start()
    const table = 'lead_id;day\nA;03/04/2026\n'
    const key = crypto.randomUUID()
    const first = await send(team, table, { key, query: '?dates=dmy' })
    expect(first.status).toBe(202)
    expect((await send(team, table, { key, query: '?dates=dmy' })).data.id).toBe(first.data.id)
    for (const other of [{ query: '?dates=mdy' }, { query: '?dates=dmy', charset: 'windows-1252' }])
      expect((await send(team, table, { key, ...other })).status).toBe(422)
    expect((await team.call('GET', JOBS)).data).toHaveLength(1)
  })
})
