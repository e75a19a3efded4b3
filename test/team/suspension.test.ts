import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../src/time-units.ts'
import { newTeam, type Reply, request, type Team } from '../support/api.ts'
import {
  addPasskey,
  linkFor,
  newSignInChallenge,
  OWN_PAGE,
  postSignIn,
  startSession,
} from '../support/browser-session.ts'
import { advanceTo, resetClock } from '../support/clock.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS, leadProcedure, newLeadTeam } from '../support/jobs.ts'
import { createBindings, createOpenIdProvider, loadShortId, newBrowser, newPerson } from '../support/openid-sign-in.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import { resume, resumeWithoutCredentials, suspend } from '../support/suspension.ts'
import { deliverUntil, loadWebhook, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}))
afterEach(() => {
  vi.restoreAllMocks()
  resetClock()
})

const ME = '/v1/ext/me'
const advanceOneMinute = () => advanceTo(Date.now() + MINUTE_MS)
const SUSPENDED = {
  status: 403,
  meta: { errors: [{ code: 'team_suspended', hint: expect.stringContaining('operator') }] },
}
const outcome = ({ status, meta }: Reply) => [status, meta.errors?.[0]?.code]

describe('a suspended team, within a minute,', () => {
  it('has each call refused, of keys and of sessions, without a change; once resumed, all are answered again', async () => {
    const [team, other] = [await newTeam(), await newTeam()]
    await leadProcedure(team)
    const browser = await startSession(team)
    const lead = { data: { lead_id: 'A' } }
    const key = { 'idempotency-key': 'the-same' }
    for (const call of [team.call, browser.call]) expect((await call('GET', ME)).status).toBe(200)
    await suspend(team)
    advanceOneMinute()
    for (const call of [team.call, browser.call]) {
      expect(await call('GET', ME)).toMatchObject(SUSPENDED)
      expect(await call('GET', '/v1/ext/event')).toMatchObject(SUSPENDED)
      expect(await call('POST', LEADS, lead, key)).toMatchObject(SUSPENDED)
      expect(await call('GET', '/v1/ext/usage')).toMatchObject(SUSPENDED)
    }
    expect((await other.call('GET', ME)).status).toBe(200)
    expect((await request('GET', '/v1/health')).status).toBe(200)
    await resume(team)
    advanceOneMinute()
    expect((await browser.call('GET', ME)).status).toBe(200)
    expect((await team.call('POST', `${LEADS}/list`, {})).data).toEqual([])
    expect((await team.call('POST', LEADS, lead, key)).status).toBe(201)
  })

  it('lets whoever has a session end it, and whoever has no valid token learns nothing else', async () => {
    const team = await newTeam()
    const browser = await startSession(team)
    const { data: ended } = await team.call('POST', '/v1/ext/api-key', { name: 'ended', role: 'viewer' })
    await team.call('DELETE', `/v1/ext/api-key/${ended.id}`)
    await suspend(team)
    advanceOneMinute()
    const headers = { authorization: `Bearer ${ended.token}` }
    expect((await request('GET', ME, { headers })).status).toBe(401)
    expect((await browser.call('DELETE', '/v1/session')).status).toBe(200)
    await resume(team)
    advanceOneMinute()
    expect((await browser.call('GET', ME)).status).toBe(401)
  })
})

describe('a sign-in to a suspended team leaves what it used to be used once the team is resumed:', () => {
  it('a link, and the page of the link says why', async () => {
    const team = await newTeam()
    const link = await linkFor(team)
    await suspend(team)
    const body = JSON.stringify({ link })
    const headers = { 'content-type': 'application/json', ...OWN_PAGE }
    expect(await request('POST', '/v1/session/link', { headers, body })).toMatchObject(SUSPENDED)
    const refused = await postSignIn({ link })
    expect(refused).toMatchObject(SUSPENDED)
    expect(refused.headers.get('set-cookie')).toBeNull()
    await resume(team)
    expect((await request('POST', '/v1/session/link', { headers, body })).status).toBe(200)
    expect((await postSignIn({ link })).status).toBe(201)
  })

  it('a passkey, with the same response of the authenticator', async () => {
    const team = await newTeam()
    const { device } = await addPasskey(team)
    const passkey = await device.answer(await newSignInChallenge())
    await suspend(team)
    expect(await postSignIn({ passkey })).toMatchObject(SUSPENDED)
    await resume(team)
    expect((await postSignIn({ passkey })).status).toBe(201)
    expect((await postSignIn({ passkey })).status).toBe(401)
  })

  it('the response of an OpenID provider; another team of the same person is not affected', async () => {
    const [team, other] = [await newTeam(), await newTeam()]
    const email = `asha-${crypto.randomUUID()}@acme.example`
    for (const each of [team, other]) await newPerson(each, email)
    const provider = await createOpenIdProvider()
    const names = [await loadShortId(team), await loadShortId(other)] as const
    await suspend(team)
    const browser = newBrowser(createBindings(provider))
    const answer = await browser.comeBack(provider, email)
    expect(answer.data.teams.map(({ shortId }: { shortId: string }) => shortId).sort()).toEqual([...names].sort())
    expect(await browser.enter(names[0])).toMatchObject(SUSPENDED)
    await resume(team)
    expect((await browser.enter(names[0])).status).toBe(201)
    const again = newBrowser(createBindings(provider))
    await suspend(team)
    await again.comeBack(provider, email)
    expect((await again.enter(names[0])).status).toBe(403)
    expect((await again.enter(names[1])).status).toBe(201)
  })
})

describe('the suspension of a team', () => {
  const lead = (lead_id: string) => ({ lead_id })
  const loadStatus = async (harness: Harness, team: Team, id: string) =>
    (await harness.request(team, 'GET', `${JOBS}/${id}`)).body._data.completionStatus

  it('pauses its jobs, started and scheduled ones, which continue afterwards', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 10, sliceChunks: 1 } })
    const whatsapp = await connectPlugin(team)
    const accept = async (path: string, body: object) =>
      (await harness.request(team, 'POST', path, body)).body._data.id as string
    const items = Array.from({ length: 30 }, (_, nth) => lead(`A${nth}`))
    const running = await accept(`${LEADS}/bulk-create`, items)
    await harness.deliver()
    const to = { pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, phoneNumber: newNumber() }
    const entries = [{ apiType: 'TEMPLATE_MESSAGE', apiData: { ...to, templateName: 'hello_world' } }]
    const waiting = await accept(JOBS, { entries, startAt: Date.now() + 5 * MINUTE_MS })
    await suspend(team)
    const before = await harness.request(team, 'GET', `${JOBS}/${running}`)
    for (let minute = 0; minute < 10; minute++) {
      advanceOneMinute()
      await harness.runCron()
      for (let round = 0; round < 5 && harness.messages.length > 0; round++) await harness.deliver()
    }
    expect(harness.messages).toEqual([])
    await resume(team)
    advanceOneMinute()
    const after = await harness.request(team, 'GET', `${JOBS}/${running}`)
    expect(after.body._data).toEqual(before.body._data)
    expect(await loadStatus(harness, team, waiting)).toBe('NOT_STARTED')
    await harness.settle(team)
    advanceOneMinute()
    for (const id of [running, waiting]) expect(await loadStatus(harness, team, id)).toBe('SUCCESS')
    expect((await team.call('POST', `${LEADS}/list?all=true`, {})).data).toHaveLength(30)
  })

  it('pauses a job whose steps have failed as well, and no entry of it is given up', async () => {
    const team = await newLeadTeam()
    const harness = new Harness()
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, [lead('A')])
    const [message] = harness.messages
    if (message) message.queue = 'jobs-dead'
    await suspend(team)
    await harness.deliver()
    expect(harness.messages).toEqual([])
    await resume(team)
    expect(await loadStatus(harness, team, body._data.id)).toBe('IN_PROGRESS')
    await harness.settle(team)
    expect(await loadStatus(harness, team, body._data.id)).toBe('SUCCESS')
  })

  it('delays its webhooks: each event is delivered afterwards, and the pause does not count as failing', async () => {
    connectReceivers()
    const team = await newQuietTeam()
    await leadProcedure(team)
    const harness = new Harness()
    const receiver = newReceiver(() => new Response('no', { status: 500 }))
    const id = await newWebhook(team, receiver)
    await makeEvents(team, 1)
    await harness.runCron()
    await deliverUntil(harness, Date.now() + 1_000)
    const failingSince = (await loadWebhook(id)).failing_since ?? 0
    expect(failingSince).toBeGreaterThan(0)
    await makeEvents(team, 2)
    await suspend(team)
    const tried = receiver.arrivals.length
    for (let minute = 0; minute < 3; minute++) {
      advanceOneMinute()
      await harness.runCron()
      await deliverUntil(harness, Date.now())
    }
    expect(receiver.arrivals).toHaveLength(tried)
    advanceTo(Date.now() + 6 * DAY_MS)
    await resume(team)
    expect((await loadWebhook(id)).failing_since).toBeGreaterThan(failingSince + 6 * DAY_MS)
    await harness.runCron()
    await deliverUntil(harness, Date.now() + 1_000)
    expect(await loadWebhook(id)).toMatchObject({ enabled: 1 })
    receiver.behave = () => new Response('')
    advanceOneMinute()
    await harness.runCron()
    await deliverUntil(harness, Date.now() + DAY_MS)
    const delivered = new Set(receiver.arrivals.map(({ sequence }) => sequence))
    expect([...delivered].sort()).toEqual([1, 2, 3])
  })
})

it('a suspension can end without any of the keys, sessions, links and passkeys of before: none of them works', async () => {
  const [team, other] = [await newTeam(), await newTeam()]
  const [{ browser, device }, elsewhere] = [await addPasskey(team), await addPasskey(other)]
  const link = await linkFor(team)
  await suspend(team)
  await resumeWithoutCredentials(team)
  advanceOneMinute()
  expect(outcome(await team.call('GET', ME))).toEqual([401, 'unauthenticated'])
  expect(outcome(await browser.call('GET', ME))).toEqual([401, 'unauthenticated'])
  expect(outcome(await postSignIn({ link }))).toEqual([401, 'unauthenticated'])
  const signIn = async ({ answer }: typeof device) => postSignIn({ passkey: await answer(await newSignInChallenge()) })
  expect(outcome(await signIn(device))).toEqual([401, 'unauthenticated'])
  expect((await signIn(elsewhere.device)).status, 'a passkey of another team').toBe(201)
})
