import { beforeAll, describe, expect, it } from 'vitest'
import { fetchWorker, newTeam, type Team } from '../support/api.ts'
import { attribute, newProcedure, type Processes } from '../support/procedures.ts'

const HEAD = 'id,createdAt,updatedAt,status,state,nextActionAt,assignedTo,createdBy,completedAt'

/** A response that is no envelope. */
async function text(team: Team, path: string, headers: Record<string, string> = {}, body?: unknown) {
  const response = await fetchWorker(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    headers: response.headers,
    text: new TextDecoder().decode(await response.arrayBuffer()),
  }
}

const lines = (all: string) => all.split('\r\n').slice(0, -1)
const getRows = (ndjson: string) =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

let team: Team
let lead: Processes
beforeAll(async () => {
  team = await newTeam()
  const attributes = [
    attribute('lead_id', 'string'),
    attribute('name', 'string'),
    attribute('score', 'integer', { indexed: true }),
    attribute('seen', 'datetime'),
    attribute('tags', 'multiString'),
  ]
  lead = await newProcedure(team, { attributes })
  await lead.create({
    data: { lead_id: 'L1', name: 'Ann "A", \r\nsecond line', score: 7, seen: 1_700_000_000_000, tags: ['a', 'b'] },
    record: { data: { phone: '+91 94483 00001', mobile: '1', email: 'Ann@X.io', name: 'Ann' } },
    nextActionAt: 1_900_000_000_000,
  })
  await lead.create({ data: { lead_id: 'L2', name: '=1+1', other: { deep: [null] } } })
  await lead.create({ data: { lead_id: 'L3', name: '', score: -5 } })
})

describe('a list as CSV', () => {
  it('has the fields and the declared attributes, in the order of the definition', async () => {
    const { status, headers, text: csv } = await text(team, lead.path, { accept: 'text/csv' })
    const { data } = await team.call('GET', lead.path)
    const [l3, l2, l1] = data
    const iso = (ms: number) => new Date(ms).toISOString()
    const own = (one: typeof l1) =>
      `${one.id},${iso(one.createdAt)},${iso(one.updatedAt)},OPEN,NEW,${one.nextActionAt === null ? '' : iso(one.nextActionAt)},,${one.createdBy},`
    expect(status).toBe(200)
    expect(csv).toBe(
      [
        `${HEAD},lead_id,name,score,seen,tags`,
        `${own(l3)},L3,"",-5,,`,
        `${own(l2)},L2,=1+1,,,`,
        `${own(l1)},L1,"Ann ""A"", \r\nsecond line",7,2023-11-14T22:13:20.000Z,"[""a"",""b""]"`,
        '',
      ].join('\r\n'),
    )
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename="lead.csv"')
  })

  it('has the requested fields, in their order, and those of the customer', async () => {
    const fields = 'lead_id,record.phone,record.email,record.data.name,data.other,record'
    const reply = await text(team, `${lead.path}?format=csv&fields=${fields}&limit=2&skip=1`)
    const [head, second, first] = lines(reply.text)
    expect([head, second]).toEqual([fields, 'L2,,,,"{""deep"":[null]}",'])
    expect(first).toMatch(/^L1,919448300001,ann@x\.io,Ann,,"\{""id"":/)
    expect(JSON.parse(reply.headers.get('x-caseworker-warnings') ?? '')).toEqual([
      { code: 'undeclared_attribute', message: '"other" is not an attribute of lead', path: '/query/fields' },
    ])
  })

  it('begins with a byte order mark for Excel, and has no formula in it', async () => {
    const reply = await fetchWorker(`${lead.path}?format=excel&fields=name,score`, {
      headers: { authorization: `Bearer ${team.token}` },
    })
    const bytes = new Uint8Array(await reply.arrayBuffer())
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(new TextDecoder().decode(bytes)).toBe('name,score\r\n"",-5\r\n\'=1+1,\r\n"Ann ""A"", \r\nsecond line",7\r\n')
  })

  it.each(['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n'])(
    'has no text for Excel that begins with %j, as some Excel runs it',
    async sign => {
      const name = `${sign}SUM(1;2)`
      const { data: made } = await lead.create({ data: { lead_id: 'X', name } })
      const where = { where: { name } }
      const excel = await text(team, `${lead.path}/list?format=excel&fields=name`, {}, where)
      const cell = excel.text.slice(excel.text.indexOf('\r\n') + 2).replace(/^"/, '')
      expect(cell.startsWith(`'${sign}`)).toBe(true)
      const csv = await text(team, `${lead.path}/list?format=csv&fields=name`, {}, where)
      expect(csv.text).toContain(name)
      expect(csv.text).not.toContain(`'${sign}`)
      await lead.remove(made.id)
    },
  )

  it('has no blank lines for one column, since readers skip them', async () => {
    expect((await text(team, `${lead.path}?format=csv&fields=score`)).text).toBe('score\r\n-5\r\n""\r\n7\r\n')
  })

  it('says where the next page is', async () => {
    const reply = await text(team, `${lead.path}?format=csv&fields=lead_id&limit=2`)
    const [, address = ''] = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '') ?? []
    const { pathname, search } = new URL(address)
    expect((await text(team, pathname + search)).text).toBe('lead_id\r\nL1\r\n')
  })
})

describe('a list as lines of JSON', () => {
  it('has the processes of the list', async () => {
    const { data } = await team.call('GET', lead.path)
    const reply = await text(team, lead.path, { accept: 'application/x-ndjson' })
    expect(getRows(reply.text)).toEqual(data)
    expect(reply.headers.get('content-type')).toBe('application/x-ndjson')
    const searched = await text(team, `${lead.path}/list?format=ndjson`, {}, { where: { lead_id: 'L2' } })
    expect(getRows(searched.text)).toEqual([data[1]])
  })
})

describe('selected fields', () => {
  it('are all that each process of a JSON list has', async () => {
    const fields = ['id', 'name', 'record.phone', 'record.data.name', 'record.data.none']
    const { data, meta } = await team.call('POST', `${lead.path}/list`, { fields, sort: [{ field: 'score' }] })
    expect(data).toEqual([
      { id: expect.any(String), data: { name: '' }, record: null },
      {
        id: expect.any(String),
        data: { name: 'Ann "A", \r\nsecond line' },
        record: { phone: '919448300001', data: { name: 'Ann' } },
      },
      { id: expect.any(String), data: { name: '=1+1' }, record: null },
    ])
    expect(meta.warnings).toBeUndefined()
  })

  it('may be whole documents', async () => {
    const [one] = (await team.call('POST', `${lead.path}/list`, { where: { lead_id: 'L1' } })).data
    const fields = ['record', 'record.email', 'data', 'lead_id']
    const { data } = await team.call('POST', `${lead.path}/list`, { where: { lead_id: 'L1' }, fields })
    expect(data).toEqual([{ record: { ...one.record, email: 'ann@x.io' }, data: one.data }])
  })

  it('are warned of if nobody declared them, and refused where a procedure is strict', async () => {
    const { meta } = await team.call('GET', `${lead.path}?fields=scroe`)
    expect(meta.warnings).toEqual([
      {
        code: 'undeclared_attribute',
        message: '"scroe" is not an attribute of lead',
        path: '/query/fields',
        hint: 'did you mean "score"?',
      },
    ])
    const strict = await newProcedure(await newTeam(), { strict: true })
    const strictTeam = await newTeam()
    const other = await newProcedure(strictTeam, { strict: true })
    const refused = await strictTeam.call('POST', `${other.path}/list`, { fields: ['lead_id', 'citty'] })
    expect([refused.status, refused.meta.errors[0]]).toMatchObject([
      400,
      { path: '/body/fields/1', hint: 'did you mean "city"?' },
    ])
    expect(strict.path).toBe(other.path)
  })

  it('are refused by name if a customer has no such field', async () => {
    const refused = await team.call('GET', `${lead.path}?fields=record.phone_number,record.mail`)
    expect(refused.status).toBe(400)
    expect(refused.meta.errors.map(({ hint }: { hint: string }) => hint)).toEqual([
      'did you mean "record.data.phone_number"?',
      'did you mean "record.email"?',
    ])
  })
})

describe('a whole list in one response', () => {
  it.each(['json', 'csv', 'ndjson'])('is the same as its pages, as %s', async format => {
    const fields = 'id,lead_id,name,score'
    const all = await text(team, `${lead.path}?format=${format}&all=true&fields=${fields}`)
    const page = await text(team, `${lead.path}?format=${format}&limit=100&fields=${fields}`)
    const requestId = /"requestId":"[^"]*"/g
    expect(all.text.replace(requestId, '')).toBe(page.text.replace(requestId, ''))
    expect(all.headers.get('x-request-id')).toBeTruthy()
  })

  it('says in lines between how far it is, if requested', async () => {
    const reply = await text(team, `${lead.path}/list?format=ndjson&all=true&checkpoints=true&fields=lead_id`, {}, {})
    expect(getRows(reply.text)).toEqual([
      { data: { lead_id: 'L3' } },
      { data: { lead_id: 'L2' } },
      { data: { lead_id: 'L1' } },
      { _data: [], _meta: { hasMore: false, next: null }, _errors: [] },
    ])
  })

  it('accepts a cursor and `skip`, and no limit', async () => {
    const { meta } = await team.call('GET', `${lead.path}?limit=1`)
    const from = await text(team, `${lead.path}?format=csv&all=true&fields=lead_id&cursor=${meta.next}`)
    expect(lines(from.text)).toEqual(['lead_id', 'L2', 'L1'])
    const skipped = await text(team, `${lead.path}?format=csv&all=true&fields=lead_id&skip=2`)
    expect(lines(skipped.text)).toEqual(['lead_id', 'L1'])
    for (const refused of [
      await team.call('GET', `${lead.path}?all=true&limit=5`),
      await team.call('POST', `${lead.path}/list?all=true`, { limit: 5 }),
    ])
      expect([refused.status, refused.meta.errors[0].message]).toEqual([400, expect.stringContaining('`limit`')])
  })

  it('is refused as a page is, before anything of it is sent', async () => {
    const refused = await team.call('POST', `${lead.path}/list?all=true&format=csv`, { where: { state: 'NOWHERE' } })
    expect([refused.status, refused.meta.errors[0].path]).toEqual([400, '/body/where/state'])
    const unknown = await team.call('GET', '/v1/ext/procedure/none/process?all=true&format=ndjson')
    expect(unknown.status).toBe(404)
  })
})

describe('an unknown format', () => {
  it('is a 406 in the header, and a 400 in the query, with the known ones', async () => {
    const refused = await team.call('GET', lead.path, undefined, { accept: 'text/html' })
    expect([refused.status, refused.meta.errors[0]]).toMatchObject([
      406,
      { code: 'not_acceptable', path: '/header/accept', message: expect.stringContaining('text/csv') },
    ])
    const wrong = await team.call('GET', `${lead.path}?format=xlsx`)
    expect([wrong.status, wrong.meta.errors[0].message]).toEqual([
      400,
      expect.stringContaining('json, csv, excel, ndjson'),
    ])
  })

  it('is ignored in the header where the query names one', async () => {
    const reply = await team.call('GET', `${lead.path}?format=json`, undefined, { accept: 'text/html' })
    expect([reply.status, reply.data.length]).toEqual([200, 3])
  })

  it('can have no checkpoints', async () => {
    const refused = await team.call('GET', `${lead.path}?format=csv&all=true&checkpoints=true`)
    expect([refused.status, refused.meta.errors[0].hint]).toEqual([400, 'format=ndjson'])
  })
})

it('a team has ten lists with all=true open at a time, and a further one once one of them has ended', async () => {
  const team = await newTeam()
  const { path, create } = await newProcedure(team)
  await create({ data: { lead_id: 'A' } })
  const begin = () =>
    fetchWorker(`${path}?all=true&format=ndjson`, { headers: { authorization: `Bearer ${team.token}` } })
  const readers = []
  for (let nth = 0; nth < 10; nth++) {
    const reader = (await begin()).body?.getReader()
    await reader?.read()
    readers.push(reader)
  }
  const refused = await begin()
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('10')
  await refused.text()
  await readers[0]?.cancel()
  const next = await begin()
  expect(next.status).toBe(200)
  await next.text()
  expect((await begin()).status).toBe(200)
  for (const reader of readers) await reader?.cancel()
})
