import { expect, it } from 'vitest'
import { bodiesFile, type Document, faultsFile, operationsFile, shapesFile } from '../../scripts/client-types.ts'
import { ENTRIES_MAX } from '../../src/background-job/accept/pack-chunks.ts'
import { BULK_BODY_BYTES_MAX } from '../../src/background-job/accept/request.ts'
import { JOB_BODY_BYTES_MAX, JOB_ENTRIES_MAX } from '../../src/client/batches.ts'
import type { CallNote } from '../../src/client/client.ts'
import bodies from '../../src/client/generated/bodies.ts?raw'
import faults from '../../src/client/generated/faults.ts?raw'
import { OPERATIONS } from '../../src/client/generated/operations.ts'
import operations from '../../src/client/generated/operations.ts?raw'
import shapes from '../../src/client/generated/shapes.ts?raw'
import { ERROR_CODES } from '../../src/errors.ts'
import { newTeam } from '../support/api.ts'
import { clientOf, collected } from '../support/client.ts'
import { document } from '../support/document.ts'
import { leadProcedure } from '../support/jobs.ts'
import { connected, newNumber, refusedNumber } from '../support/provider.ts'

/** The formatter's part of a file is not what is compared. */
const bare = (text: string): string => text.replace(/[\s;,()|]/g, '')
/** The formatter sorts what is imported, and breaks it into lines. */
const withoutImports = (text: string): string => text.replace(/^import [^']*'[^']*'\n/gm, '')

it('is made from the document as it is: if this fails, npm run client', () => {
  const described = JSON.parse(JSON.stringify(document)) as Document
  expect(bare(shapes)).toBe(bare(shapesFile(described)))
  expect(bare(bodies)).toBe(bare(bodiesFile(described)))
  expect(bare(faults)).toBe(bare(faultsFile(described)))
  expect(bare(withoutImports(operations))).toBe(bare(withoutImports(operationsFile(described))))
})

it('knows the limits of a job, and every error code', () => {
  expect([JOB_ENTRIES_MAX, JOB_BODY_BYTES_MAX]).toEqual([ENTRIES_MAX, BULK_BODY_BYTES_MAX])
  for (const code of ERROR_CODES) expect(faults.includes(`code: '${code}'`), code).toBe(true)
})

/** Reached by name through `call`, because no client has a reason to: the provider's own way in, aliases, public files. */
const BY_NAME = ['getMedia', 'verifyWebhook', 'receiveWebhook', 'sendTemplateMessageToPhoneOfProcessPath']

it('has a method for every operation, and each of them succeeds', { timeout: 60_000 }, async () => {
  const team = await newTeam()
  await leadProcedure(team)
  const whatsapp = await connected(team)
  const notes: CallNote[] = []
  const client = clientOf(team, { onCall: note => notes.push(note) })
  const leads = client.processes('lead')
  const key = { lead_id: 'L1' }

  await client.health()
  await client.config()
  const { createdAt, updatedAt, id: _, shortId, attributes, ...definition } = await client.procedures.get('lead')
  await client.procedures.put(shortId, {
    ...definition,
    attributes: attributes.map(({ indexReady: _, ...each }) => each),
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
  await leads.restore(made.id)
  await leads.delete(key)
  await leads.restore(made.id)

  const { record } = await leads.get(made.id)
  const customer = await client.records.get(record?.id ?? '')
  expect(await client.records.find({ phone: String(customer.data.phone) })).toEqual({ ...customer })
  expect(await client.records.find({ email: 'nobody@b.co' })).toBe(undefined)
  const renamed = await client.records.update(customer.id, { name: 'Asha' }, { ifMatch: customer.etag })
  expect(renamed.data).toEqual({ ...customer.data, name: 'Asha' })
  expect(await client.records.processes(customer.id).all()).toMatchObject([{ id: made.id }])

  const job = await leads.bulkUpdate([
    { lead_id: 'L1', update: { data: { score: 9 } } },
    { lead_id: 'NOBODY', state: 'NEW' },
  ])
  await leads.bulkUpdateWhere({ score: 9 }, { data: { score: 10 } })
  await leads.bulkUpdateWhere({}, { data: { score: 10 } }, { all: true })
  await leads.bulkCreate([{ lead_id: 'L2' }])
  expect(await client.jobs.wait(job.id)).toMatchObject({ completionStatus: 'ERROR', counts: { SUCCESS: 1, ERROR: 1 } })
  expect(await client.jobs.get(job.id)).toMatchObject({ total: 2 })
  expect(await client.jobs.list().all()).toHaveLength(4)
  expect(await client.jobs.entries(job.id).all()).toHaveLength(2)
  expect(await collected(client.jobs.results(job.id))).toHaveLength(2)
  expect((await client.jobs.retry(job.id)).retryOf).toBe(job.id)
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
  expect(await client.records.erase(customer.id)).toMatchObject({ isComplete: true, processes: 1 })

  expect((await client.me()).role.shortId).toBe('admin')
  await client.users.list()
  await client.users.listReadable()
  const user = await client.users.create({ username: 'asha', role: 'agent' })
  await client.users.update(user.id, { firstName: 'Asha' })
  expect((await client.users.get(user.id)).firstName).toBe('Asha')
  expect((await client.users.getReadable(user.id)).role).toBe('agent')
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

  const succeeded = new Set(notes.filter(({ status }) => status > 0 && status < 400).map(({ operation }) => operation))
  const missing = Object.keys(OPERATIONS).filter(id => !succeeded.has(id) && !BY_NAME.includes(id))
  expect(missing, 'operations without a method of the client').toEqual([])
  expect(notes.every(({ requestId, tries }) => requestId !== undefined && tries === 1)).toBe(true)
})

it('reaches every other operation by its name', async () => {
  const team = await newTeam()
  const whatsapp = await connected(team)
  const { call } = clientOf(team)
  const path = { pluginId: whatsapp.id, phoneNumber: newNumber() }
  const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const { data, status } = await call('sendTemplateMessageToPhoneOfProcessPath', { path, body })
  expect([status, data.deliveryStatus]).toEqual([200, 'SENT'])
})
