import { env, exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ORIGIN, type Reply, request, type Team } from '../support/api.ts'
import { JOBS, LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { attribute } from '../support/procedures.ts'
import { newNumber } from '../support/provider.ts'

const [NDJSON, CSV] = ['application/x-ndjson', 'text/csv']
const [CREATE, UPSERT] = [`${LEADS}/bulk-create`, `${LEADS}/bulk-upsert`]

interface ShownEntry {
  completionStatus: string
  completionMessage: string
  completionResult: { created?: boolean; primaryKey?: string; errors?: { message: string; path?: string }[] }
}

type Sent = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

const send = (team: Team, path: string, type: string, body: Sent, more: Record<string, string> = {}): Promise<Reply> =>
  request(path === LEADS ? 'PATCH' : 'POST', path, {
    headers: { authorization: `Bearer ${team.token}`, 'content-type': type, ...more },
    body,
  })

async function run(team: Team, path: string, type: string, body: Sent): Promise<ShownEntry[]> {
  const reply = await send(team, path, type, body)
  expect([reply.status, reply.errors]).toEqual([202, []])
  await waitForJob(team, reply.data.id)
  return listEntries(team, reply.data.id, '?limit=100')
}

/** A body that comes in pieces of some bytes. */
const streamPieces = (text: string, bytesEach: number): ReadableStream<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, at + bytesEach))
      at += bytesEach
      if (at >= bytes.length) controller.close()
    },
  })
}

const statuses = (entries: ShownEntry[]) => entries.map(({ completionStatus }) => completionStatus)
const lead = async (team: Team, key: string) => (await team.call('GET', `${LEADS}/lead_id/${key}`)).data
const jobs = async (team: Team): Promise<unknown[]> => (await team.call('GET', JOBS)).data

async function expectRefused(team: Team, reply: Reply, status: number, message: string | RegExp): Promise<void> {
  expect([reply.status, reply.errors[0]]).toEqual([status, expect.stringMatching(message)])
  expect(await jobs(team)).toEqual([])
}

describe('a body of lines of JSON', () => {
  it('creates, updates, and creates or updates, each line as an item of a list', async () => {
    const team = await newLeadTeam()
    const created = await run(team, CREATE, NDJSON, '{"lead_id": "A"}\n{"data": {"lead_id": "B", "city": "Goa"}}\n')
    expect(statuses(created)).toEqual(['SUCCESS', 'SUCCESS'])
    const updated = await run(
      team,
      LEADS,
      NDJSON,
      '{"lead_id": "A", "score": 1, "data": {"score": 2}}\n{"id": "B", "update": {"state": "IN_PROGRESS"}}',
    )
    expect(statuses(updated)).toEqual(['INVALID', 'SUCCESS'])
    const upserted = await run(team, UPSERT, NDJSON, '{"lead_id": "A", "data": {"score": 3}}\n{"lead_id": "C"}\n')
    expect(upserted.map(({ completionResult }) => completionResult.created)).toEqual([false, true])
    expect([(await lead(team, 'A')).data.score, (await lead(team, 'B')).state]).toEqual([3, 'IN_PROGRESS'])
  })

  it.each([1, 7, 64])(
    'is the same in pieces of %i bytes: blank lines, CRLF and a byte order mark are skipped',
    async bytes => {
      const team = await newLeadTeam()
      const text = '\ufeff\n{"lead_id": "A", "data": {"city": "Zürich 🚲"}}\r\n\r\n   \n{"lead_id": "B"}'
      expect(statuses(await run(team, CREATE, NDJSON, streamPieces(text, bytes)))).toEqual(['SUCCESS', 'SUCCESS'])
      expect((await lead(team, 'A')).data.city).toBe('Zürich 🚲')
    },
  )

  it('has an INVALID entry for each malformed line, which names it; the others are processed', async () => {
    const team = await newLeadTeam()
    const deep = `{"data": {"x": ${'['.repeat(200)}${']'.repeat(200)}}}`
    const lines = ['{"lead_id": "A"}', '{"lead_id": "B"', '', '"text"', deep, '{"lead_id": "C"}']
    const entries = await run(team, CREATE, NDJSON, lines.join('\n'))
    expect(statuses(entries)).toEqual(['SUCCESS', 'INVALID', 'INVALID', 'INVALID', 'SUCCESS'])
    expect(entries[1]?.completionMessage).toMatch(/^line 2: it is not JSON/)
    expect(entries[3]?.completionMessage).toMatch(/^line 5: /)
    const broken = new Uint8Array([...new TextEncoder().encode('{"lead_id": "'), 0xff, 0x22, 0x7d])
    const [entry] = await run(team, CREATE, NDJSON, broken)
    expect(entry?.completionMessage).toBe('line 1: it is not valid UTF-8')
  })

  it('names the line of an item that is no object', async () => {
    const entries = await run(await newLeadTeam(), CREATE, NDJSON, '{"lead_id": "A"}\n5\n[]\n')
    expect(entries.map(each => each.completionMessage)).toEqual([
      expect.anything(),
      'line 2: an item must be an object',
      'line 3: an item must be an object',
    ])
  })

  it('returns the text of a malformed line, with one place in its message, under the name of its process', async () => {
    const team = await newLeadTeam()
    const broken = '{"lead_id": "B", "data": {"city": "Goa" "score": 1}}'
    const long = `{"lead_id": "${'é'.repeat(80_000)}`
    const bytes = new Uint8Array([
      ...new TextEncoder().encode(`{"lead_id": "A"}\n${broken}  \r\n${long}\n{"lead_id": "`),
      ...[0xff, 0x22, 0x7d, 0x0a],
      ...new TextEncoder().encode('{"lead_id": "C", "data": {}} {"lead_id": "D"}'),
    ])
    const reply = await send(team, CREATE, NDJSON, bytes)
    await waitForJob(team, reply.data.id)
    const [, ...entries] = await listEntries(team, reply.data.id, '?limit=100')
    const kept = entries.map(({ data }: { data: { apiData: Record<string, unknown> } }) => {
      const { procedureId: _, ...apiData } = data.apiData
      return apiData
    })
    expect(kept).toEqual([
      { item: broken, line: 2, primaryKeyShortId: 'lead_id', primaryKeyValue: 'B' },
      { item: `${long.slice(0, 13 + (100_000 - 13) / 2)}…`, line: 3 },
      { item: '{"lead_id": "\ufffd"}', line: 4, primaryKeyShortId: 'lead_id', primaryKeyValue: '\ufffd' },
      {
        item: '{"lead_id": "C", "data": {}} {"lead_id": "D"}',
        line: 5,
        primaryKeyShortId: 'lead_id',
        primaryKeyValue: 'C',
      },
    ])
    const [first, , , last] = entries
    expect(first.completionMessage).toMatch(/^line 2: it is not JSON: [^:]* at character 41$/)
    expect(last.completionMessage).toMatch(/^line 5: it is not JSON: .* at character 30/)
    const results = await exports.default.fetch(`${ORIGIN}${JOBS}/${reply.data.id}/results?completionStatus=INVALID`, {
      headers: { authorization: `Bearer ${team.token}`, accept: 'text/csv' },
    })
    expect(await results.text()).toContain(broken.replaceAll('"', '""'))
  })

  it('skips a line that is larger than any entry', async () => {
    const team = await newLeadTeam()
    const text = `{"lead_id": "A"}\n{"data": {"x": "${'x'.repeat(5_000_000)}"}}\n{"lead_id": "B"}\n`
    const entries = await run(team, CREATE, NDJSON, streamPieces(text, 64 * 1024))
    expect(statuses(entries)).toEqual(['SUCCESS', 'INVALID', 'SUCCESS'])
    expect(entries[1]?.completionMessage).toMatch(/^line 2: an entry holds at most/)
  })
})

describe('a body of CSV', () => {
  it('creates, updates, and creates or updates: values by the types of attributes, an empty cell changes nothing', async () => {
    const attributes = [
      ...[attribute('lead_id', 'string'), attribute('city', 'string'), attribute('score', 'integer')],
      ...[attribute('isHot', 'boolean'), attribute('tags', 'multiString'), attribute('roof', 'json')],
    ]
    const team = await newLeadTeam({ attributes })
    const phone = newNumber()
    const table = `lead_id,city,score,isHot,tags,roof,nextActionAt,record.phone_number\nA,"Goa, north",7,TRUE,a; b,"{""flat"": 1}",2100-01-01T00:00:00Z,${phone}\nB,,,,,,,\n`
    expect(statuses(await run(team, CREATE, CSV, table))).toEqual(['SUCCESS', 'SUCCESS'])
    expect(await lead(team, 'A')).toMatchObject({
      data: { lead_id: 'A', city: 'Goa, north', score: 7, isHot: true, tags: ['a', 'b'], roof: { flat: 1 } },
      nextActionAt: Date.UTC(2100, 0, 1),
      record: { data: { phone_number: phone } },
    })
    expect((await lead(team, 'B')).data).toEqual({ lead_id: 'B' })
    await run(team, LEADS, CSV, 'lead_id,state,score,city\nA,IN_PROGRESS,,Pune\nB,,9,\n')
    expect(await lead(team, 'A')).toMatchObject({ state: 'IN_PROGRESS', data: { score: 7, city: 'Pune' } })
    expect((await lead(team, 'B')).data).toEqual({ lead_id: 'B', score: 9 })
    const upserted = await run(team, UPSERT, CSV, 'lead_id,score\nA,8\nC,1\n')
    expect(upserted.map(({ completionResult }) => completionResult.created)).toEqual([false, true])
    expect((await lead(team, 'A')).data.score).toBe(8)
  })

  it('deletes and restores by the column isDeleted, and names processes by id as well', async () => {
    const team = await newLeadTeam()
    const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
    expect(statuses(await run(team, LEADS, CSV, `id,isDeleted\n${data.id},TRUE\n`))).toEqual(['SUCCESS'])
    expect((await team.call('GET', `${LEADS}/${data.id}`)).status).toBe(404)
    expect(statuses(await run(team, LEADS, CSV, `id,isDeleted\n${data.id},maybe\n${data.id},false\n`))).toEqual([
      'INVALID',
      'SUCCESS',
    ])
    expect((await team.call('GET', `${LEADS}/${data.id}`)).status).toBe(200)
  })

  it.each([1, 5, 64])(
    'is the same in pieces of %i bytes: quotes, line ends in cells, CRLF and a byte order mark',
    async bytes => {
      const team = await newLeadTeam()
      const table = '\ufefflead_id,city\r\nA,"two\r\nlines, ""quoted"" and 🚲"\r\n\r\n,\r\nB,"Goa"'
      expect(statuses(await run(team, CREATE, CSV, streamPieces(table, bytes)))).toEqual(['SUCCESS', 'SUCCESS'])
      expect((await lead(team, 'A')).data.city).toBe('two\r\nlines, "quoted" and 🚲')
    },
  )

  it('has INVALID entries for bad cells and rows, which the message names; the others are processed', async () => {
    const team = await newLeadTeam({
      attributes: [attribute('lead_id', 'string'), attribute('score', 'integer'), attribute('roof', 'json')],
    })
    const table = 'lead_id,score,roof\nA,many,\nB,1\nC,1,"{broken"\nD,1,\n'
    const entries = await run(team, CREATE, CSV, table)
    expect(statuses(entries)).toEqual(['INVALID', 'INVALID', 'INVALID', 'SUCCESS'])
    expect(entries[0]?.completionResult.errors?.[0]?.path).toBe('/body/data/score')
    expect(entries[1]?.completionMessage).toBe('line 3: the row has 2 cells, and the header 3')
    expect(entries[2]?.completionMessage).toMatch(/^line 4: "roof" is no JSON/)
  })

  it('leaves out the columns of exports and of results, and takes no time without an offset', async () => {
    const team = await newLeadTeam({ attributes: [attribute('lead_id', 'string'), attribute('at', 'datetime')] })
    const entries = await run(
      team,
      CREATE,
      CSV,
      'id,createdAt,lead_id,at,_error\nx,1,A,2026-12-31,was wrong\ny,2,B,,\n',
    )
    expect(statuses(entries)).toEqual(['INVALID', 'SUCCESS'])
  })

  it('names the columns of an export that it does not take, and says of an id by what rows are found', async () => {
    const team = await newLeadTeam()
    const warningsOf = async (path: string, table: string) => {
      const reply = await send(team, path, CSV, table)
      expect(reply.status).toBe(202)
      return reply.meta.warnings
    }
    const table = 'id,lead_id,city,createdAt,updatedAt,_error\nx,A,Goa,1,2,\n'
    const warning = { code: 'column_left_out', path: '/body' }
    const all = 'nobody can set id, createdAt, updatedAt: what stands there is not taken'
    expect(await warningsOf(UPSERT, table)).toEqual([
      { ...warning, message: all, hint: 'a process is found by its lead_id; PATCH finds processes by id' },
    ])
    expect(await warningsOf(CREATE, table)).toEqual([
      { ...warning, message: all, hint: 'new processes get their own; PATCH finds processes by id' },
    ])
    expect(await warningsOf(LEADS, table)).toEqual([
      { ...warning, message: 'nobody can set createdAt, updatedAt: what stands there is not taken' },
    ])
    expect(await warningsOf(UPSERT, 'lead_id,city,_error\nA,Goa,\n')).toBeUndefined()
  })

  it('skips a row that is larger than any entry', async () => {
    const team = await newLeadTeam()
    const table = `lead_id,city\nA,"${'x'.repeat(5_000_000)}"\nB,Goa\n`
    const entries = await run(team, CREATE, CSV, streamPieces(table, 64 * 1024))
    expect(statuses(entries)).toEqual(['INVALID', 'SUCCESS'])
    expect(entries[0]?.completionMessage).toMatch(/^line 2: a row has at most/)
  })

  it.each([
    ['an unknown column', 'lead_id,cty\nA,Goa\n', /the column "cty" is no field, and no attribute of lead \(.*"city"/],
    [
      'a column that is there twice',
      'lead_id,city,city\nA,b,c\n',
      '"city" stands there twice, as column 2 and as column 3',
    ],
    ['another separator', 'lead_id|city\nA|Goa\n', 'cells are separated by commas, not by "|"'],
    ['no row', 'lead_id,city\n', /the body has no items \(rows are missing: there is a heading alone\)/],
    ['nothing', '', /the body has no items \(the first line names the columns/],
    ['a quote in the wrong place', 'lead_id,city\nA,Go"a\nB,\n', 'the body is not CSV: line 2: a quote'],
    ['a quote that is never closed', 'lead_id,city\nA,"Goa\nB,\n', 'the body is not CSV: line 2: a quote is opened'],
  ])('is refused whole for %s, before anything is accepted', async (_, table, message) => {
    const team = await newLeadTeam()
    await expectRefused(team, await send(team, CREATE, CSV, table), 400, message)
  })

  it('is refused with what curl does where it has no line break, whatever it begins with', async () => {
    const team = await newLeadTeam()
    for (const body of ['lead_id,cityA,GoaB,Pune', 'lead_id,city', `lead_id,city${'A,Goa'.repeat(20_000)}`]) {
      const reply = await send(team, CREATE, CSV, body)
      await expectRefused(team, reply, 400, 'the body has a heading, and no line break behind it')
      expect(reply.meta.errors[0].hint).toContain('--data-binary')
    }
    const reply = await send(team, CREATE, NDJSON, '{"lead_id": "A"}{"lead_id": "B"}')
    await waitForJob(team, reply.data.id)
    const [entry] = await listEntries(team, reply.data.id)
    expect(entry.completionResult.errors[0]).toMatchObject({
      message: expect.stringMatching(/^line 1: it is not JSON: .* at character 17$/),
      hint: expect.stringContaining('--data-binary'),
    })
  })

  it('is refused without a column that names the processes, where they have to be named', async () => {
    const team = await newLeadTeam()
    await expectRefused(team, await send(team, LEADS, CSV, 'city\nGoa\n'), 400, 'lead_id or id is needed')
    await expectRefused(team, await send(team, UPSERT, CSV, 'city\nGoa\n'), 400, 'the column lead_id is needed')
  })
})

describe.each([
  ['lines of JSON', NDJSON, (key: string) => `{"lead_id": "${key}", "data": {"city": "${'x'.repeat(1_000)}"}}\n`, ''],
  ['CSV', CSV, (key: string) => `${key},${'x'.repeat(1_000)}\n`, 'lead_id,city\n'],
])('a body of %s', (_, type, line, head) => {
  const text = (count: number) => head + Array.from({ length: count }, (_, nth) => line(`L${nth}`)).join('')

  it('leaves nothing where it breaks off, however much had arrived', async () => {
    const team = await newLeadTeam()
    const bytes = new TextEncoder().encode(text(6_000))
    let at = 0
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.error(new Error('the connection was lost'))
        controller.enqueue(bytes.slice(at, at + 64 * 1024))
        at += 64 * 1024
      },
    })
    const reply = await send(team, CREATE, type, broken)
    await expectRefused(team, reply, 400, 'ended before it was whole')
    const chunks = await env.DB.prepare('SELECT count(*) AS n FROM background_job WHERE team = ?').bind(team.no).first()
    expect(chunks).toEqual({ n: 0 })
  })

  it('is a job whose entries keep their order, also in several megabytes', async () => {
    const team = await newLeadTeam()
    const reply = await send(team, UPSERT, type, streamPieces(text(5_000), 64 * 1024))
    expect([reply.status, reply.data.total]).toEqual([202, 5_000])
    const [entry] = await listEntries(team, reply.data.id, '?skip=4321&limit=1')
    expect(entry.data.apiData.processUpsert.data.lead_id).toBe('L4321')
    await team.call('POST', `${JOBS}/${reply.data.id}/cancel`)
  })

  it('is accepted once for an idempotency key, and another body under the key is refused', async () => {
    const team = await newLeadTeam()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await send(team, CREATE, type, text(3), key)
    const again = await send(team, CREATE, type, text(3), key)
    expect([again.status, again.data.id]).toEqual([202, first.data.id])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await send(team, CREATE, type, text(2), key)).status).toBe(422)
    expect(await jobs(team)).toHaveLength(1)
  })

  it('may have more entries than one of JSON, and those after a hundred thousand are shown like the others', async () => {
    const team = await newLeadTeam()
    const short = head === '' ? '{"status":"OPEN"}\n' : ',x\n'
    const reply = await send(team, CREATE, type, head + short.repeat(100_900))
    expect([reply.status, reply.data.total]).toEqual([202, 100_900])
    await team.call('POST', `${JOBS}/${reply.data.id}/cancel`)
    const page = await team.call('GET', `${JOBS}/${reply.data.id}/entries?skip=100890&limit=100`)
    expect([page.meta.total, page.meta.next]).toEqual([100_900, null])
    expect(page.data.map(({ index }: { index: number }) => index)).toEqual(
      Array.from({ length: 10 }, (_, nth) => 100_890 + nth),
    )
    const line = head === '' ? 100_900 : 100_901
    expect(page.data.at(-1)).toMatchObject({ completionStatus: 'CANCELLED', data: { apiData: { line } } })
  })

  it('may have a hundred megabytes at most', async () => {
    const team = await newLeadTeam()
    const blank = new TextEncoder().encode(`${' '.repeat(999_999)}\n`)
    let left = 101
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(blank)
        else controller.close()
      },
    })
    await expectRefused(team, await send(team, CREATE, type, body), 413, 'the body is larger than 100000000 bytes')
  })
})

describe('a content type', () => {
  it.each([
    ['another one', { 'content-type': 'application/xml' }, '/header/content-type', 'must be one of application/json'],
    ['none', { 'content-type': '' }, '/header/content-type', 'must be one of'],
    [
      'another charset of lines',
      { 'content-type': 'application/x-ndjson; charset=windows-1252' },
      '/header/content-type',
      'not windows-1252',
    ],
    [
      'an unknown charset',
      { 'content-type': 'text/csv; charset=ebcdic' },
      '/header/content-type',
      'ebcdic is not known',
    ],
    ['a compressed body', { 'content-encoding': 'gzip' }, '/header/content-encoding', 'must not be compressed'],
  ])('is refused by the name of its header where the route does not take it: %s', async (_, headers, path, message) => {
    const team = await newLeadTeam()
    const reply = await send(team, CREATE, CSV, 'lead_id\nA\n', headers)
    expect(reply.meta.errors[0]).toMatchObject({ code: 'unsupported_media_type', path })
    await expectRefused(team, reply, 415, message)
  })

  it.each([
    ['multipart/form-data; boundary=x', ', not multipart/form-data', /^send the file itself as the body/],
    ['application/x-www-form-urlencoded', ', not application/x-www-form-urlencoded', /of what it is: .*text\/csv/],
    [
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'spreadsheetml.sheet',
      /^save the workbook as/,
    ],
    ['text/html', ', not text/html', /^send content-type: application\/json or .*text\/csv$/],
  ])('is refused with what came and what the route takes: %s', async (type, message, hint) => {
    const team = await newLeadTeam()
    const reply = await send(team, CREATE, CSV, 'lead_id\nA\n', { 'content-type': type })
    expect(reply.status).toBe(415)
    expect(reply.meta.errors[0]).toMatchObject({
      message: expect.stringContaining(message),
      hint: expect.stringMatching(hint),
    })
  })

  it('may name UTF-8, in any case', async () => {
    const team = await newLeadTeam()
    for (const type of ['text/csv; charset=UTF-8', 'Text/CSV;header=present; charset="utf-8"'])
      expect((await send(team, UPSERT, type, 'lead_id\nA\n', { 'content-encoding': 'identity' })).status).toBe(202)
  })
})
