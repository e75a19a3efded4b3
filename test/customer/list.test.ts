import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { LEADS, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

const RECORD = '/v1/ext/record'

async function setUp() {
  const team = await newLeadTeam()
  const create = async (data: object = { phone: newNumber() }): Promise<string> =>
    (await team.call('POST', LEADS, { record: { data } })).data.record.id
  return { team, create }
}

/** The ids of all pages. */
async function listed(team: Team, limit: number) {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { data, meta, status } = await team.call('GET', `${RECORD}?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    expect(data.length).toBeLessThanOrEqual(limit)
    expect(meta.hasMore).toBe(meta.next !== null)
    ids.push(...data.map(({ id }: { id: string }) => id))
    cursor = meta.next
  }
  return { ids }
}

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
    await waitForJob(team, (await team.call('POST', `${LEADS}/bulk-create`, entries)).data.id)
    const { ids } = await listed(team, 100)
    expect([ids.length, ids.includes(nameless)]).toEqual([6, true])
  })

  it('keeps the place of a changed customer, and loses an erased one', async () => {
    const { team, create } = await setUp()
    const [first, second, third] = [await create(), await create(), await create()]
    await team.call('PUT', `${RECORD}/${first}`, { data: { phone: newNumber() } })
    await team.call('DELETE', `${RECORD}/${second}`)
    expect((await listed(team, 1)).ids).toEqual([first, third].sort().reverse())
  })

  it('refuses a malformed cursor', async () => {
    const { team } = await setUp()
    const refused = await team.call('GET', `${RECORD}?cursor=%21`)
    expect([refused.status, refused.meta.errors[0].path]).toEqual([400, '/query/cursor'])
  })
})
