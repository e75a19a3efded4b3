import { beforeEach, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'

const VIEWS = '/v1/ext/saved-view'
const VIEW = { name: 'Open', procedure: 'lead', query: { where: { status: 'OPEN' } } }
let team: Team
const create = (who: Team, changes: object = {}) => who.call('POST', VIEWS, { ...VIEW, ...changes })
const listNames = async (who: Team, query = '') =>
  (await who.call('GET', VIEWS + query)).data.map((each: { name: string }) => each.name)
/** A key of a user of their own. */
async function newPerson(role: string): Promise<Team> {
  const user = await team.call('POST', '/v1/ext/user', { username: `${role}-${crypto.randomUUID()}`, role })
  return team.as(role, user.data.id)
}

beforeEach(async () => {
  team = await newTeam()
  await newProcedure(team)
})

describe('a saved view', () => {
  it('is read as it was saved, and its query is the body of a list', async () => {
    const query = { where: { city: 'Pune' }, sort: [{ field: 'score', order: 'desc' }] }
    const made = await create(team, { query, columns: ['lead_id', 'city'], layout: 'board' })
    expect(made.status).toBe(201)
    expect(made.data).toMatchObject({
      name: 'Open',
      procedureShortId: 'lead',
      query,
      columns: ['lead_id', 'city'],
      layout: 'board',
      isShared: false,
      createdBy: team.admin,
    })
    expect((await team.call('GET', `${VIEWS}/${made.data.id}`)).data).toEqual(made.data)
    const { data } = await team.call('GET', VIEWS)
    expect(data).toEqual([made.data])
    const list = await team.call('POST', '/v1/ext/procedure/lead/process/list', data[0].query)
    expect(list.status).toBe(200)
  })

  it('changes only in the members that are sent, and is gone when it is deleted', async () => {
    const made = await create(team)
    const path = `${VIEWS}/${made.data.id}`
    const changed = await team.call('PUT', path, { name: 'Mine', query: {} })
    expect(changed.data).toEqual({ ...made.data, name: 'Mine', query: {}, updatedAt: expect.any(Number) })
    expect((await team.call('GET', path)).data).toEqual(changed.data)
    expect((await team.call('PUT', path, {})).status).toBe(400)
    expect((await team.call('DELETE', path)).data.id).toBe(made.data.id)
    for (const method of ['GET', 'DELETE'] as const) expect((await team.call(method, path)).status).toBe(404)
    expect((await team.call('PUT', path, { name: 'x' })).status).toBe(404)
  })

  it('is visible to its user alone, to all of the team if it is shared, and never to another team', async () => {
    const agent = await newPerson('agent')
    const own = await create(agent, { name: 'Own' })
    const shared = await create(agent, { name: 'Shared', isShared: true })
    expect(await listNames(agent)).toEqual(['Own', 'Shared'])
    expect(await listNames(team)).toEqual(['Shared'])
    expect((await team.call('GET', `${VIEWS}/${own.data.id}`)).status).toBe(404)
    const stranger = await newTeam()
    expect(await listNames(stranger)).toEqual([])
    for (const method of ['GET', 'DELETE'] as const) {
      const refused = await stranger.call(method, `${VIEWS}/${shared.data.id}`)
      expect(refused.errors).toEqual([`saved view ${shared.data.id} not found`])
    }
  })

  it('is listed by procedure, oldest first', async () => {
    await newProcedure(team, { primaryKey: null, attributes: [] }, 'ticket')
    await create(team, { name: 'One', isShared: true })
    await create(team, { name: 'Two', procedure: 'ticket' })
    await create(team, { name: 'Three' })
    expect(await listNames(team)).toEqual(['One', 'Two', 'Three'])
    expect(await listNames(team, '?procedure=lead')).toEqual(['One', 'Three'])
    const { id } = (await team.call('GET', '/v1/ext/procedure/ticket')).data
    expect(await listNames(team, `?procedure=${id.toUpperCase()}`)).toEqual(['Two'])
  })

  it('are refused, with a hint, of a procedure that the team does not have, and not of one without views', async () => {
    await newProcedure(team, { primaryKey: null, attributes: [] }, 'ticket')
    expect(await listNames(team, '?procedure=ticket')).toEqual([])
    expect(await team.call('GET', `${VIEWS}?procedure=tickets`)).toMatchObject({
      status: 400,
      meta: { errors: [{ path: '/query/procedure', hint: 'did you mean "ticket"?' }] },
    })
    const unknown = await team.call('GET', `${VIEWS}?procedure=${crypto.randomUUID()}`)
    expect(unknown).toMatchObject({ status: 400, meta: { errors: [{ path: '/query/procedure' }] } })
  })

  it('may be saved by a viewer, who may not share it', async () => {
    const viewer = await newPerson('viewer')
    const own = await create(viewer)
    expect(own.status).toBe(201)
    for (const refused of [
      await create(viewer, { isShared: true }),
      await viewer.call('PUT', `${VIEWS}/${own.data.id}`, { isShared: true }),
    ]) {
      expect(refused.status).toBe(403)
      expect(refused.meta.errors[0]).toMatchObject({ code: 'permission_denied', permission: 'process:write' })
    }
    expect((await viewer.call('DELETE', `${VIEWS}/${own.data.id}`)).status).toBe(200)
  })

  it('that is shared may be withdrawn and deleted by its maker as a viewer, and not changed', async () => {
    const agent = await newPerson('agent')
    const [withdrawn, deleted] = [await create(agent, { isShared: true }), await create(agent, { isShared: true })]
    const viewer = await team.as('viewer', withdrawn.data.createdBy)
    const [path, other] = [withdrawn, deleted].map(({ data }) => `${VIEWS}/${data.id}`)
    const refused = await viewer.call('PUT', path ?? '', { name: 'x' })
    expect(refused.meta.errors[0]).toMatchObject({ code: 'permission_denied', permission: 'process:write' })
    expect((await viewer.call('PUT', path ?? '', { isShared: false })).data).toMatchObject({ isShared: false })
    expect((await viewer.call('DELETE', other ?? '')).status).toBe(200)
  })

  it('is changed only by its user and those who configure the team', async () => {
    const [agent, other] = [await newPerson('agent'), await newPerson('agent')]
    const { data } = await create(agent, { isShared: true })
    const path = `${VIEWS}/${data.id}`
    for (const refused of [await other.call('PUT', path, { name: 'x' }), await other.call('DELETE', path)])
      expect(refused.meta.errors[0]).toMatchObject({ code: 'permission_denied', permission: 'config:write' })
    expect((await team.call('PUT', path, { name: 'Ours' })).data).toMatchObject({
      name: 'Ours',
      createdBy: data.createdBy,
    })
    expect((await agent.call('PUT', path, { name: 'Mine' })).status).toBe(200)
    // The view is not shared any more: it belongs to its maker alone.
    await team.call('PUT', path, { isShared: false })
    expect(await listNames(agent)).toEqual(['Mine'])
    expect((await team.call('GET', path)).status).toBe(404)
  })

  it('is refused with every fault at its place, and saves nothing', async () => {
    const refused = await create(team, {
      query: { where: { state: 'NEWW' }, sort: [{ field: 'nope' }] },
    })
    expect(refused.status).toBe(400)
    expect(refused.meta.errors.map((each: { path: string }) => each.path)).toEqual([
      '/body/query/where/state',
      '/body/query/sort/0/field',
    ])
    expect(refused.meta.errors[0].hint).toBe('NEW')
    const lost = await create(team, { procedure: 'leed' })
    expect(lost.meta.errors[0]).toMatchObject({ path: '/body/procedure', hint: 'did you mean "lead"?' })
    const long = await create(team, { query: { where: { city: 'x'.repeat(8_000) } } })
    expect(long.meta.errors[0]).toMatchObject({ path: '/body/query' })
    expect(await listNames(team)).toEqual([])
  })

  it('is one of at most 50 of a user', async () => {
    const made = await Promise.all(Array.from({ length: 52 }, (_, nth) => create(team, { name: `${nth}` })))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(50)
    expect(made.find(({ status }) => status !== 201)?.meta.errors[0].code).toBe('conflict')
    expect((await create(team, { isShared: true })).status).toBe(201)
    expect((await create(await newPerson('agent'))).status).toBe(201)
  })

  it('is saved once by a request that is repeated with its idempotency key', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [one, two] = [await team.call('POST', VIEWS, VIEW, key), await team.call('POST', VIEWS, VIEW, key)]
    expect(two.data).toEqual(one.data)
    expect(await listNames(team)).toEqual(['Open'])
  })
})
