import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MINUTE_MS } from '../../src/time-units.ts'
import type { Team } from '../support/api.ts'
import { ORIGIN } from '../support/origin.ts'
import { type Connected, connectPlugin, newNumber, signBody } from '../support/provider.ts'
import { resume, suspend } from '../support/suspension.ts'
import { type FarTeam, far, type Place } from './far.ts'

let place: Place
let team: FarTeam
let whatsapp: Connected

async function connectedTeam(): Promise<[FarTeam, Connected]> {
  const made = await place.newTeam()
  return [made, await connectPlugin(made as unknown as Team)]
}

beforeEach(async () => {
  place = far()
  ;[team, whatsapp] = await connectedTeam()
})

afterEach(() => void vi.restoreAllMocks())

interface Sent {
  id: string
  externalId: string
}

async function send({ send }: Connected): Promise<Sent> {
  const { data, errors } = await send(newNumber())
  expect(errors).toEqual([])
  return data
}

const status = ({ id, externalId }: Sent, name: string) => ({
  id: externalId,
  status: name,
  timestamp: '1800000000',
  biz_opaque_callback_data: id,
})

/** Posts one report with one status, as the provider sends nearly all of them. */
async function post({ webhookPath, secrets }: Connected, sent: Sent, name: string): Promise<number> {
  const changes = [{ field: 'messages', value: { statuses: [status(sent, name)] } }]
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] })
  const headers = { 'x-hub-signature-256': await signBody(secrets.appSecret, body), origin: ORIGIN }
  const response = await place.run(() => place.fetch(webhookPath, { method: 'POST', body, headers }))
  return response.status
}

const loadDelivery = async (of: FarTeam, { id }: Sent): Promise<string> =>
  (await of.call('GET', `/v1/ext/message/${id}`)).data.deliveryStatus

const databaseCalls = (trigger: string) =>
  place.platform.calls.filter(call => call.kind === 'database' && call.trigger === trigger).length

describe('provider reports', () => {
  it('are written in batches of many teams, and cost the database nothing by themselves', async () => {
    const [other, otherWhatsapp] = await connectedTeam()
    const owners = [
      [team, whatsapp],
      [other, otherWhatsapp],
    ] as const
    const sent: [FarTeam, Connected, Sent][] = []
    for (const [of, by] of owners) for (let nth = 1; nth <= 10; nth++) sent.push([of, by, await send(by)])
    await place.rest()
    for (const [, by, message] of sent.slice(0, 1).concat(sent.slice(10, 11))) await post(by, message, 'sent')
    await place.rest()
    place.platform.calls = []
    const names = ['read', 'sent', 'delivered']
    const posts = names.flatMap(name => sent.map(([, by, message]) => post(by, message, name)))
    expect(await Promise.all(posts)).toEqual(posts.map(() => 200))
    await place.rest()
    expect(databaseCalls('request')).toBe(0)
    expect(databaseCalls('message')).toBeLessThanOrEqual(2)
    for (const [of, , message] of sent) expect(await loadDelivery(of, message)).toBe('READ')
  })

  it('are shown two seconds after the provider sent them', async () => {
    const message = await send(whatsapp)
    await post(whatsapp, message, 'delivered')
    await place.pass(2_000)
    expect(await loadDelivery(team, message)).toBe('DELIVERED')
  })

  it('are accepted and stored for a suspended team like any other', async () => {
    const message = await send(whatsapp)
    await suspend(team)
    await place.pass(MINUTE_MS)
    expect((await team.call('GET', '/v1/ext/me')).meta.errors[0].code).toBe('team_suspended')
    expect(await post(whatsapp, message, 'delivered')).toBe(200)
    await place.pass(MINUTE_MS)
    await resume(team)
    await place.pass(MINUTE_MS)
    expect(await loadDelivery(team, message)).toBe('DELIVERED')
  })

  it('are written at once where the queue does not take them', async () => {
    const message = await send(whatsapp)
    place.faults.add({ kind: 'queue', fault: 'lost before', about: 'PROVIDER_REPORTS' })
    expect(await post(whatsapp, message, 'delivered')).toBe(200)
    expect(await loadDelivery(team, message)).toBe('DELIVERED')
  })

  it('wait for the database for hours', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const message = await send(whatsapp)
    place.faults.add({ kind: 'database', fault: 'overloaded', trigger: 'message', times: 30 })
    await post(whatsapp, message, 'read')
    await place.pass(30 * MINUTE_MS)
    expect(await loadDelivery(team, message)).toBe('SENT')
    await place.pass(150 * MINUTE_MS)
    expect(await loadDelivery(team, message)).toBe('READ')
  })

  it('are not held up by one that cannot be written', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const sent = [await send(whatsapp), await send(whatsapp), await send(whatsapp)]
    place.broker.paused = true
    await place.run(async () => {
      const strange = { report: { plugin: 1, statuses: [{}], templates: [] } }
      for (const [nth, message] of sent.entries()) {
        if (nth === 1) await place.bindings().PROVIDER_REPORTS.send(strange)
        await post(whatsapp, message, 'read')
      }
    })
    place.broker.resume()
    await place.pass(3_000)
    for (const message of sent) expect(await loadDelivery(team, message)).toBe('READ')
  })
})
