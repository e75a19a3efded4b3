import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { type Call, Harness } from '../support/harness.ts'
import { waitForJob } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'
import { newConnectedTeam, newNumber } from '../support/provider.ts'

// Some pages read their rows after the order is known. What changes a process between the two moves no other one.

const IDS = ['A', 'B', 'C', 'D', 'E', 'F']
/** Longer than what is read together with the order. */
const LONG = 'x'.repeat(12_000)
/** The processes that an export in an order of its own reads at once. */
const ROWS_AT_ONCE = 100

type Body = Record<string, unknown>

async function setUp(essay: string) {
  const team = await newTeam()
  const attributes = [
    attribute('lead_id', 'string'),
    attribute('score', 'integer', { indexed: true }),
    attribute('share', 'float', { indexed: true }),
    attribute('essay', 'string'),
  ]
  const { path, create } = await newProcedure(team, { attributes })
  const ids = new Map<string, string>()
  for (const [nth, name] of IDS.entries()) {
    const made = await create({ data: { lead_id: name, score: nth, share: nth + 0.1, essay } })
    ids.set(name, made.data.id)
  }
  const name = (data: { data: { lead_id: string } }[]) => data.map(each => each.data.lead_id)
  /** Reads the first page while `meanwhile` happens, and then the others. */
  const readAll = async (body: Body, meanwhile: () => Promise<unknown>): Promise<string[]> => {
    let looks = 0
    const before = async ({ sql }: Call) => {
      if (sql.includes('"process"."rid" IN') && ++looks === 1) await meanwhile()
    }
    const first = await new Harness({}, { before }).request(team, 'POST', `${path}/list`, body)
    expect([first.status, looks]).toEqual([200, 1])
    const { skip: _, ...rest } = body
    const seen = name(first.body._data)
    for (let cursor = first.body._meta.next; cursor !== null; ) {
      const page = await team.call('POST', `${path}/list`, { ...rest, cursor })
      expect(page.status).toBe(200)
      seen.push(...name(page.data))
      cursor = page.meta.next
    }
    return seen
  }
  return { team, path, ids, readAll }
}

const BY_TWO = ['score', 'updatedAt'].map(field => ({ field, order: 'asc' }))
const BY_SHARE = ['share', 'score'].map(field => ({ field, order: 'asc' }))

it.each<[string, string, Body, Body]>([
  ['with `skip`, by two fields', '', { skip: 1, sort: BY_TWO }, { score: 900 }],
  ['with `skip`, by a fraction', '', { skip: 1, sort: BY_SHARE }, { share: 900.5 }],
  ['of long processes, by an index', LONG, { sort: [{ field: 'score', order: 'asc' }] }, { score: 900 }],
  ['of long processes, by an index from its end', LONG, { sort: [{ field: 'score', order: 'desc' }] }, { score: -1 }],
  ['of long processes, by their time', LONG, { sort: [{ field: 'updatedAt', order: 'asc' }] }, { score: 900 }],
  ['of long processes, by a fraction', LONG, { sort: [{ field: 'share', order: 'desc' }] }, { share: null }],
])(
  'a list %s misses and repeats no other process where the last of a page is changed while it is read',
  async (...drawn) => {
    const [, essay, order, change] = drawn
    const { team, path, ids, readAll } = await setUp(essay)
    const sorted = JSON.stringify(order).includes('desc') ? [...IDS].reverse() : IDS
    const [last = ''] = sorted.slice(order.skip === undefined ? 1 : 2)
    const seen = await readAll({ ...order, limit: 2 }, () =>
      team.call('PUT', `${path}/${ids.get(last)}`, { data: change }),
    )
    expect(seen.slice(0, 2)).toContain(last)
    expect(seen.filter(each => each !== last)).toEqual(
      sorted.filter(each => each !== last).slice(order.skip === undefined ? 0 : 1),
    )
  },
)

it('an export repeats nothing where the last of what it read at once is deleted before its text is read', async () => {
  const team = await newTeam()
  const attributes = [
    attribute('lead_id', 'string'),
    attribute('score', 'integer', { indexed: true }),
    attribute('essay', 'string'),
  ]
  const { path } = await newProcedure(team, { attributes })
  const count = ROWS_AT_ONCE + 2
  const items = Array.from({ length: count }, (_, nth) => ({
    data: { lead_id: `L${nth}`, score: nth, ...(nth === ROWS_AT_ONCE - 1 ? { essay: LONG } : {}) },
  }))
  const job = await team.call('POST', `${path}/bulk-create`, items)
  expect((await waitForJob(team, job.data.id)).data.completionStatus).toBe('SUCCESS')
  const [last] = (await team.call('POST', `${path}/list`, { where: { lead_id: `L${ROWS_AT_ONCE - 1}` } })).data
  let looks = 0
  const before = async ({ sql }: Call) => {
    if (sql.includes('"process"."rid" IN') && ++looks === 1) await team.call('DELETE', `${path}/${last.id}`)
  }
  const sort = [{ field: 'score', order: 'asc' }]
  const { body } = await new Harness({}, { before }).request(team, 'POST', `${path}/list?all=true`, { sort })
  expect(looks).toBe(1)
  expect(body._data.map((each: { data: { score: number } }) => each.data.score)).toEqual(
    Array.from({ length: count }, (_, nth) => nth).filter(nth => nth !== ROWS_AT_ONCE - 1),
  )
})

it.each(['', '&phoneNumber='])(
  'a list of messages (%s) goes on behind a long one that is removed while it is read',
  async by => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    const ids: string[] = []
    for (let nth = 0; nth < 3; nth++) ids.unshift((await whatsapp.send(phone)).data.id)
    const store = (sql: string) => env.DB.prepare(`${sql} WHERE id = ?`).bind(ids[0]).run()
    await store(`UPDATE message SET text = '${LONG.repeat(4)}'`)
    const path = `/v1/ext/message?limit=1${by === '' ? '' : by + phone}`
    let looks = 0
    const before = async ({ sql }: Call) => {
      if (sql.includes('"message"."rid" IN') && ++looks === 1) await store('DELETE FROM message')
    }
    const { body } = await new Harness({}, { before }).request(team, 'GET', path)
    expect([looks, body._data]).toEqual([1, []])
    const { data } = await team.call('GET', `${path.replace('limit=1', 'limit=9')}&cursor=${body._meta.next}`)
    expect(data.map((each: { id: string }) => each.id)).toEqual(ids.slice(1))
  },
)
