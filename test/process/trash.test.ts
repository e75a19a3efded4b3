import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/time-units.ts'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, listEntries, waitForJob } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'

const setUp = async (changes: Record<string, unknown> = {}) => {
  const team = await newTeam()
  const processes = await newProcedure(team, changes)
  const trash = (query = '', as: Team = team) => as.call('GET', `${processes.path}/trash${query}`)
  return { team, ...processes, trash }
}
const listKeys = ({ data }: Reply) => data.map((each: { data: { lead_id: string } }) => each.data.lead_id)
const loadResults = async (team: Team, job: string) =>
  (await listEntries(team, job)).map((entry: { completionStatus: string; completionResult: { code?: string } }) =>
    [entry.completionStatus, entry.completionResult?.code].filter(Boolean).join(' '),
  )

describe('the trash of a procedure', () => {
  it('lists deleted processes, last deleted first, with who and when and until when they are kept', async () => {
    const { team, create, remove, trash } = await setUp()
    const record = { data: { phone: '919448300001' } }
    const first = (await create({ data: { lead_id: 'L-1', city: 'Pune' }, record })).data
    for (const lead_id of ['L-2', 'L-3']) await create({ data: { lead_id } })
    const manager = await team.as('manager')
    await remove(`lead_id/L-2`)
    await manager.call('DELETE', `/v1/ext/procedure/lead/process/${first.id}`)
    const page = await trash()
    expect([page.status, listKeys(page), page.meta.hasMore, page.meta.next]).toEqual([200, ['L-1', 'L-2'], false, null])
    const { record: customer, ...rest } = first
    expect(page.data[0]).toEqual({
      ...rest,
      record: { id: customer.id },
      isDeleted: true,
      deletedAt: expect.any(Number),
      deletedBy: expect.any(String),
      keptUntil: page.data[0].deletedAt + 90 * DAY_MS,
    })
    expect(page.data[1].deletedBy).toBe(team.admin)
    expect((await trash('', await team.as('viewer'))).status).toBe(200)
  })

  it('has pages that neither repeat nor miss one, also where a job deleted many at once', async () => {
    const { team, trash } = await setUp()
    const keys = Array.from({ length: 12 }, (_, nth) => `L-${String(nth).padStart(2, '0')}`)
    await bulk(team, 'POST', { processes: keys.map(lead_id => ({ data: { lead_id } })) })
    await bulk(team, 'PATCH', { where: {}, all: true, update: { isDeleted: true } })
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await trash(`?limit=5${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      expect(page.errors).toEqual([])
      seen.push(...listKeys(page))
      cursor = page.meta.next ?? ''
    } while (cursor !== '')
    expect([...seen].sort()).toEqual(keys)
  })

  it('ends a page early where its processes are large, and continues behind it', async () => {
    const { create, remove, trash } = await setUp()
    for (const lead_id of ['L-1', 'L-2', 'L-3', 'L-4', 'L-5', 'L-6']) {
      await create({ data: { lead_id, notes: 'x'.repeat(890_000) } })
      await remove(`lead_id/${lead_id}`)
    }
    const page = await trash()
    expect(page.data.length).toBeLessThan(6)
    expect(page.meta.hasMore).toBe(true)
    const rest = await trash(`?cursor=${encodeURIComponent(page.meta.next)}`)
    expect([...listKeys(page), ...listKeys(rest)]).toEqual(['L-6', 'L-5', 'L-4', 'L-3', 'L-2', 'L-1'])
  })

  it('shows nothing of other procedures and teams, and no restored process', async () => {
    const { team, create, remove, restore, trash } = await setUp()
    const other = await newProcedure(team, {}, 'other')
    await other.remove((await other.create({})).data.id)
    const { id } = (await create({})).data
    await remove(id)
    await restore(id)
    expect((await trash()).data).toEqual([])
    const stranger = await newTeam()
    expect((await stranger.call('GET', '/v1/ext/procedure/lead/process/trash')).status).toBe(404)
    const faulty = await trash('?cursor=x&limit=0&state=NEW')
    expect(faulty.meta.errors.map((each: { path: string }) => each.path).sort()).toEqual([
      '/query/limit',
      '/query/state',
    ])
    expect((await trash('?cursor=x')).status).toBe(400)
  })
})

describe('restoring in bulk', () => {
  it('takes processes by id and by primary key, with their history, once each', async () => {
    const { team, create, remove, fetch, trash, path } = await setUp()
    const ids: string[] = []
    for (const lead_id of ['L-1', 'L-2', 'L-3']) {
      const { id } = (await create({ data: { lead_id, city: 'Pune' }, state: 'BUSY' })).data
      await remove(id)
      ids.push(id)
    }
    const job = await bulk(team, 'PATCH', {
      processes: [
        { id: ids[0], isDeleted: false },
        { lead_id: 'L-2', update: { isDeleted: false } },
        { id: 'L-2', isDeleted: false },
        { id: ids[0], isDeleted: false },
        { id: 'L-9', isDeleted: false },
      ],
    })
    expect(await loadResults(team, job.data.id)).toEqual([
      'SUCCESS',
      'SUCCESS',
      'SUCCESS',
      'SUCCESS',
      'ERROR not_found',
    ])
    expect((await fetch(ids[0] ?? '')).data).toMatchObject({ state: 'BUSY', data: { lead_id: 'L-1', city: 'Pune' } })
    expect((await fetch('lead_id/L-2')).data.id).toBe(ids[1])
    expect(listKeys(await trash())).toEqual(['L-3'])
    const list = await team.call('POST', `${path}/list`, { where: { city: 'Pune' } })
    expect(listKeys(list).sort()).toEqual(['L-1', 'L-2'])
    const history = (await team.call('GET', `${path}/${ids[0]}/history`)).data
    expect(history.map((each: { type: string; version: number }) => [each.type, each.version])).toEqual([
      ['process.restored', 2],
      ['process.deleted', 1],
      ['process.created', 1],
    ])
    expect(history[0].by).toMatchObject({ job: job.data.id, entry: 0 })
  })

  it('names the obstacle of each: a key that was taken, a state that is gone', async () => {
    const states = [{ shortId: 'NEW' }, { shortId: 'OLD' }, { shortId: 'WON' }]
    const { team, create, remove, define, fetch } = await setUp({ states })
    const taken = (await create({ data: { lead_id: 'L-1' } })).data.id
    await remove(taken)
    const live = (await create({ data: { lead_id: 'L-1' } })).data.id
    const gone = (await create({ data: { lead_id: 'L-2' }, state: 'OLD' })).data.id
    await remove(gone)
    await define({ states: [{ shortId: 'NEW' }, { shortId: 'WON' }] })
    const job = await bulk(team, 'PATCH', {
      processes: [
        { id: taken, isDeleted: false },
        { lead_id: 'L-1', isDeleted: false },
        { id: gone, isDeleted: false },
        { id: live, isDeleted: false },
      ],
    })
    expect(await loadResults(team, job.data.id)).toEqual([
      'ERROR duplicate_primary_key',
      'ERROR duplicate_primary_key',
      'ERROR conflict',
      'SUCCESS',
    ])
    expect((await fetch(live)).data.isDeleted).toBe(false)
    expect((await fetch(gone)).status).toBe(404)
  })

  it('gives a key to the first of those that had it', async () => {
    const { team, create, remove, fetch, path } = await setUp()
    const ids: string[] = []
    for (const city of ['Pune', 'Oslo']) {
      ids.push((await create({ data: { lead_id: 'L-1', city } })).data.id)
      await remove('lead_id/L-1')
    }
    const harness = new Harness()
    const { body } = await harness.request(team, 'PATCH', path, {
      processes: ids.map(id => ({ id, isDeleted: false })),
    })
    await harness.settle(team)
    expect(await loadResults(team, body._data.id)).toEqual(['SUCCESS', 'ERROR duplicate_primary_key'])
    expect((await fetch('lead_id/L-1')).data.data.city).toBe('Pune')
    // The obstacle is seen before the write: no step fails and is decided again.
    expect(harness.log.filter(({ sql }) => /DELETE FROM "?process_trash/.test(sql))).toHaveLength(1)
  })

  it('keeps changes of others between the look at the trash and the restoration', async () => {
    const { team, create, remove, restore, update, fetch, path } = await setUp()
    const { id } = (await create({ data: { lead_id: 'L-1', score: 1 } })).data
    await remove(id)
    let isOvertaken = false
    const before = async ({ trigger, sql }: { trigger: string | undefined; sql: string }) => {
      if (isOvertaken || trigger !== 'message' || !/DELETE FROM "?process_trash/.test(sql)) return
      isOvertaken = true
      await restore(id)
      await update(id, { data: { score: 2 } })
      await remove(id)
    }
    const harness = new Harness({}, { before })
    await harness.request(team, 'PATCH', path, { processes: [{ id, isDeleted: false }] })
    await harness.settle(team)
    expect(isOvertaken).toBe(true)
    expect((await fetch(id)).data).toMatchObject({ isDeleted: false, data: { score: 2 } })
  })

  it('restores the one that was deleted last, where several had the key', async () => {
    const { team, create, remove, fetch } = await setUp()
    for (const city of ['Pune', 'Oslo']) {
      await create({ data: { lead_id: 'L-1', city } })
      await remove('lead_id/L-1')
    }
    await bulk(team, 'PATCH', { processes: [{ lead_id: 'L-1', isDeleted: false }] })
    expect((await fetch('lead_id/L-1')).data.data.city).toBe('Oslo')
  })

  it('is refused with a query, which finds no deleted process', async () => {
    const { team, path, create } = await setUp()
    const { id } = (await create({})).data
    const refused = await team.call('PATCH', path, { where: {}, all: true, update: { isDeleted: false } })
    expect([refused.status, refused.meta.errors[0].path]).toEqual([400, '/body/update/isDeleted'])
    expect(refused.meta.errors[0].hint).toContain('/trash')
    expect((await team.call('GET', `${path}/${id}/history`)).data).toHaveLength(1)
  })

  it('needs the permission to delete, and does not prevent other changes of a live process', async () => {
    const { team, path, create, remove, fetch } = await setUp()
    const [one, other] = [(await create({})).data.id, (await create({})).data.id]
    await remove(one)
    const agent = await team.as('agent')
    const reply = await agent.call('PATCH', path, { processes: [{ id: one, isDeleted: false }] })
    await waitForJob(team, reply.data.id)
    const [entry] = await listEntries(team, reply.data.id)
    expect(entry.completionStatus).toBe('INVALID')
    expect((await fetch(one)).status).toBe(404)
    await bulk(team, 'PATCH', { processes: [{ id: other, isDeleted: false, data: { score: 7 } }] })
    expect((await fetch(other)).data.data).toEqual({ score: 7 })
  })

  it('is run in as many steps as large processes need', async () => {
    const { team, create, remove, trash } = await setUp()
    const keys = ['L-1', 'L-2', 'L-3', 'L-4', 'L-5']
    for (const lead_id of keys) {
      await create({ data: { lead_id, notes: 'x'.repeat(880_000) } })
      await remove(`lead_id/${lead_id}`)
    }
    const job = await bulk(team, 'PATCH', { processes: keys.map(id => ({ id, isDeleted: false })) })
    expect(job.data.completionStatus).toBe('SUCCESS')
    expect((await trash()).data).toEqual([])
  })
})
