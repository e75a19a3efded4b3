import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { requestWith } from '../support/broken-bindings.ts'
import { newProcedure } from '../support/procedures.ts'

const WEBHOOKS = '/v1/ext/webhook'
const URL_OF_RECEIVER = 'https://receiver.example.com/hooks'
const LOCAL = { WEBHOOK_LOCAL_ADDRESSES: 'true' } as unknown as Partial<Env>

const create = (team: Team, body: object = {}, headers = {}) =>
  team.call('POST', WEBHOOKS, { url: URL_OF_RECEIVER, ...body }, headers)

describe('a webhook', () => {
  it('is made with the values that are sent, and shows its secret then and never again', async () => {
    const team = await newTeam()
    const made = await create(team, { types: ['process.created', 'process.created'], description: 'To the warehouse' })
    expect(made.status).toBe(201)
    const { secret, ...webhook } = made.data
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(webhook).toMatchObject({
      team: team.id,
      url: URL_OF_RECEIVER,
      types: ['process.created'],
      procedures: null,
      description: 'To the warehouse',
      enabled: true,
      order: 'any',
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
      previousSecretUntil: null,
    })
    expect(made.headers.get('location')).toBe(`${WEBHOOKS}/${webhook.id}`)
    expect((await team.call('GET', `${WEBHOOKS}/${webhook.id}`)).data).toEqual(webhook)
    expect((await team.call('GET', WEBHOOKS)).data).toEqual([webhook])
  })

  it('changes only the members that are sent', async () => {
    const team = await newTeam()
    const { data } = await create(team, { types: ['process.deleted'] })
    const changed = await team.call('PUT', `${WEBHOOKS}/${data.id}`, { enabled: false, order: 'strict', types: null })
    expect(changed).toMatchObject({ status: 200, data: { enabled: false, order: 'strict', types: null } })
    expect(changed.data).not.toHaveProperty('secret')
    expect((await team.call('GET', `${WEBHOOKS}/${data.id}`)).data).toEqual(changed.data)
    const none = await team.call('PUT', `${WEBHOOKS}/${data.id}`, {})
    expect(none).toMatchObject({
      status: 400,
      meta: { errors: [{ message: expect.stringContaining('at least one') }] },
    })
  })

  it('is gone when it was deleted', async () => {
    const team = await newTeam()
    const { data } = await create(team)
    expect(await team.call('DELETE', `${WEBHOOKS}/${data.id}`)).toMatchObject({ status: 200, data: { id: data.id } })
    for (const method of ['GET', 'DELETE'])
      expect(await team.call(method, `${WEBHOOKS}/${data.id}`)).toMatchObject({ status: 404 })
    expect((await team.call('PUT', `${WEBHOOKS}/${data.id}`, { enabled: true })).status).toBe(404)
    expect((await team.call('GET', WEBHOOKS)).data).toEqual([])
  })

  it('names procedures by id or short id, and event types; a wrong name has a hint', async () => {
    const team = await newTeam()
    await newProcedure(team, {}, 'lead')
    const { id } = (await team.call('GET', '/v1/ext/procedure/lead')).data
    const made = await create(team, { procedures: ['lead', id] })
    expect(made.data.procedures).toEqual([id])
    const refused = await create(team, { url: 'http://www.example.com/', procedures: ['laed', id, 'none at all'] })
    expect(refused.status).toBe(400)
    expect(refused.meta.errors).toMatchObject([
      { path: '/body/url', message: '"url" must begin with https://', hint: 'https://www.example.com/' },
      { path: '/body/procedures/0', hint: 'did you mean "lead"?' },
      { path: '/body/procedures/2' },
    ])
    const types = await create(team, { url: 'https://10.0.0.1/', types: ['proces.updated'] })
    expect(types.meta.errors).toMatchObject([
      { path: '/body/types/0', hint: expect.stringContaining('process.updated') },
      { path: '/body/url', message: expect.stringContaining('not the number of one') },
    ])
  })

  it('is one of at most twenty', async () => {
    const team = await newTeam()
    const made = await Promise.all(Array.from({ length: 22 }, () => create(team)))
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), 409, 409])
    const [first] = (await team.call('GET', WEBHOOKS)).data
    await team.call('DELETE', `${WEBHOOKS}/${first.id}`)
    expect((await create(team)).status).toBe(201)
  })

  it('is visible to admins only, who alone make it', async () => {
    const team = await newTeam()
    const manager = await team.as('manager')
    for (const refused of [await create(manager), await manager.call('GET', WEBHOOKS)])
      expect(refused).toMatchObject({ status: 403 })
  })

  it('may lead to the own machine where the installation allows it', async () => {
    const team = await newTeam()
    const call = {
      method: 'POST',
      headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' },
    }
    const body = JSON.stringify({ url: 'http://localhost:3000/hooks' })
    expect((await requestWith({}, WEBHOOKS, { ...call, body })).status).toBe(400)
    expect((await requestWith(LOCAL, WEBHOOKS, { ...call, body })).status).toBe(201)
  })
})

describe('the secret of a webhook', () => {
  it('is replaced by a rotation, in which the old one signs as well for a day', async () => {
    const team = await newTeam()
    const { data } = await create(team)
    const rotated = await team.call('POST', `${WEBHOOKS}/${data.id}/rotate-secret`, {})
    expect(rotated.status).toBe(200)
    expect(rotated.data.secret).toMatch(/^whsec_/)
    expect(rotated.data.secret).not.toBe(data.secret)
    const left = rotated.data.previousSecretUntil - Date.now()
    expect(left).toBeGreaterThan(86_000_000)
    expect(left).toBeLessThanOrEqual(86_400_000)
  })

  it('is not rotated again meanwhile, because receivers may have either, unless both end at once', async () => {
    const team = await newTeam()
    const { data } = await create(team)
    const rotate = (body: object) => team.call('POST', `${WEBHOOKS}/${data.id}/rotate-secret`, body)
    await rotate({ overlapSeconds: 3600 })
    expect(await rotate({})).toMatchObject({
      status: 409,
      meta: { errors: [{ code: 'conflict', path: '/body/overlapSeconds' }] },
    })
    expect(await rotate({ overlapSeconds: 0 })).toMatchObject({ status: 200, data: { previousSecretUntil: null } })
    expect((await rotate({})).status).toBe(200)
  })

  it('is shown again with the idempotency key, until it is rotated', async () => {
    const team = await newTeam()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const { data } = await create(team, {}, key)
    expect(await create(team, {}, key)).toMatchObject({ status: 201, data })
    const path = `${WEBHOOKS}/${data.id}/rotate-secret`
    const again = { 'idempotency-key': crypto.randomUUID() }
    const rotated = await team.call('POST', path, {}, again)
    expect((await team.call('POST', path, {}, again)).data).toEqual(rotated.data)
    expect((await create(team, {}, key)).data).toEqual({ ...data, secret: null })
    expect((await team.call('GET', WEBHOOKS)).data).toHaveLength(1)
  })
})
