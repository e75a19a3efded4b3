import { expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { bulk, JOBS, LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'
import { connectPlugin } from '../support/provider.ts'

// What JSON.parse makes of ids of 17 digits: of each, its neighbour.
const [SENT, NEIGHBOUR] = ['23851234567890123', '23851234567890124']
const withNumber = (body: unknown): string => JSON.stringify(body).replaceAll('"NUMBER"', SENT)
const HINT = 'send it as text, because a number of so many digits loses the last ones'

async function setUp() {
  const team = await newLeadTeam({
    attributes: [
      attribute('lead_id', 'string'),
      attribute('tags', 'multiString'),
      attribute('mobile', 'phone'),
      attribute('amount', 'float'),
    ],
    phoneAttribute: 'mobile',
  })
  const send = (method: string, path: string, body: unknown) =>
    team.call(method, path, withNumber(body), { 'content-type': 'application/json' })
  const neighbour = (await team.call('POST', LEADS, { data: { lead_id: NEIGHBOUR, mobile: '4915112345678' } })).data.id
  return { team, send, neighbour }
}

it('a bulk item whose id or key has lost digits as a number names no process', async () => {
  const { team, send, neighbour } = await setUp()
  const reply = await send('PATCH', LEADS, {
    processes: [
      { id: 'NUMBER', update: { data: { amount: 1 } } },
      { lead_id: 'NUMBER', isDeleted: true },
      { lead_id: 'NUMBER', state: 'WON' },
      { lead_id: 12345678901234, state: 'WON' },
    ],
  })
  await waitForJob(team, reply.data.id)
  const entries = await listEntries(team, reply.data.id)
  const statuses = entries.map((each: { completionStatus: string }) => each.completionStatus)
  expect(statuses).toEqual(['INVALID', 'INVALID', 'INVALID', 'ERROR'])
  expect(entries[0].completionMessage).toBe(`"id" or "lead_id" must be text or a number (${HINT})`)
  expect(entries.slice(0, 3).map((each: { primaryKey: string | null }) => each.primaryKey)).toEqual([null, null, null])
  expect((await team.call('GET', `${LEADS}/${neighbour}`)).data).toMatchObject({
    data: { lead_id: NEIGHBOUR, mobile: '4915112345678' },
    state: 'NEW',
  })
})

it('no message is written to the process whose key a number was rounded to', async () => {
  const { team, send } = await setUp()
  const whatsapp = await connectPlugin(team)
  const template = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const reply = await send('POST', `${whatsapp.base}/process/lead/bulk-send-template-message`, {
    processes: [{ lead_id: 'NUMBER' }, { id: 'NUMBER' }],
    ...template,
  })
  expect((await waitForJob(team, reply.data.id)).meta.bjEntryCompletionStatusVsCount).toMatchObject({ INVALID: 2 })
  const named = { procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: 'NUMBER' }
  const byHand = await send('POST', JOBS, {
    entries: [
      { apiType: 'TEMPLATE_MESSAGE', apiData: { ...named, pluginId: whatsapp.id, ...template } },
      { apiType: 'PROCESS_DELETE', apiData: named },
    ],
  })
  expect((await waitForJob(team, byHand.data.id)).meta.bjEntryCompletionStatusVsCount).toMatchObject({ INVALID: 2 })
  const [entry] = await listEntries(team, byHand.data.id)
  expect(entry.completionMessage).toContain(`"primaryKeyValue": ${HINT}`)
})

it('a text is never suggested with the digits that a number was rounded to', async () => {
  const { team, send } = await setUp()
  const reply = await send('POST', LEADS, { data: { lead_id: 'NUMBER', tags: 'NUMBER' } })
  expect(reply.status).toBe(400)
  expect(reply.errors.join()).not.toContain(NEIGHBOUR)
  expect(reply.meta.errors[0]).toMatchObject({
    path: '/body/data/lead_id',
    message: '"lead_id" must be text',
    hint: HINT,
  })
  const item = await send('POST', `${LEADS}/bulk-create`, [{ lead_id: 'NUMBER' }])
  await waitForJob(team, item.data.id)
  expect((await listEntries(team, item.data.id))[0].completionMessage).toBe(`"lead_id" must be text (${HINT})`)
})

it('a number is a primary key only while all its digits are kept; elsewhere it is a measure', async () => {
  const { create, update, upsert } = await newProcedure(await newTeam(), {
    attributes: [attribute('lead_id', 'float'), attribute('amount', 'float')],
  })
  const made = await create({ data: { lead_id: 9007199254740991, amount: 1e20 } })
  expect(made.status).toBe(201)
  for (const reply of [
    await create({ data: { lead_id: 9007199254740992 } }),
    await upsert({ data: { lead_id: 1e21 } }),
    await update(made.data.id, { data: { lead_id: -9007199254740992 } }),
  ])
    expect(reply.meta.errors).toMatchObject([
      { path: '/body/data/lead_id', message: '"lead_id", the primary key, has more digits than a number keeps' },
    ])
})

it('a filter by a number that has lost digits finds no text', async () => {
  const { team, send } = await setUp()
  await bulk(team, 'POST', [
    { lead_id: 'text', data: { fb_id: NEIGHBOUR } },
    { lead_id: 'short', data: { fb_id: '105' } },
  ])
  await send('POST', LEADS, { data: { lead_id: 'number', fb_id: 'NUMBER' } })
  const find = async (fb_id: unknown) =>
    (await send('POST', `${LEADS}/list`, { where: { fb_id } })).data.map(
      (each: { data: { lead_id: string } }) => each.data.lead_id,
    )
  expect(await find('NUMBER')).toEqual(['number'])
  expect(await find(NEIGHBOUR)).toEqual(['text'])
  expect(await find(105)).toEqual(['short'])
})
