import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { firstRidAt } from '../../src/ids.ts'
import { newTeam, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { ended, LEADS, leadProcedure } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

const RECORD = '/v1/ext/record'
const DAY_MS = 24 * 60 * 60_000
const ROUNDS_MAX = 100

async function setUp() {
  const team = await newTeam()
  await leadProcedure(team)
  const create = async (data: object = { phone: newNumber() }): Promise<string> =>
    (await team.call('POST', LEADS, { record: { data } })).data.record.id
  return { team, create }
}

/** The ids of all pages, and what the last one says of itself. */
async function listed(team: Team, limit: number) {
  const ids: string[] = []
  let cursor: string | null = ''
  let isComplete: boolean | undefined
  while (cursor !== null) {
    const { data, meta, status } = await team.call('GET', `${RECORD}?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    expect(data.length).toBeLessThanOrEqual(limit)
    expect(meta.hasMore).toBe(meta.next !== null)
    ids.push(...data.map(({ id }: { id: string }) => id))
    cursor = meta.next
    isComplete = meta.isComplete
  }
  return { ids, isComplete }
}

/** The cron, and the queue messages that it leads to. */
async function minute(): Promise<void> {
  const harness = new Harness()
  await harness.sweep()
  for (let round = 0; round < ROUNDS_MAX && harness.messages.length > 0; round++) await harness.deliver()
}

/** Records that code from before has written. */
async function writtenBefore({ no }: Team, count: number): Promise<void> {
  await env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
      INSERT INTO record (rid, id, team, data, created_at, updated_at)
      SELECT ?2 + i, format('00000000-0000-7000-8000-%012d', i), ?3, jsonb_object('nth', i), 0, 0 FROM n`)
    .bind(count - 1, firstRidAt(Date.now() - DAY_MS), no)
    .run()
}

const forgetList = () =>
  env.DB.batch([env.DB.prepare('DELETE FROM record_list'), env.DB.prepare('DELETE FROM chore_position')])

describe('the list of customers', () => {
  it('has each customer of the team once, newest first, page by page', async () => {
    const [{ team, create }, other] = await Promise.all([setUp(), setUp()])
    const ids: string[] = []
    for (let nth = 0; nth < 7; nth++) {
      ids.unshift(await create())
      await other.create()
    }
    const phone = newNumber()
    ids.unshift(await create({ phone, email: 'asha@acme.example' }))
    await create({ phone })
    const first = [...ids].sort().reverse()
    for (const limit of [1, 3, 8, 100]) expect([limit, (await listed(team, limit)).ids]).toEqual([limit, first])
    const page = await team.call('GET', `${RECORD}?limit=1`)
    expect(page.data).toEqual([(await team.call('GET', `${RECORD}/${first[0]}`)).data])
    expect(page.headers.get('link')).toContain(`cursor=${page.meta.next}`)
  })

  it('has a customer whom nothing identifies, and those of a job', async () => {
    const { team, create } = await setUp()
    const nameless = await create({ name: 'Nobody knows' })
    const entries = Array.from({ length: 5 }, (_, nth) => ({ data: {}, record: { data: { phone: newNumber(), nth } } }))
    await ended(team, (await team.call('POST', `${LEADS}/bulk-create`, entries)).data.id)
    const { ids } = await listed(team, 100)
    expect([ids.length, ids.includes(nameless)]).toEqual([6, true])
  })

  it('keeps the place of a changed customer, and loses an erased one', async () => {
    const { team, create } = await setUp()
    const [first, second, third] = [await create(), await create(), await create()]
    await team.call('PUT', `${RECORD}/${first}`, { data: { phone: newNumber() } })
    await team.call('DELETE', `${RECORD}/${second}`)
    expect((await listed(team, 1)).ids).toEqual([first, third].sort().reverse())
    const left = await env.DB.prepare('SELECT count(*) AS n FROM record_list WHERE team = ?').bind(team.no).first()
    expect(left).toEqual({ n: 2 })
  })

  it('passes over a customer whom code from before has erased', async () => {
    const { team, create } = await setUp()
    const ids = [await create(), await create(), await create()].sort().reverse()
    await env.DB.prepare('DELETE FROM record WHERE id = ?').bind(ids[1]).run()
    expect((await listed(team, 1)).ids).toEqual([ids[0], ids[2]])
  })

  it('refuses what is no cursor', async () => {
    const { team } = await setUp()
    const refused = await team.call('GET', `${RECORD}?cursor=%21`)
    expect([refused.status, refused.meta.errors[0].path]).toEqual([400, '/query/cursor'])
  })
})

describe('customers of before there was a list', () => {
  it('are added by the cron, newest first, beside those that are made meanwhile; then it says so, and rests', async () => {
    const { team, create } = await setUp()
    await writtenBefore(team, 4_500)
    await forgetList()
    expect(await listed(team, 100)).toEqual({ ids: [], isComplete: false })
    const made = await create()
    expect(await listed(team, 100)).toEqual({ ids: [made], isComplete: false })
    await minute()
    const { ids, isComplete } = await listed(team, 100)
    expect([ids.length, new Set(ids).size, isComplete]).toEqual([4_501, 4_501, true])
    expect([ids[0], ids[1]?.endsWith('4499'), ids.at(-1)?.endsWith('000000')]).toEqual([made, true, true])
    const position = () => env.DB.prepare("SELECT position FROM chore_position WHERE chore = 'list customers'").first()
    expect(await position()).toEqual({ position: '0' })
    await minute()
    expect(await position()).toEqual({ position: '0' })
  })

  it('are in it as they are written, once it is there', async () => {
    const { team } = await setUp()
    await writtenBefore(team, 3)
    expect((await listed(team, 100)).ids).toHaveLength(3)
  })
})
