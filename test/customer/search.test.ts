import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, LEADS, leadProcedure } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

const RECORD = '/v1/ext/record'

async function setUp() {
  const team = await newTeam()
  const create = async (data: object): Promise<string> => (await team.call('POST', RECORD, { data })).data.id
  return { team, create }
}

/** The ids of all pages of a search. */
async function found(team: Team, search: string, limit = 100): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const at = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const { data, meta, status } = await team.call(
      'GET',
      `${RECORD}?search=${encodeURIComponent(search)}&limit=${limit}${at}`,
    )
    expect([status, data.length <= limit, meta.hasMore]).toEqual([200, true, meta.next !== null])
    ids.push(...data.map(({ id }: { id: string }) => id))
    cursor = meta.next
  }
  return ids
}

describe('a search of customers', () => {
  it.each(['mei', 'MEI', 'tanaka', 'Tanaka Mei', 'me ta', 'méi tanáka', '“Mei Tanaka”', 'ＭＥＩ'])(
    'finds Mei Tanaka by %s',
    async search => {
      const { team, create } = await setUp()
      const id = await create({ name: 'Mei Tanaka', phone: newNumber() })
      await create({ name: 'Meike Larsen', phone: newNumber() })
      await create({ name: 'Ravi', phone: newNumber() })
      expect(await found(team, search)).toContain(id)
      expect((await found(team, 'mei tanaka')).length).toBe(1)
    },
  )

  it.each(['eita', 'nak', 'mei larsen', 'tanakas'])('does not find Mei Tanaka by %s', async search => {
    const { team, create } = await setUp()
    await create({ name: 'Mei Tanaka', phone: newNumber() })
    await create({ name: 'Meike Larsen', phone: newNumber() })
    const names = (await team.call('GET', `${RECORD}?search=${encodeURIComponent(search)}`)).data
    expect(names.map((each: { data: { name: string } }) => each.data.name)).not.toContain('Mei Tanaka')
  })

  it.each([
    ['first_name', { first_name: 'Zsófia', last_name: 'Öztürk' }, 'ozturk zsofia'],
    ['company', { company: 'Łódź Elektro GmbH' }, 'elektro'],
    ['a name in Devanagari', { name: 'आशा राव' }, 'राव'],
    ['a name in Chinese', { fullName: '陈 小明' }, '小明'],
  ])('finds %s', async (_, data, search) => {
    const { team, create } = await setUp()
    const id = await create(data)
    expect(await found(team, search)).toEqual([id])
  })

  it('finds the customers of its own team only', async () => {
    const [{ team, create }, other] = await Promise.all([setUp(), setUp()])
    await other.create({ name: 'Asha Rao' })
    const id = await create({ name: 'Asha Rao' })
    expect(await found(team, 'asha')).toEqual([id])
  })

  it('finds customers that processes, jobs and updates make or change', async () => {
    const { team } = await setUp()
    await leadProcedure(team)
    const [one, two] = [newNumber(), newNumber()]
    const { data: process } = await team.call('POST', LEADS, { record: { data: { phone: one, name: 'Asha Rao' } } })
    await bulk(team, 'POST', [
      { record: { data: { phone: two, name: 'Ravi Iyer' } } },
      { record: { data: { phone: two, name: 'Ravi Menon' } } },
      { record: { data: { phone: one, name: null, full_name: 'Asha Rao Menon' } } },
    ])
    expect([await found(team, 'asha'), await found(team, 'iyer')]).toEqual([[process.record.id], []])
    expect(await found(team, 'menon')).toHaveLength(2)
    await team.call('PUT', `${LEADS}/${process.id}`, { record: { data: { full_name: 'Lakshmi' } } })
    expect([await found(team, 'menon'), await found(team, 'lak')]).toEqual([[expect.any(String)], [process.record.id]])
    await team.call('PUT', `${RECORD}/${process.record.id}`, { data: { full_name: null } })
    expect(await found(team, 'lak')).toEqual([])
    // Nor is it looked at again by each search for such a word.
    const left = await env.DB.prepare("SELECT word FROM record_word WHERE team = ? AND word >= 'lak' AND word < 'lal'")
      .bind(team.no)
      .all()
    expect(left.results).toEqual([])
  })

  it('does not find a customer who was erased', async () => {
    const { team, create } = await setUp()
    const id = await create({ name: 'Erika Mustermann', phone: newNumber() })
    await team.call('DELETE', `${RECORD}/${id}`)
    expect(await found(team, 'erika')).toEqual([])
  })

  it('has each customer once on pages of any size', async () => {
    const { team } = await setUp()
    await leadProcedure(team)
    const names = Array.from({ length: 30 }, (_, nth) => `Asha Ashar ${nth % 3 === 0 ? 'Rao' : 'Iyer'} ${nth}`)
    await bulk(
      team,
      'POST',
      names.map(name => ({ record: { data: { name } } })),
    )
    for (const limit of [1, 7, 10, 100]) {
      const all = await found(team, 'ash', limit)
      expect([limit, all.length, new Set(all).size]).toEqual([limit, 30, 30])
      expect((await found(team, 'ash rao', limit)).length).toBe(10)
    }
  })

  it('reads no more for a page of many', async () => {
    const { team } = await setUp()
    await leadProcedure(team)
    const items = Array.from({ length: 1_500 }, (_, nth) => ({
      record: { data: { name: `Asha ${nth === 700 ? 'Zweig' : 'Rao'}` } },
    }))
    await bulk(team, 'POST', items)
    const both = await team.call('GET', `${RECORD}?search=asha+zweig`)
    expect(both.data).toHaveLength(1)
    expect(both.cost.read).toBeLessThan(700)
    const none = await team.call('GET', `${RECORD}?search=asha+nobody`)
    expect([none.data, none.meta.next]).toEqual([[], null])
    expect((await found(team, 'asha rao')).length).toBe(1_499)
  })

  it('looks at few long records at once, and skips none', async () => {
    const { team, create } = await setUp()
    const ids: string[] = []
    for (let nth = 0; nth < 12; nth++)
      ids.push(await create({ note: 'x'.repeat(nth % 3 === 0 ? 10 : 850_000), name: `Asha ${nth}` }))
    const first = await team.call('GET', `${RECORD}?search=asha&limit=100`)
    // Two or three at once, and then the page itself.
    expect(first.cost.trips).toBeGreaterThanOrEqual(6)
    for (const limit of [1, 5, 100]) expect([limit, (await found(team, 'asha', limit)).sort()]).toEqual([limit, ids])
  })

  it('refuses texts without a word or with too many, a cursor of another search, and a number beside it', async () => {
    const { team } = await setUp()
    for (const [query, path] of [
      ['search=%20-%20', '/query/search'],
      [`search=${'a+b+c+d+e+f+g+h+i+j+k'}`, '/query/search'],
      [`search=${'a'.repeat(201)}`, '/query/search'],
      ['search=', '/query/search'],
      ['search=asha&cursor=4823', '/query/cursor'],
      ['search=asha&cursor=0.1.ravi', '/query/cursor'],
      ['search=asha&phone=919448300007', '/query'],
    ]) {
      const refused = await team.call('GET', `${RECORD}?${query}`)
      expect([query, refused.status, refused.meta.errors?.[0]?.path]).toEqual([query, 400, path])
    }
  })
})
