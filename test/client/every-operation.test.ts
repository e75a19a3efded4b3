import { expect, it, vi } from 'vitest'
import { bodiesFile, type Document, faultsFile, operationsFile, shapesFile } from '../../scripts/client-types.ts'
import { STREAM_ENTRIES_MAX } from '../../src/background-job/accept/pack-chunks.ts'
import { STREAM_BODY_BYTES_MAX } from '../../src/background-job/accept/request.ts'
import type { CallNote, Caseworker } from '../../src/client/client.ts'
import bodies from '../../src/client/generated/bodies.ts?raw'
import faults from '../../src/client/generated/faults.ts?raw'
import { OPERATIONS } from '../../src/client/generated/operations.ts'
import operations from '../../src/client/generated/operations.ts?raw'
import shapes from '../../src/client/generated/shapes.ts?raw'
import { JOB_BODY_BYTES_MAX, JOB_ENTRIES_MAX } from '../../src/client/pack-lines.ts'
import { ERROR_CODES } from '../../src/errors.ts'
import { newSoftPasskey } from '../support/authenticator.ts'
import { collected, createBrowserClient, createClient } from '../support/client.ts'
import { document } from '../support/document.ts'
import { newLeadTeam } from '../support/jobs.ts'
import { makeLoggedRequest } from '../support/logged-request.ts'
import { createBindings, createOpenIdProvider, verified } from '../support/openid-sign-in.ts'
import { connectPlugin, newConnectedTeam, newNumber, refusedNumber } from '../support/provider.ts'

/** The formatter's part of a file is not what is compared. */
const bare = (text: string): string => text.replace(/[\s;,()|]/g, '')
/** The formatter sorts what is imported, and breaks it into lines. */
const withoutImports = (text: string): string => text.replace(/^import [^']*'[^']*'\n/gm, '')

it('the client is generated from the present document: otherwise run npm run client', () => {
  const described = JSON.parse(JSON.stringify(document)) as Document
  expect(bare(shapes)).toBe(bare(shapesFile(described)))
  expect(bare(bodies)).toBe(bare(bodiesFile(described)))
  expect(bare(faults)).toBe(bare(faultsFile(described)))
  expect(bare(withoutImports(operations))).toBe(bare(withoutImports(operationsFile(described))))
})

it('the client knows the limits of a job, and every error code', () => {
  expect([JOB_ENTRIES_MAX, JOB_BODY_BYTES_MAX]).toEqual([STREAM_ENTRIES_MAX, STREAM_BODY_BYTES_MAX])
  for (const code of ERROR_CODES) expect(faults.includes(`  ${code}: CommonFault<'${code}'>`), code).toBe(true)
})

/** Signs in at a provider of its own: responses of others cannot be made. */
async function signInByOpenId(client: Caseworker, notes: CallNote[]): Promise<void> {
  const provider = await createOpenIdProvider()
  const browser = createBrowserClient(notes, createBindings(provider))
  const email = `asha-${crypto.randomUUID()}@acme.example`
  const { id } = await client.users.create({ username: email, role: 'agent', email })
  expect((await browser.session.ways()).openid).toEqual({ name: 'Example ID' })
  const { url } = await browser.session.beginOpenId()
  const back = new URL(provider.allow(url, verified(email))).searchParams
  const [code, state, iss] = [back.get('code') ?? '', back.get('state') ?? '', back.get('iss') ?? '']
  const { teams } = await browser.session.answerOpenId({ code, state, iss })
  const [team] = teams
  expect(await browser.session.signIn({ openid: { team: team?.shortId ?? '' } })).toMatchObject({ user: id })
  vi.unstubAllGlobals()
}

/** Reached by name through `call`, because no client has a reason to: the provider's own way in, aliases, public files. */
const BY_NAME = ['getMedia', 'verifyWebhook', 'receiveWebhook', 'sendTemplateMessageToPhoneOfProcessPath']

it('the client has a method for every operation, and each of them succeeds', async () => {
  const team = await newLeadTeam()
  // One customer gets several messages, however long the calls between them take.
  const whatsapp = await connectPlugin(team, { settings: { limits: { pairIntervalMs: 0 } } })
  const notes: CallNote[] = []
  const client = createClient(team, { onCall: note => notes.push(note) })
  const leads = client.processes('lead')
  const key = { lead_id: 'L1' }

  await client.health()
  await client.config()
  const { createdAt, updatedAt, id: _, shortId, attributes, ...definition } = await client.procedures.get('lead')
  expect(await client.procedures.dryRun(shortId, { ...definition, attributes: [], primaryKey: null })).toMatchObject({
    isNew: false,
    isAllowed: true,
  })
  const asBefore = { ...definition, attributes: attributes.map(({ indexReady: _, ...each }) => each) }
  const { etag: tagOfDefinition } = await client.procedures.get('lead')
  await client.procedures.put(shortId, asBefore, { ifMatch: tagOfDefinition })
  await expect(client.procedures.put(shortId, asBefore, { ifMatch: tagOfDefinition })).rejects.toMatchObject({
    code: 'precondition_failed',
  })
  await client.procedures.list()

  const made = await leads.create({
    data: { lead_id: 'L1', phone_number: newNumber() },
    record: { data: { phone: newNumber() } },
  })
  await leads.createOrUpdate({ data: { lead_id: 'L1', score: 5 } })
  await leads.update(made.id, { data: { city: 'Pune' } })
  const { etag } = await leads.update(key, { data: { city: 'Oslo' } })
  expect((await leads.get(made.id)).data).toEqual((await leads.get(key)).data)
  expect(await leads.getIfChanged(made.id, etag)).toBeUndefined()
  expect(await leads.getIfChanged(key, made.etag)).toMatchObject({ id: made.id })
  expect(await leads.list({ where: { city: 'Oslo' } }).all()).toHaveLength(1)
  expect(await leads.newest({ status: 'OPEN' }).all()).toHaveLength(1)
  expect(await leads.count({ city: 'Oslo' })).toBe(1)
  expect(await leads.aggregate({ groupBy: ['city'] })).toEqual([{ group: { city: 'Oslo' }, count: 1 }])
  await leads.delete(made.id)
  expect(await leads.trash().all()).toMatchObject([{ id: made.id, deletedBy: expect.any(String) }])
  await leads.restore(made.id)
  await leads.delete(key)
  await leads.restore(made.id)
  for (const address of [made.id, key]) {
    const restored = (await leads.history(address).all()).filter(({ type }) => type === 'process.restored')
    expect(restored).toHaveLength(2)
    expect((await leads.getAsOf(address, 1)).data).toEqual(made.data)
    expect(await leads.blame(address)).toMatchObject({ 'data.city': { at: expect.any(Number) } })
    expect((await leads.blame(address, { asOf: new Date(made.updatedAt) })).state).toMatchObject({ version: 1 })
    expect((await leads.revert(address, 1)).data).toEqual(made.data)
    expect((await leads.revert(address, 3)).data).toMatchObject({ city: 'Pune' })
  }

  const { record } = await leads.get(made.id)
  const customer = await client.records.get(record?.id ?? '')
  expect(await client.records.find({ phone: String(customer.data.phone) })).toEqual({ ...customer })
  expect(await client.records.find({ email: 'nobody@b.co' })).toBe(undefined)
  expect(await client.records.list({ limit: 1 }).all()).toContainEqual({ ...customer })
  const named = await client.records.create({ name: 'Mei Tanaka' })
  expect(await client.records.search('tanaka m', { limit: 1 }).all()).toEqual([{ ...named }])
  const renamed = await client.records.update(customer.id, { name: 'Asha' }, { ifMatch: customer.etag })
  expect(renamed.data).toEqual({ ...customer.data, name: 'Asha' })
  const [change] = await client.records.history(customer.id).all()
  expect(change?.changes).toEqual([{ field: 'data.name', from: null, to: 'Asha' }])
  expect(await client.records.processes(customer.id).all()).toMatchObject([{ id: made.id }])

  const job = await leads.bulkUpdate([
    { lead_id: 'L1', update: { data: { score: 9 } } },
    { lead_id: 'NOBODY', state: 'NEW' },
  ])
  await leads.bulkUpdateWhere({ score: 9 }, { data: { score: 10 } })
  await leads.bulkUpdateWhere({}, { data: { score: 10 } }, { all: true })
  await leads.bulkCreate([{ lead_id: 'L2' }])
  await leads.bulkUpsert([{ lead_id: 'L2', data: { score: 1 } }])
  expect(await client.jobs.wait(job.id)).toMatchObject({ completionStatus: 'ERROR', counts: { SUCCESS: 1, ERROR: 1 } })
  expect(await client.jobs.get(job.id)).toMatchObject({ total: 2 })
  expect(await client.jobs.list().all()).toHaveLength(5)
  expect(await client.jobs.entries(job.id).all()).toHaveLength(2)
  expect(await collected(client.jobs.results(job.id))).toHaveLength(2)
  const [group] = await client.jobs.errors(job.id).all()
  expect(group).toMatchObject({ code: 'not_found', count: 1, entries: [{ primaryKey: 'NOBODY' }] })
  const failed = client.jobs.results(job.id, { group: group?.group })
  expect((await collected(failed)).map(({ index }) => index)).toEqual([1])
  expect((await client.jobs.retry(job.id)).retryOf).toBe(job.id)
  const plan = await leads.bulkUpdate([{ lead_id: 'B-1', data: { city: 'Goa' } }], { dryRun: true })
  await client.jobs.wait(plan.id)
  expect((await client.jobs.apply(plan.id)).applyOf).toBe(plan.id)
  const undo = await client.jobs.undo(job.id)
  expect(undo.undoOf).toBe(job.id)
  expect((await client.jobs.get(job.id)).undoneBy).toBe(undo.id)
  const apiData = { procedureId: 'lead', processId: made.id, processUpdate: { state: 'IN_PROGRESS' } }
  const later = await client.jobs.schedule({
    entries: [{ apiType: 'PROCESS_UPDATE', apiData }],
    startAt: Date.now() + 3_600_000,
  })
  expect((await client.jobs.cancel(later.id)).completionStatus).toBe('CANCELLED')

  const template = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const phoneNumber = newNumber()
  const sent = await client.messages.send(whatsapp.id, { phoneNumber }, template)
  await client.messages.send(whatsapp.id, { process: made.id }, template)
  await client.messages.send(whatsapp.id, { procedure: 'lead', process: 'L1' }, template)
  await client.messages.get(sent.id)
  const [writer, file] = [newNumber(), { id: '5001', mimeType: 'text/plain', base64: btoa('Hello') }]
  await whatsapp.control('PUT', '/files', file)
  await whatsapp.control('POST', '/inbound', { from: writer, type: 'document', content: { id: file.id } })
  await whatsapp.flush()
  const [written] = await client.messages.list({ phoneNumber: writer }).all()
  expect(await new Response(await client.messages.download(written?.id ?? '')).text()).toBe('Hello')
  const many = await client.messages.sendMany(whatsapp.id, 'lead', { ...template, processes: [{ lead_id: 'L1' }] })
  expect(await client.jobs.wait(many.id)).toMatchObject({ counts: { SUCCESS: 1 } })
  const { deliveries = {} } = await client.jobs.get(many.id)
  expect(Object.values(deliveries).reduce((sum, each) => sum + each, 0)).toBe(1)
  expect(await client.messages.list({ phoneNumber }).all()).toHaveLength(1)
  const sender = { plugin: whatsapp.id, phoneNumberId: whatsapp.phone.id, version: 'v23.0' }
  await client.messages.sendOfProvider(sender, {
    messaging_product: 'whatsapp',
    to: phoneNumber,
    type: 'text',
    text: { body: 'Hi' },
  })
  const refused = newNumber()
  await whatsapp.faults({ to: refused, times: 1, fault: { kind: 'error', code: 131026 } })
  const error = await client.messages
    .send(whatsapp.id, { phoneNumber: refused }, template)
    .catch((reason: unknown) => reason)
  await client.messages.resend((error as { errors: { messageId: string }[] }).errors[0]?.messageId ?? '')
  await client.messages.upload(whatsapp.id, new Blob(['%PDF-1.7\n'], { type: 'application/pdf' }), 'a.pdf')

  const optedOut = refusedNumber(131050)
  await client.messages.send(whatsapp.id, { phoneNumber: optedOut }, template).catch(() => undefined)
  expect((await client.messages.optOuts().all()).map(each => each.phoneNumber)).toEqual([optedOut])
  await client.messages.removeOptOut(optedOut)
  expect(await client.messages.list({ backgroundJob: many.id }).all()).toHaveLength(1)

  await client.messages.send(whatsapp.id, { phoneNumber: String(customer.data.phone) }, template)
  expect(await client.records.messages(customer.id, { limit: 1 }).all()).toHaveLength(1)
  const same = await client.records.create({ name: 'M. Tanaka' })
  const outlook = await client.records.merge(named.id, same.id, { dryRun: true })
  expect(await client.records.merge(named.id, same.id)).toEqual({ ...outlook, isDryRun: false })
  expect(await client.records.get(named.id)).toMatchObject({ id: same.id })
  expect(await client.records.erase(customer.id)).toMatchObject({ processes: 1 })

  const feed = await client.eventFeed.set(true)
  expect(await client.eventFeed.get()).toEqual(feed)
  const { events, next } = await client.eventFeed.page({ limit: 1, type: 'process.created' })
  expect([events.length, next]).toEqual([1, events[0]?.sequence])

  expect((await client.me()).role.shortId).toBe('admin')
  await client.users.list()
  await client.users.listReadable()
  const user = await client.users.create({ username: 'asha', role: 'agent' })
  await client.users.update(user.id, { firstName: 'Asha' })
  await client.users.changeAccess(user.id, { isActive: true })
  expect((await client.users.get(user.id)).firstName).toBe('Asha')
  expect((await client.users.getReadable(user.id)).role).toBe('agent')
  const { url } = await client.users.createSignInLink((await client.me()).user.id)
  const browser = createBrowserClient(notes)
  const link = url?.split('#')[1] ?? ''
  expect(await browser.session.lookAtLink(link)).toMatchObject({ user: expect.any(String) })
  expect(await browser.session.signIn({ link })).toMatchObject({ isCurrent: true })
  expect(await browser.me()).toMatchObject({ key: null, session: { method: 'link' } })
  const asked = await browser.passkeys.challenge()
  const device = await newSoftPasskey(asked.challenge, asked.user.id)
  const added = await browser.passkeys.add({ name: 'Laptop', passkey: device.registration })
  expect(await browser.session.signOut()).toEqual({ signedOut: true })
  const { challenge } = await browser.session.challenge()
  const again = await browser.session.signIn({ passkey: await device.answer(challenge) })
  expect((await browser.session.list()).map(({ id }) => id)).toEqual([again.id])
  expect(await browser.passkeys.list()).toMatchObject([{ id: added.id }])
  await browser.passkeys.remove(added.id)
  await browser.session.end(again.id)
  await signInByOpenId(client, notes)
  const issued = await client.apiKeys.create({ name: 'Form', role: 'agent' })
  const rotated = await client.apiKeys.rotate(issued.id)
  await client.apiKeys.revoke(rotated.id)
  await client.apiKeys.list()
  await client.plugins.list()
  await client.plugins.get(whatsapp.id)
  await client.plugins.update(whatsapp.id, { name: 'Sales' })
  await client.plugins.syncTemplates(whatsapp.id)
  await client.plugins.templates(whatsapp.id)
  const secret = { accessToken: 'a', appSecret: 'b', verifyToken: 'c' }
  const phoneNumbers = [{ id: '1', displayNumber: '1' }]
  const plugin = await client.plugins.create({ name: 'Two', businessAccountId: '5', ...secret, phoneNumbers })
  await client.plugins.delete(plugin.id)

  const view = await client.savedViews.create({ name: 'Open', procedure: 'lead', query: { where: { status: 'OPEN' } } })
  await client.savedViews.update(view.id, { layout: 'board' })
  expect(await client.savedViews.get(view.id)).toMatchObject({ layout: 'board' })
  expect(await client.savedViews.list({ procedure: 'lead' })).toHaveLength(1)
  await client.savedViews.delete(view.id)

  expect(await client.messages.counts({ by: 'day' })).not.toEqual([])
  expect((await client.messages.list({ status: 'SENT' }).all()).length).toBeGreaterThan(0)
  expect(await client.jobs.counts()).toHaveLength(5)
  const { id: requestId } = await makeLoggedRequest(team)
  expect(await client.requests.get(requestId)).toMatchObject({ id: requestId })
  expect(await client.requests.list({ failed: 'true' }).all()).toHaveLength(1)
  expect((await client.usage()).total.messages.READ).toBeGreaterThanOrEqual(0)

  const webhook = await client.webhooks.create({ url: 'https://www.example.com/webhooks' })
  await client.webhooks.list()
  await client.webhooks.update(webhook.id, { enabled: false })
  expect((await client.webhooks.get(webhook.id)).enabled).toBe(false)
  expect((await client.webhooks.rotateSecret(webhook.id)).secret).not.toBe(webhook.secret)
  expect(await client.webhooks.test(webhook.id)).toMatchObject({ isDelivered: false })
  expect(await client.webhooks.deliveries(webhook.id).all()).toEqual([])
  await client.webhooks.update(webhook.id, { enabled: true })
  expect(await client.webhooks.replay(webhook.id, { from: 1, to: 2 })).toMatchObject({ events: 2 })
  await client.webhooks.delete(webhook.id)

  const succeeded = new Set(notes.filter(({ status }) => status > 0 && status < 400).map(({ operation }) => operation))
  const missing = Object.keys(OPERATIONS).filter(id => !succeeded.has(id) && !BY_NAME.includes(id))
  expect(missing, 'operations without a method of the client').toEqual([])
  expect(notes.every(({ requestId, tries }) => requestId !== undefined && tries === 1)).toBe(true)
})

it('the client reaches every other operation by its name', async () => {
  const { team, whatsapp } = await newConnectedTeam()
  const { call } = createClient(team)
  const path = { pluginId: whatsapp.id, phoneNumber: newNumber() }
  const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const { data, status } = await call('sendTemplateMessageToPhoneOfProcessPath', { path, body })
  expect([status, data.deliveryStatus]).toEqual([200, 'SENT'])
})
