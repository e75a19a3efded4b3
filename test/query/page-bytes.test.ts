import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { getFirstRid } from '../../src/ids.ts'
import { newTeam, type Team } from '../support/api.ts'
import { attribute, newProcedure } from '../support/procedures.ts'
import { connectPlugin } from '../support/provider.ts'
import { toId } from '../support/stored.ts'

// An isolate has 128 MB for all its requests: a page ends where its bytes are too much, and says so.

const COUNT = 14
const LARGE = 'x'.repeat(450_000)
/** The bound of a page, one process that is larger than the remaining space, and the rest of the response. */
const PAGE_CHARACTERS_MAX = 5_500_000

/** Every page from the first to the last, each of them bounded. */
async function readPages(team: Team, page: (cursor: string | null) => [method: string, path: string, body?: object]) {
  const pages: { id: string }[][] = []
  let cursor: string | null = null
  do {
    const { data, meta, errors } = await team.call(...page(cursor))
    expect(errors).toEqual([])
    expect(JSON.stringify(data).length).toBeLessThan(PAGE_CHARACTERS_MAX)
    expect(meta.hasMore ?? meta.next !== null).toBe(meta.next !== null)
    pages.push(data)
    cursor = meta.next
  } while (cursor !== null)
  return pages
}

const idsIn = (pages: { id: string }[][]) => pages.flat().map(({ id }) => id)
const cursorIn = (cursor: string | null) => (cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`)

async function createLargeProcesses() {
  const team = await newTeam()
  const { path, create } = await newProcedure(team, {
    attributes: [
      attribute('lead_id', 'string'),
      attribute('city', 'string', { searchable: true }),
      attribute('score', 'integer', { indexed: true }),
      attribute('essay', 'string'),
    ],
  })
  const ids: string[] = []
  for (let nth = 0; nth < COUNT; nth++) {
    const essay = nth % 4 === 0 ? 'short' : LARGE
    const made = await create({ data: { lead_id: `L${nth}`, city: 'Pune', score: nth % 3, essay } })
    ids.unshift(made.data.id)
  }
  return { team, path, ids }
}

test('a page of processes ends by their bytes, in every order, and each one is shown once and whole', async () => {
  const { team, path, ids } = await createLargeProcesses()
  const bodies: [string, object, boolean][] = [
    ['newest first', {}, true],
    ['the oldest first', { sort: [{ field: 'createdAt', order: 'asc' }] }, false],
    ['along an index', { sort: [{ field: 'score', order: 'asc' }] }, false],
    ['sorted', { sort: [{ field: 'updatedAt', order: 'desc' }] }, true],
    ['found by ids', { where: { id: ids } }, true],
    ['found by words', { search: 'pune' }, true],
    ['by relevance', { search: 'pune', sort: [{ field: 'relevance' }] }, false],
  ]
  for (const [what, body, isNewestFirst] of bodies) {
    const pages = await readPages(team, cursor => [
      'POST',
      `${path}/list`,
      { ...body, limit: 100, ...(cursor && { cursor }) },
    ])
    expect([what, pages.length > 1]).toEqual([what, true])
    expect([what, isNewestFirst ? idsIn(pages) : idsIn(pages).toSorted()]).toEqual([
      what,
      isNewestFirst ? ids : ids.toSorted(),
    ])
    for (const { data } of pages.flat() as unknown as { data: { essay: string; lead_id: string } }[])
      expect(data.essay.length).toBe(Number(data.lead_id.slice(1)) % 4 === 0 ? 5 : LARGE.length)
  }
})

test('a page of customers, and of the processes of one, ends by its bytes', async () => {
  const team = await newTeam()
  const { create } = await newProcedure(team)
  const customers: string[] = []
  for (let nth = 0; nth < COUNT; nth++) {
    const made = await create({
      data: { lead_id: `C${nth}` },
      record: { data: { phone: `9194483000${nth + 10}`, note: LARGE } },
    })
    customers.unshift(made.data.record.id)
  }
  const listed = await readPages(team, cursor => ['GET', `/v1/ext/record?limit=100${cursorIn(cursor)}`])
  expect(listed.length).toBeGreaterThan(1)
  expect(idsIn(listed)).toEqual(customers)

  const [id = ''] = customers
  const own: string[] = []
  for (let nth = 0; nth < COUNT; nth++) {
    const made = await create({ data: { lead_id: `O${nth}`, note: LARGE }, record: { id } })
    own.unshift(made.data.id)
  }
  const ofOne = await readPages(team, cursor => ['GET', `/v1/ext/record/${id}/process?limit=100${cursorIn(cursor)}`])
  expect(ofOne.length).toBeGreaterThan(1)
  expect(idsIn(ofOne).slice(0, COUNT)).toEqual(own)
})

test('a list in which each process shows a large customer ends by its bytes', async () => {
  const team = await newTeam()
  const { path, create } = await newProcedure(team)
  const first = await create({ data: { lead_id: 'R0' }, record: { data: { phone: '919448300010', note: LARGE } } })
  const ids = [first.data.id]
  for (let nth = 1; nth < COUNT; nth++)
    ids.unshift((await create({ data: { lead_id: `R${nth}` }, record: { id: first.data.record.id } })).data.id)
  const pages = await readPages(team, cursor => ['GET', `${path}?limit=100${cursorIn(cursor)}`])
  expect(pages.length).toBeGreaterThan(1)
  expect(idsIn(pages)).toEqual(ids)
})

test('a page of messages that is full where the next rows are looked through goes on there', async () => {
  const [team, other] = [await newTeam(), await newTeam()]
  const plugins = new Map<number, unknown>()
  for (const each of [team, other]) {
    await connectPlugin(each)
    plugins.set(each.no, await env.DB.prepare('SELECT no FROM plugin WHERE team = ?').bind(each.no).first('no'))
  }
  const begin = getFirstRid(Date.now() - 60_000)
  const store = ({ no }: Team, rid: number, text: string) =>
    env.DB.prepare(
      `INSERT INTO message (rid, id, team, plugin, sender, graph_version, phone, data_type, text, request, delivery, history, user, source_id, updated_at)
        VALUES (?1, ?2, ?3, ?4, '1', 'v24.0', '919448300010', 'text', ?5, jsonb('{}'), 3, jsonb('[]'), ?6, 'a request', 1)`,
    ).bind(rid, toId(rid), no, plugins.get(no), text, toId(1))
  const own = [900, 500, 100].map(nth => begin + nth)
  const [first = 0, ...later] = own
  // More rows of another team than are looked through at first.
  const between = Array.from({ length: 780 }, (_, nth) => begin + 110 + nth).filter(rid => !own.includes(rid))
  await env.DB.batch(between.map(rid => store(other, rid, '')))
  await env.DB.batch([store(team, first, 'x'.repeat(1_900_000)), ...later.map(rid => store(team, rid, LARGE))])
  const pages = await readPages(team, cursor => ['GET', `/v1/ext/message?limit=100${cursorIn(cursor)}`])
  expect(idsIn(pages)).toEqual(own.map(toId))
  expect(pages.length).toBeGreaterThan(1)
})

test('a page of messages ends by its bytes', async () => {
  const team = await newTeam()
  await connectPlugin(team)
  const plugin = await env.DB.prepare('SELECT no FROM plugin WHERE team = ?').bind(team.no).first<{ no: number }>()
  const ids: string[] = []
  for (let nth = 0; nth < COUNT; nth++) {
    const rid = getFirstRid(Date.now() - 60_000 + nth)
    ids.unshift(toId(rid))
    await env.DB.prepare(
      `INSERT INTO message (rid, id, team, plugin, sender, graph_version, phone, data_type, text, request, delivery, history, user, source_id, updated_at)
        VALUES (?1, ?2, ?3, ?4, '1', 'v24.0', '919448300010', 'text', ?5, jsonb('{}'), 3, jsonb('[]'), ?6, 'a request', 1)`,
    )
      .bind(rid, toId(rid), team.no, plugin?.no, LARGE, toId(1))
      .run()
  }
  for (const by of ['limit=100', 'limit=100&phoneNumber=919448300010']) {
    const pages = await readPages(team, cursor => ['GET', `/v1/ext/message?${by}${cursorIn(cursor)}`])
    expect([by, pages.length > 1]).toEqual([by, true])
    expect(idsIn(pages)).toEqual(ids)
  }
})
