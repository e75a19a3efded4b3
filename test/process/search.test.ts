import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ERASE_AFTER_MS } from '../../src/team/erase.ts'
import { newTeam, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, LEADS, waitForJob } from '../support/jobs.ts'
import { erase, exportLines, operate } from '../support/operator.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

const ATTRIBUTES = {
  attributes: [
    attribute('lead_id', 'string'),
    attribute('name', 'name', { searchable: true }),
    attribute('tags', 'multiString', { searchable: true }),
    attribute('score', 'integer', { indexed: true }),
    attribute('secret', 'text'),
  ],
}

const setUp = async () => {
  const team = await newTeam()
  return { team, ...(await newProcedure(team, ATTRIBUTES)) }
}

const search = (team: Team, body: object, path = LEADS) => team.call('POST', `${path}/list`, { limit: 100, ...body })

/** The primary keys of what a search finds, in its order. */
async function found(team: Team, words: string, more: object = {}): Promise<string[]> {
  const reply = await search(team, { search: words, ...more })
  expect(reply.status, reply.errors.join()).toBe(200)
  return reply.data.map((each: { data: { lead_id: string } }) => each.data.lead_id)
}

/** Counts the entries of a word in the index, past the API. */
const matching = (procedure: number | null, word: string) =>
  env.DB.prepare('SELECT count(*) AS n FROM process_search WHERE process_search MATCH ?')
    .bind(`"${procedure}\u00a7${word}"`)
    .first<number>('n')

const indexed = async (team: Team, word: string) =>
  matching(
    await env.DB.prepare("SELECT no FROM procedure WHERE team = ? AND short_id = 'lead'")
      .bind(team.no)
      .first<number>('no'),
    word,
  )

const add = (team: Team, lead_id: string, data: object) => team.call('POST', LEADS, { data: { lead_id, ...data } })

describe('a search', () => {
  it('finds every word, in any order and attribute, by its start, whatever the case and the accents', async () => {
    const { team } = await setUp()
    await add(team, 'A', { name: 'Ünal Ozer-Smith', tags: ['gold', 'north side'] })
    await add(team, 'B', { name: 'unal', tags: ['silver'], secret: 'ozer' })
    await add(team, 'C', { name: 'Müller, José@example.com' })
    expect(await found(team, 'UNAL')).toEqual(['B', 'A'])
    expect(await found(team, 'oz üna')).toEqual(['A'])
    expect(await found(team, 'smith side gold')).toEqual(['A'])
    expect(await found(team, 'mith')).toEqual([])
    expect(await found(team, 'ozer silver')).toEqual([])
    expect(await found(team, 'jose@exam')).toEqual(['C'])
    expect(await found(team, '"mul* AND (')).toEqual([])
    expect(await found(team, '"mul*')).toEqual(['C'])
    expect(await found(team, 'una NOT')).toEqual([])
    expect(await found(team, 'u', { where: { name: { startsWith: 'ü' } } })).toEqual([])
    expect(await found(team, 'u', { where: { name: { startsWith: 'Ü' } } })).toEqual(['A'])
    expect(await found(team, 'u', { where: { lead_id: ['A', 'C'] } })).toEqual(['A'])
  })

  it('ignores marks on letters, and takes no letter for another', async () => {
    const { team } = await setUp()
    await add(team, 'A', { name: 'Łukasz Øye', tags: ['straße', 'encyclopædia'] })
    for (const word of ['łukasz', 'ŁUKASZ', 'øye', 'ØYE', 'straße', 'encyclopædia'])
      expect(await found(team, word), word).toEqual(['A'])
    for (const word of ['lukasz', 'oye', 'strasse', 'encyclopaedia']) expect(await found(team, word), word).toEqual([])
  })

  it('follows each change: update, upsert, removal of a value, deletion and restore', async () => {
    const { team, update, upsert, remove, restore } = await setUp()
    const { data } = await add(team, 'A', { name: 'Asha', tags: ['gold'] })
    await update('lead_id/A', { data: { name: 'Meera' } })
    expect([await found(team, 'asha'), await found(team, 'meera gold')]).toEqual([[], ['A']])
    await upsert({ data: { lead_id: 'A', tags: ['silver'] } })
    expect([await found(team, 'gold'), await found(team, 'meera silver')]).toEqual([[], ['A']])
    await upsert({ data: { lead_id: 'B', name: 'Meera' } })
    expect(await found(team, 'meera')).toEqual(['B', 'A'])
    await update(data.id, { data: { name: null } })
    expect([await found(team, 'meera'), await found(team, 'silver')]).toEqual([['B'], ['A']])
    await remove('lead_id/A')
    expect([await found(team, 'silver'), await indexed(team, 'silver')]).toEqual([[], 0])
    await restore(data.id)
    expect(await found(team, 'silver')).toEqual(['A'])
    const refused = await update(data.id, { data: { name: 'Nobody' } }, { 'if-match': '"99-0"' })
    expect([refused.status, await found(team, 'nobody')]).toEqual([412, []])
  })

  it('follows bulk creates, updates and deletions', async () => {
    const { team, remove } = await setUp()
    const creates = Array.from({ length: 30 }, (_, n) => ({ data: { lead_id: `L${n}`, name: `Name${n} all` } }))
    await waitForJob(team, (await bulk(team, 'POST', creates)).data.id)
    expect(await found(team, 'all name7')).toEqual(['L7'])
    await remove('lead_id/L9')
    const processes = [
      { lead_id: 'L7', update: { data: { name: 'other' } } },
      { lead_id: 'L8', update: { data: { score: 5 } } },
      { lead_id: 'L6', update: { isDeleted: true } },
      { lead_id: 'L9', update: { data: { name: 'other' } } },
    ]
    await waitForJob(team, (await bulk(team, 'PATCH', { processes })).data.id)
    expect(await found(team, 'other')).toEqual(['L7'])
    expect(await found(team, 'name8')).toEqual(['L8'])
    expect(await found(team, 'name6')).toEqual([])
    expect((await found(team, 'all')).length).toBe(27)
  })

  it('continues by cursor, sorts by other fields, and by relevance', async () => {
    const { team } = await setUp()
    for (let n = 0; n < 12; n++)
      await add(team, `L${n}`, { name: n === 5 ? 'pune pune pune' : `pune in a longer text number ${n}`, score: n % 4 })
    const pages = async (sort?: object) => {
      const keys: string[] = []
      let cursor: string | null = null
      do {
        const reply = await search(team, {
          search: 'pun',
          limit: 5,
          ...(sort ? { sort } : {}),
          ...(cursor ? { cursor } : {}),
        })
        expect(reply.status, reply.errors.join()).toBe(200)
        keys.push(...reply.data.map((each: { data: { lead_id: string } }) => each.data.lead_id))
        cursor = reply.meta.next as string | null
      } while (cursor !== null)
      return keys
    }
    const newest = Array.from({ length: 12 }, (_, n) => `L${11 - n}`)
    expect(await pages()).toEqual(newest)
    expect((await pages([{ field: 'score' }])).slice(0, 4)).toEqual(['L8', 'L4', 'L0', 'L9'])
    const relevant = await pages([{ field: 'relevance' }])
    expect([relevant[0], relevant.length, new Set(relevant).size]).toEqual(['L5', 12, 12])
    expect(await found(team, 'pun', { sort: [{ field: 'relevance' }], where: { score: 3 } })).toEqual([
      'L11',
      'L7',
      'L3',
    ])
    expect(await found(team, 'pun', { skip: 10 })).toEqual(['L1', 'L0'])
    const cut = await search(team, { search: 'pun', limit: 5 })
    const other = await search(team, { search: 'in', cursor: cut.meta.next })
    expect(other.status).toBe(400)
  })

  it('reads no more rows for a page behind many matches than for the first one', async () => {
    const { team } = await setUp()
    const processes = Array.from({ length: 300 }, (_, nth) => ({ lead_id: `${nth}`, data: { name: 'Pune west' } }))
    await bulk(team, 'POST', processes)
    const read = async (body: object) => {
      const harness = new Harness()
      const { body: reply } = await harness.request(team, 'POST', `${LEADS}/list`, { search: 'pune', ...body })
      return { rows: harness.rows.read, next: reply._meta.next as string }
    }
    const first = await read({ limit: 10 })
    const late = await read({ limit: 10, cursor: (await read({ limit: 100, skip: 100 })).next })
    expect(late.rows).toBeLessThanOrEqual(first.rows + 2)
  })

  it('finds texts that begin with a word, whether few words do or many', async () => {
    const { team } = await setUp()
    const count = 40
    const processes = Array.from({ length: count }, (_, nth) => ({
      lead_id: `${nth}`,
      data: { name: `pune${nth} ${nth % 2 === 0 ? 'even' : 'odd'}` },
    }))
    await bulk(team, 'POST', processes)
    const keys = processes.map(({ lead_id }) => lead_id).reverse()
    expect(await found(team, 'pune')).toEqual(keys)
    expect(await found(team, 'pune3')).toEqual(keys.filter(key => key.startsWith('3')))
    expect(await found(team, 'od pune')).toEqual(keys.filter(key => Number(key) % 2 === 1))
    expect(await found(team, 'pune99 od')).toEqual([])
  })

  it('finds nothing of another team, or of another procedure', async () => {
    const { team } = await setUp()
    const { team: other } = await setUp()
    const { create } = await newProcedure(team, ATTRIBUTES, 'visit')
    await add(other, 'X', { name: 'shared' })
    await create({ data: { lead_id: 'V', name: 'shared' } })
    await add(team, 'A', { name: 'shared' })
    expect([await found(team, 'shared'), await found(other, 'shared')]).toEqual([['A'], ['X']])
    expect(await indexed(team, 'shared')).toBe(1)
  })

  it.each([
    ['without a letter', { search: '?!' }, '/body/search', /at least one letter or digit/],
    ['of many words', { search: 'a b c d e f g h i j k' }, '/body/search', /at most 10 words/],
    ['that is long', { search: 'x'.repeat(201) }, '/body/search', /at most 200 characters/],
    [
      'by relevance and more',
      { search: 'a', sort: [{ field: 'score' }, { field: 'relevance' }] },
      '/body/sort/1/field',
      /alone/,
    ],
    ['by relevance of nothing', { sort: [{ field: 'relevance' }] }, '/body/sort/0/field', /cannot be sorted by/],
  ])('is refused %s', async (_, body, path, message) => {
    const { team } = await setUp()
    const reply = await search(team, body)
    expect([reply.status, reply.meta.errors]).toEqual([400, [expect.objectContaining({ path })]])
    expect(reply.errors[0]).toMatch(message)
  })

  it('is refused where nothing is searchable and there is no primary key, and by a type without words', async () => {
    const team = await newTeam()
    const { define } = await newProcedure(team, { primaryKey: null })
    const reply = await search(team, { search: 'a' })
    expect([reply.status, reply.errors[0]]).toEqual([400, expect.stringMatching(/no attribute of lead is searchable/)])
    const refused = await define({
      primaryKey: null,
      attributes: [attribute('score', 'integer', { searchable: true })],
    })
    expect([refused.status, refused.meta.errors]).toEqual([
      400,
      [expect.objectContaining({ path: '/body/attributes/0/searchable' })],
    ])
  })
})

describe('the primary key', () => {
  const keys = ['ENQ-11042', 'ENQ-11043', 'ENQ-2']

  it('is searched with the searchable attributes: each of its words, and its beginning', async () => {
    const { team } = await setUp()
    for (const key of keys) await add(team, key, { name: key === 'ENQ-2' ? 'Asha 11042' : 'Meera' })
    expect(await found(team, 'ENQ-11042')).toEqual(['ENQ-2', 'ENQ-11042'])
    expect(await found(team, 'ENQ-11042 meera')).toEqual(['ENQ-11042'])
    expect(await found(team, 'enq-110')).toEqual(['ENQ-2', 'ENQ-11043', 'ENQ-11042'])
    expect(await found(team, '11043')).toEqual(['ENQ-11043'])
    expect(await found(team, '1043')).toEqual([])
  })

  it('is entered with the words when an attribute becomes searchable, as a number too', async () => {
    const team = await newTeam()
    const attributes = (searchable: boolean) => [
      attribute('number', 'integer'),
      attribute('name', 'name', searchable ? { searchable } : {}),
    ]
    const { define } = await newProcedure(team, { primaryKey: 'number', attributes: attributes(false) })
    await team.call('POST', LEADS, { data: { number: 11042, name: 'Asha' } })
    await define({ primaryKey: 'number', attributes: attributes(true) })
    await team.call('POST', LEADS, { data: { number: 11043, name: 'Meera' } })
    const numbers = async (words: string) =>
      (await search(team, { search: words })).data.map((each: { data: { number: number } }) => each.data.number)
    expect([await numbers('110'), await numbers('asha 11042'), await numbers('meera')]).toEqual([
      [11043, 11042],
      [11042],
      [11043],
    ])
  })

  it('is found by its beginning where nothing is declared as searchable, in any order and page by page', async () => {
    const team = await newTeam()
    const { update } = await newProcedure(team)
    for (const key of [...keys, 'XENQ-1', 'Éa-1']) await add(team, key, {})
    expect(await found(team, 'ENQ-11042')).toEqual(['ENQ-11042'])
    expect(await found(team, ' enq-110 ')).toEqual(['ENQ-11043', 'ENQ-11042'])
    expect(await found(team, 'éA')).toEqual(['Éa-1'])
    expect(await found(team, '11042')).toEqual([])
    expect(await found(team, 'enq', { sort: [{ field: 'lead_id' }] })).toEqual(keys)
    expect(await found(team, 'enq', { sort: [{ field: 'relevance' }] })).toEqual([...keys].reverse())
    expect(await found(team, 'enq', { where: { lead_id: ['ENQ-2', 'XENQ-1'] } })).toEqual(['ENQ-2'])
    await update('lead_id/ENQ-2', { state: 'WON' })
    expect(await found(team, 'enq', { where: { state: 'WON' } })).toEqual(['ENQ-2'])
    const first = await search(team, { search: 'enq', limit: 2 })
    const rest = await search(team, { search: 'enq', limit: 2, cursor: first.meta.next })
    expect([first.data.length, rest.data.length, rest.meta.next]).toEqual([2, 1, null])
    const sort = [{ field: 'relevance' }]
    const best = await search(team, { search: 'enq', sort, limit: 2 })
    const others = await search(team, { search: 'enq', sort, limit: 2, cursor: best.meta.next })
    expect([best.data.length, others.data.length, others.meta.next]).toEqual([2, 1, null])
    expect((await search(team, { search: 'xenq', limit: 2, cursor: first.meta.next })).status).toBe(400)
    for (const [words, message] of [
      ['-', /at least one letter or digit/],
      ['x'.repeat(201), /at most 200 characters/],
    ] as const)
      expect((await search(team, { search: words })).errors[0]).toMatch(message)
  })
})

describe('a search by relevance', () => {
  it('ranks the newest thousand matches, and no more', async () => {
    const { team } = await setUp()
    await add(team, 'OLD', { name: 'pune pune pune pune' })
    const items = Array.from({ length: 1_000 }, (_, n) => ({
      data: { lead_id: `L${n}`, name: n === 500 ? 'pune pune' : 'pune and more words' },
    }))
    await waitForJob(team, (await bulk(team, 'POST', items)).data.id)
    const sort = [{ field: 'relevance' }]
    expect((await found(team, 'pune', { sort })).slice(0, 2)).toEqual(['L500', 'L999'])
    expect(await found(team, 'pune', { sort, skip: 990 })).toHaveLength(10)
    expect(await found(team, 'pune', { sort, where: { lead_id: ['OLD', 'L3'] } })).toEqual(['L3'])
  })

  it('lists first the processes that have each word more often, in fewer words', async () => {
    const { team } = await setUp()
    await add(team, 'A', { name: 'pune road' })
    await add(team, 'B', { name: 'road in pune, another road near pune, and so on and on' })
    await add(team, 'C', { name: 'pune pune pune road' })
    await add(team, 'D', { name: 'pune road pune road' })
    await add(team, 'E', { name: 'one road of pune among many that are named here' })
    expect(await found(team, 'road pun', { sort: [{ field: 'relevance' }] })).toEqual(['D', 'C', 'A', 'B', 'E'])
  })
})

describe('an attribute that becomes searchable', () => {
  it('is entered for the existing processes, and removed when it no longer is', async () => {
    const team = await newTeam()
    const plain = ATTRIBUTES.attributes.map(({ searchable: _, ...rest }) => rest)
    const { define } = await newProcedure(team, { attributes: plain })
    await add(team, 'A', { name: 'Asha', tags: ['gold'] })
    const defined = await define(ATTRIBUTES)
    expect(defined.data.attributes[1]).toMatchObject({ searchable: true })
    const read = await team.call('GET', '/v1/ext/procedure/lead')
    expect(read.data.attributes[1]).toMatchObject({ searchable: true, searchReady: true })
    expect(await found(team, 'gold ash')).toEqual(['A'])
    await define({ attributes: plain.map(each => ({ ...each, searchable: each.shortId === 'secret' })) })
    expect(await found(team, 'gold')).toEqual([])
    await define({ attributes: plain })
    await define({ attributes: plain.map(each => ({ ...each, searchable: each.shortId === 'name' })) })
    expect([await found(team, 'asha'), await found(team, 'gold')]).toEqual([['A'], []])
  })

  it('is refused with 409 until all are entered', async () => {
    const { team } = await setUp()
    await add(team, 'A', { name: 'Asha' })
    await env.DB.prepare(
      `UPDATE procedure SET version = version + 1, definition = jsonb_set(definition, '$.wordsReady', json('false')) WHERE team = ?`,
    )
      .bind(team.no)
      .run()
    const reply = await search(team, { search: 'asha' })
    expect([reply.status, reply.errors[0]]).toEqual([409, expect.stringMatching(/still being indexed/)])
  })
})

describe('the words of a team', () => {
  afterEach(() => vi.restoreAllMocks())

  it('are erased with it, and are there again after an import', async () => {
    const { team } = await setUp()
    await add(team, 'A', { name: 'Asha' })
    const number = await env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(team.no).first<number>('no')
    const words = () => matching(number, 'asha')
    expect(await words()).toBe(1)
    const lines = await exportLines(team.id)
    expect(lines.join()).not.toContain('process_search')
    expect((await operate('POST', `/team/${team.id}/erase`)).status).toBe(200)
    const now = Date.now()
    vi.spyOn(Date, 'now').mockReturnValue(now + ERASE_AFTER_MS)
    await erase(team.id)
    expect(await words()).toBe(0)
    expect((await operate('POST', `/rows?team=${team.no}`, lines.join('\n'))).status).toBe(200)
    expect(await words()).toBe(1)
  })
})
