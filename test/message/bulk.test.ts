import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { runCron } from '../../src/maintenance/cron.ts'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { bulk, JOBS, leadProcedure, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import {
  addNumber,
  type Connected,
  connectPlugin,
  newConnectedTeam,
  newNumber,
  refusedNumber,
} from '../support/provider.ts'
import { sleep } from '../support/sleep.ts'

const ATTRIBUTES = [
  { shortId: 'lead_id', type: 'string' },
  { shortId: 'mobile', type: 'phone' },
  { shortId: 'name', type: 'name' },
  { shortId: 'city', type: 'string', indexed: true },
]

interface Lead {
  lead_id: string
  mobile?: string
  name?: string
  city?: string
}

async function start(leads: Lead[] = []) {
  const team = await newLeadTeam({ attributes: ATTRIBUTES, phoneAttribute: 'mobile' })
  const whatsapp = await connectPlugin(team)
  if (leads.length > 0)
    await bulk(
      team,
      'POST',
      leads.map(({ lead_id, ...data }) => ({ lead_id, data })),
    )
  return { team, whatsapp, path: `${whatsapp.base}/process/lead/bulk-send-template-message` }
}

const findLeads = (count: number): Required<Lead>[] =>
  Array.from({ length: count }, (_, index) => ({
    lead_id: `L-${index}`,
    mobile: newNumber(),
    name: `Customer ${index}`,
    city: index % 2 === 0 ? 'Pune' : 'Goa',
  }))

const hello = (whatsapp: Connected) => ({ whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' })
const order = (whatsapp: Connected, mapping: object[]) => ({
  whatsappPhoneNumberId: whatsapp.phone.id,
  templateName: 'order_update',
  language: 'en_US',
  mapping,
})

const values = (one: string, two: string) => [
  { schemaPropertyName: '1', schemaPropertyValue: one },
  { schemaPropertyName: '2', schemaPropertyValue: two },
]

/** An entry as it is stored: its type, its data, and what is wrong with it. */
async function entryAt(team: Team, job: string, index: number) {
  const row = await env.DB.prepare(
    'SELECT c.first, c.entries FROM job_chunk c JOIN background_job j ON j.no = c.job WHERE j.id = ? AND c.team = ? AND c.first <= ? ORDER BY c.first DESC LIMIT 1',
  )
    .bind(job, team.no, index)
    .first<{ first: number; entries: string }>()
  return JSON.parse(row?.entries ?? '[]')[index - (row?.first ?? 0)]
}

async function accepted(team: Team, path: string, body: unknown): Promise<string> {
  const reply = await team.call('POST', path, body)
  expect(reply.errors).toEqual([])
  expect(reply.status).toBe(202)
  return reply.data.id
}

/** The cron, some time later than now. */
async function minuteLater(minutes = 2) {
  const context = createExecutionContext()
  const scheduledTime = new Date(Date.now() + minutes * 60_000)
  await runCron(createScheduledController({ scheduledTime, cron: '* * * * *' }), env)
  await waitOnExecutionContext(context)
}

const shown = (entries: Reply['data']) =>
  entries.map((each: Record<string, unknown>) => [each.completionStatus, each.completionMessage])

describe('a message to many processes', () => {
  it('has what all of them share before or after them, however many there are', async () => {
    const { team, whatsapp, path } = await start()
    // Cut into rows of the database within characters of one to four bytes, and among items that are refused.
    const text = 'aé€😀'.repeat(150)
    const items = Array.from({ length: 2_200 }, (_, n) => ({ id: `L${n}`, mapping: values(`${n} ${text}`, 'X') }))
    const { templateName, ...shared } = order(whatsapp, values('of all', 'Y'))
    const huge = `{"id":"H","mapping":"${'x'.repeat(5_000_000)}"}`
    const processes = `[${JSON.stringify(items).slice(1, -1)},${huge},{"id":"own"}]`
    const bodies = [
      `{"processes":${processes},${JSON.stringify({ templateName, ...shared }).slice(1)}`,
      `{${JSON.stringify({ templateName, ...shared }).slice(1, -1)},"processes":${processes}}`,
    ]
    const found = []
    for (const body of bodies) {
      const id = await accepted(team, path, body)
      await team.call('POST', `${JOBS}/${id}/cancel`)
      const some = await Promise.all([0, 1_000, 2_199, 2_200, 2_201].map(n => entryAt(team, id, n)))
      expect(some[1][1]).toMatchObject({ processId: 'L1000', mapping: values(`1000 ${text}`, 'X') })
      expect(some[4][1]).toMatchObject({ processId: 'own', mapping: values('of all', 'Y') })
      expect(some[3][2].message).toMatch(/an entry holds at most 1100000 bytes/)
      found.push(some)
    }
    expect(found[0]).toEqual(found[1])
    const broken = await team.call(
      'POST',
      path,
      `{"processes":[${JSON.stringify(items).slice(1, -1)},{"id": nothing}]}`,
    )
    expect([broken.status, broken.errors[0]]).toEqual([400, expect.stringMatching(/not JSON: at byte \d{7}/)])
  })

  it('goes to each once, filled with its own attributes, and has an outcome for each entry', async () => {
    const leads = findLeads(30)
    const { team, whatsapp, path } = await start(leads)
    const body = order(whatsapp, [
      { schemaPropertyName: '1', attribute: 'name' },
      { schemaPropertyName: '2', schemaPropertyValue: 'A17' },
    ])
    const id = await accepted(team, path, { ...body, processes: leads.map(({ lead_id }) => ({ lead_id })) })
    const job = await waitForJob(team, id)
    expect(job.data).toMatchObject({ completionStatus: 'SUCCESS', type: 'bulk_api_job', total: 30 })
    const entries = await listEntries(team, id)
    const [first] = entries
    expect(first).toMatchObject({
      data: { apiType: 'TEMPLATE_MESSAGE', apiData: { pluginId: whatsapp.id, primaryKeyValue: 'L-0' } },
      completionResult: { id: expect.any(String), messageId: expect.any(String), externalId: expect.any(String) },
    })
    expect((await team.call('GET', `/v1/ext/message/${first.completionResult.messageId}`)).data).toMatchObject({
      text: 'Hi Customer 0, order A17 is on its way.',
      deliveryStatus: 'SENT',
      process: first.completionResult.id,
      source: { sourceType: 'BACKGROUND_JOB', sourceId: id },
      context: { contactIdentifier: leads[0]?.mobile },
    })
    const { received, accepted: count, data } = await whatsapp.received()
    expect([received, count]).toEqual([30, 30])
    expect(data.map(({ to }) => to).sort()).toEqual(leads.map(({ mobile }) => mobile).sort())
    await whatsapp.flush()
    const path1 = `/v1/ext/message?process=${first.completionResult.id}`
    expect((await team.call('GET', path1)).data).toMatchObject([{ deliveryStatus: 'READ' }])
  })

  it('may name them by a query, whose matches are those at the request', async () => {
    const leads = findLeads(10)
    const { team, whatsapp, path } = await start(leads)
    const id = await accepted(team, path, { ...hello(whatsapp), where: { city: 'Pune' } })
    expect((await waitForJob(team, id)).data).toMatchObject({ completionStatus: 'SUCCESS', total: 5 })
    const { data } = await whatsapp.received()
    const wanted = leads.filter(({ city }) => city === 'Pune')
    expect(data.map(({ to }) => to).sort()).toEqual(wanted.map(({ mobile }) => mobile).sort())
  })

  it('each message of a job may have values of its own', async () => {
    const leads = findLeads(2)
    const { team, whatsapp, path } = await start(leads)
    const id = await accepted(team, path, {
      ...order(whatsapp, []),
      processes: [
        { id: 'L-0', mapping: values('Asha', 'X1') },
        { lead_id: 'L-1', mapping: values('Ravi', 'X2') },
        { id: 'L-1', mapping: values('Ravi', 'X2').slice(1) },
        { id: 'L-1' },
      ],
    })
    await waitForJob(team, id)
    const entries = await listEntries(team, id)
    expect(shown(entries)).toEqual([
      ['SUCCESS', ''],
      ['SUCCESS', ''],
      ['INVALID', expect.stringContaining('"mapping" lacks "1"')],
      ['INVALID', expect.stringContaining('"mapping" lacks "1"')],
    ])
    const messages = await Promise.all(
      [0, 1].map(at => team.call('GET', `/v1/ext/message/${entries[at].completionResult.messageId}`)),
    )
    expect(messages.map(({ data }) => data.text)).toEqual([
      'Hi Asha, order X1 is on its way.',
      'Hi Ravi, order X2 is on its way.',
    ])
  })

  it('is refused whole for a fault in what all share, before anything is sent', async () => {
    const { team, whatsapp, path } = await start(findLeads(1))
    const processes = [{ id: 'L-0' }]
    const refusals: [object, string, string][] = [
      [{ ...hello(whatsapp), templateName: 'hello_wold', processes }, '/body/templateName', 'hello_world'],
      [{ ...hello(whatsapp), whatsappPhoneNumberId: '1', processes }, '/body/whatsappPhoneNumberId', ''],
      [{ ...order(whatsapp, []), processes }, '/body/mapping', ''],
      [{ ...order(whatsapp, []), where: {}, all: true }, '/body/mapping', ''],
      [{ ...hello(whatsapp), imageUrl: 'https://example.com/a.png', processes }, '/body/imageUrl', ''],
      [{ ...hello(whatsapp), processes, where: {}, all: true }, '/body/where', ''],
      [{ ...hello(whatsapp) }, '/body/processes', ''],
      [{ ...hello(whatsapp), processes: [] }, '/body/processes', ''],
      [{ ...hello(whatsapp), where: { nextActionAt: { '~': 1 } } }, '/body/where/nextActionAt/~0', ''],
      [{ ...hello(whatsapp), where: {} }, '/body/where', ''],
      [{ ...hello(whatsapp), where: { prioritty: { '!=': 'low' } } }, '/body/where/prioritty', ''],
      [{ ...hello(whatsapp), processes, all: true }, '/body/all', ''],
      [{ ...hello(whatsapp), recipients: processes }, '/body/recipients', ''],
      [{ whatsappPhoneNumberId: whatsapp.phone.id, processes }, '/body/templateName', ''],
      [
        { ...order(whatsapp, [{ schemaPropertyName: '1', attribute: 'name', schemaPropertyValue: 'x' }]), processes },
        '/body/mapping/0',
        '',
      ],
    ]
    for (const [body, at, hint] of refusals) {
      const reply = await team.call('POST', path, body)
      expect([reply.status, reply.meta.errors[0].path, reply.meta.errors[0].hint ?? ''], JSON.stringify(body)).toEqual([
        400,
        at,
        expect.stringContaining(hint),
      ])
    }
    expect((await team.call('GET', JOBS)).data).toHaveLength(1)
    const stranger = await newTeam()
    await leadProcedure(stranger)
    expect((await stranger.call('POST', path, { ...hello(whatsapp), processes })).status).toBe(404)
    expect(await whatsapp.received()).toMatchObject({ received: 0 })
  })

  it('is refused where all would take a value that no process of a strict procedure can have', async () => {
    const { team, whatsapp, path } = await start()
    await leadProcedure(team, { attributes: ATTRIBUTES, phoneAttribute: 'mobile', strict: true })
    const from = (attribute: string) => ['1', '2'].map(name => ({ schemaPropertyName: name, attribute }))
    const processes = [{ id: 'L-0' }, { id: 'L-1', mapping: from('citi') }]
    for (const chosen of [{ processes }, { where: {}, all: true }, { where: {}, all: true, allowUndeclared: true }]) {
      const { status, meta } = await team.call('POST', path, { ...order(whatsapp, from('nmae')), ...chosen })
      expect([status, meta.errors[0].path, meta.errors[0].hint]).toEqual([
        400,
        '/body/mapping/0/attribute',
        'did you mean "name"?',
      ])
    }
    expect((await team.call('GET', JOBS)).data).toEqual([])
    const id = await accepted(team, path, { ...order(whatsapp, from('name')), processes })
    await waitForJob(team, id)
    expect(shown(await listEntries(team, id))).toEqual([
      ['ERROR', expect.stringContaining('process L-0 not found')],
      ['INVALID', expect.stringContaining('"citi" is not an attribute of lead')],
    ])
  })

  it('ends each entry as a single message would, and the others go out', async () => {
    const [one, two] = findLeads(2) as [Required<Lead>, Required<Lead>]
    const { team, whatsapp, path } = await start([
      one,
      { lead_id: 'NO-PHONE', name: 'Nobody' },
      { lead_id: 'NO-NAME', mobile: newNumber() },
      { lead_id: 'REFUSED', mobile: refusedNumber(131026), name: 'Refused' },
      two,
    ])
    const mapping = ['1', '2'].map(name => ({ schemaPropertyName: name, attribute: 'name' }))
    const ids = ['L-0', 'NO-PHONE', 'MISSING', 'NO-NAME', 'REFUSED', 'L-1']
    const id = await accepted(team, path, {
      ...order(whatsapp, mapping),
      processes: [...ids.map(each => ({ id: each })), { lead_id: 'L-0', more: 1 }, 'L-0', {}],
    })
    const job = await waitForJob(team, id)
    expect(job.data.completionStatus).toBe('ERROR')
    const entries = await listEntries(team, id)
    expect(shown(entries)).toEqual([
      ['SUCCESS', ''],
      ['ERROR', expect.stringContaining('has no phone number')],
      ['ERROR', expect.stringContaining('process MISSING not found')],
      ['ERROR', expect.stringContaining('the process has no text or number in the attribute "name"')],
      ['ERROR', expect.stringContaining('(131026)')],
      ['SUCCESS', ''],
      ['INVALID', expect.stringContaining('unknown field "more"')],
      ['INVALID', expect.stringContaining('an item must be an object')],
      ['INVALID', expect.stringContaining('"id" or "lead_id" is required')],
    ])
    expect(entries[4].completionResult.errors[0]).toMatchObject({
      code: 'provider_refused',
      providerCode: 131026,
      deliveryStatus: 'FAILED',
      messageId: expect.any(String),
    })
    expect(await whatsapp.received()).toMatchObject({ received: 3, accepted: 2 })
  })
})

describe('a failed entry whose cause was put right', () => {
  const retried = async (team: Team, id: string) => {
    const reply = await team.call('POST', `${JOBS}/${id}/retry`)
    expect(reply.errors).toEqual([])
    return (await waitForJob(team, reply.data.id)).data.completionStatus
  }

  it('goes out when it is retried, if its process was changed: a value that the template has no room for', async () => {
    const leads = findLeads(3)
    const { team, whatsapp, path } = await start(
      leads.map((lead, index) => ({
        ...lead,
        name: ['x'.repeat(1_500), 'x'.repeat(5_000), 'two\nlines'][index] ?? '',
      })),
    )
    const mapping = ['1', '2'].map(name => ({ schemaPropertyName: name, attribute: 'name' }))
    const id = await accepted(team, path, { ...order(whatsapp, mapping), where: {}, all: true })
    await waitForJob(team, id)
    expect((await listEntries(team, id)).map((each: Reply['data']) => each.completionStatus)).toEqual(
      Array(3).fill('ERROR'),
    )
    await bulk(team, 'PATCH', { processes: leads.map(({ lead_id }) => ({ lead_id, data: { name: 'Asha' } })) })
    expect(await retried(team, id)).toBe('SUCCESS')
  })

  it('goes out when it is retried, if its plugin was changed: missing templates, an unknown number', async () => {
    const { team, whatsapp } = await start(findLeads(2))
    const entries = ['L-0', 'L-1'].map(processId => ({
      apiType: 'TEMPLATE_MESSAGE',
      apiData: { pluginId: whatsapp.id, procedureId: 'lead', processId, ...hello(whatsapp) },
    }))
    const faults: [object, () => Promise<unknown>][] = [
      [
        { businessAccountId: `${whatsapp.account}9` },
        async () => {
          await team.call('PUT', whatsapp.base, { businessAccountId: whatsapp.account })
          await team.call('POST', `${whatsapp.base}/sync-templates`)
        },
      ],
      [
        { phoneNumbers: [{ ...whatsapp.phone, id: '1' }] },
        () => team.call('PUT', whatsapp.base, { phoneNumbers: [whatsapp.phone] }),
      ],
    ]
    for (const [change, mend] of faults) {
      expect((await team.call('PUT', whatsapp.base, change)).errors).toEqual([])
      const id = await accepted(team, JOBS, { entries })
      await waitForJob(team, id)
      expect((await listEntries(team, id)).map((each: Reply['data']) => each.completionStatus)).toEqual([
        'ERROR',
        'ERROR',
      ])
      await mend()
      expect(await retried(team, id)).toBe('SUCCESS')
    }
  })
})

describe('entries scheduled by hand', () => {
  it('go to processes and to bare numbers, and are refused where their shape tells', async () => {
    const [lead] = findLeads(1) as [Required<Lead>]
    const { team, whatsapp } = await start([lead])
    const to = newNumber()
    const entry = (apiData: object) => ({
      apiType: 'TEMPLATE_MESSAGE',
      apiData: { pluginId: whatsapp.id, ...hello(whatsapp), ...apiData },
    })
    const id = await accepted(team, JOBS, {
      entries: [
        entry({ phoneNumber: to }),
        entry({ procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: 'L-0' }),
        entry({ procedureId: 'lead', primaryKeyShortId: 'city', primaryKeyValue: 'Pune' }),
        entry({ procedureId: 'nothing', processId: 'L-0' }),
        entry({ phoneNumber: to, pluginId: crypto.randomUUID() }),
        entry({ phoneNumber: `+${to}` }),
        entry({ phoneNumber: to, processId: 'L-0' }),
        entry({ phoneNumber: to, retryOf: { backgroundJob: crypto.randomUUID(), index: 0 } }),
        entry({}),
      ],
    })
    await waitForJob(team, id)
    expect(shown(await listEntries(team, id))).toEqual([
      ['SUCCESS', ''],
      ['SUCCESS', ''],
      ['INVALID', expect.stringContaining('"city" is not the primary key')],
      ['ERROR', expect.stringContaining('procedure nothing not found')],
      ['ERROR', expect.stringContaining('plugin')],
      ['INVALID', expect.stringContaining('must be a full phone number')],
      ['INVALID', expect.stringContaining('it needs "phoneNumber"')],
      ['INVALID', expect.stringContaining('retryOf')],
      ['INVALID', expect.stringContaining('it needs "phoneNumber"')],
    ])
    const { data } = await whatsapp.received()
    expect(data.map(each => each.to).sort()).toEqual([to, lead.mobile].sort())
  })

  it('are not sent by a role that may not send', async () => {
    const { team, whatsapp } = await start()
    const key = await team.call('POST', '/v1/ext/api-key', { name: 'viewer', role: 'viewer' })
    const reply = await team.call(
      'POST',
      `${whatsapp.base}/process/lead/bulk-send-template-message`,
      { ...hello(whatsapp), where: {}, all: true },
      { authorization: `Bearer ${key.data.token}` },
    )
    expect([reply.status, reply.meta.errors[0].permission]).toEqual([403, 'message:send'])
  })
})

describe('a message that the provider defers', () => {
  it.each([130429, 131056])('is tried again after a while in the same job, for the code %i', async code => {
    const leads = findLeads(4)
    const { team, whatsapp, path } = await start(leads)
    await whatsapp.faults({ to: leads[1]?.mobile, times: 1, fault: { kind: 'error', code } })
    const id = await accepted(team, path, { ...hello(whatsapp), where: {}, all: true })
    expect((await waitForJob(team, id)).data.completionStatus).toBe('SUCCESS')
    expect(await whatsapp.received()).toMatchObject({ received: 5, accepted: 4 })
    const { data } = await team.call('GET', `/v1/ext/message?phoneNumber=${leads[1]?.mobile}`)
    expect(data).toMatchObject([
      { deliveryStatus: 'SENT', resendOf: data[1].id },
      { deliveryStatus: 'FAILED', resentAs: data[0].id, error: { code } },
    ])
  })

  it('holds up nobody else, and is shown as delayed', async () => {
    const leads = findLeads(40)
    const { team, whatsapp, path } = await start(leads)
    await whatsapp.faults({ to: leads[0]?.mobile, fault: { kind: 'error', code: 131056 } })
    const id = await accepted(team, path, { ...hello(whatsapp), processes: leads.map(({ lead_id }) => ({ lead_id })) })
    const reply = await until(
      () => team.call('GET', `${JOBS}/${id}`),
      ({ meta }) => meta.bjEntryCompletionStatusVsCount.SUCCESS === 39,
    )
    expect(reply.data.statusMessage).toBe('Of 40 entries 39 succeeded, 1 to go, 1 of them delayed')
    expect(reply.meta.bjEntryCompletionStatusVsCount).toMatchObject({ IN_PROGRESS: 1, NOT_STARTED: 0 })
    const delayed = await listEntries(team, id, '?completionStatus=IN_PROGRESS')
    expect(delayed.map(({ index }: { index: number }) => index)).toEqual([0])
    expect((await whatsapp.received()).accepted).toBe(39)
    expect((await team.call('POST', `${JOBS}/${id}/cancel`)).data.completionStatus).toBe('CANCELLED')
    const job = await waitForJob(team, id)
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 39, ERROR: 1, CANCELLED: 0 })
  })

  it('is sent in time if its customer has had many; one that was never tried is CANCELLED', async () => {
    const [lead] = findLeads(1) as [Required<Lead>]
    const { team, whatsapp, path } = await start([lead])
    const processes = Array.from({ length: 8 }, () => ({ id: lead.lead_id }))
    const id = await accepted(team, path, { ...hello(whatsapp), processes })
    await until(
      () => team.call('GET', `${JOBS}/${id}`),
      ({ meta }) => meta.bjEntryCompletionStatusVsCount.SUCCESS === 5,
    )
    await team.call('POST', `${JOBS}/${id}/cancel`)
    const job = await waitForJob(team, id)
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 5, CANCELLED: 3, ERROR: 0 })
    expect(await whatsapp.received()).toMatchObject({ received: 5, accepted: 5 })
  })

  it('is reported if it is deferred for longer than a job waits, with the time to try again', async () => {
    const { team, whatsapp, path } = await start(findLeads(1))
    await whatsapp.faults({ fault: { kind: 'error', code: 134102 } })
    const id = await accepted(team, path, { ...hello(whatsapp), where: {}, all: true })
    await waitForJob(team, id)
    const [entry] = await listEntries(team, id)
    expect(entry.completionResult.errors[0]).toMatchObject({ providerCode: 134102, retryAfterSeconds: 600 })
  })
})

describe('a lost response of the provider', () => {
  it('is no failure where a provider report has said meanwhile that the message arrived', async () => {
    const { team, whatsapp } = await newConnectedTeam({ hold: false })
    const to = newNumber()
    await whatsapp.faults({ to, fault: { kind: 'hang', ms: 4_000, accepted: true } })
    const entry = {
      apiType: 'TEMPLATE_MESSAGE',
      apiData: { pluginId: whatsapp.id, ...hello(whatsapp), phoneNumber: to },
    }
    const id = await accepted(team, JOBS, { entries: [entry] })
    expect((await waitForJob(team, id)).data.completionStatus).toBe('SUCCESS')
    const [message] = (await team.call('GET', `/v1/ext/message?phoneNumber=${to}`)).data
    expect(message.deliveryStatus).toBe('READ')
    expect(message.history.map(({ status }: { status: string }) => status)).not.toContain('UNKNOWN')
    expect(await whatsapp.received()).toMatchObject({ received: 1, accepted: 1 })
  })
})

describe('a plugin that the provider refuses', () => {
  it('pauses the job, which goes on when somebody has put it right, and sends to each once', async () => {
    const leads = findLeads(20)
    const { team, whatsapp, path } = await start(leads)
    await whatsapp.faults({ to: leads[15]?.mobile, times: 1, fault: { kind: 'error', code: 190 } })
    const id = await accepted(team, path, { ...hello(whatsapp), where: {}, all: true })
    const paused = await until(
      () => team.call('GET', `${JOBS}/${id}`),
      ({ data }) => data.statusMessage.startsWith('Paused'),
    )
    expect(paused.data).toMatchObject({ completionStatus: 'IN_PROGRESS', completedAt: 0 })
    expect(paused.data.statusMessage).toContain('the plugin "Support line" is stopped: (190)')
    expect(paused.meta.bjEntryCompletionStatusVsCount.ERROR).toBe(0)
    expect((await team.call('GET', whatsapp.base)).data.status).toBe('STOPPED')
    expect((await team.call('POST', path, { ...hello(whatsapp), where: {}, all: true })).meta.errors[0].code).toBe(
      'plugin_stopped',
    )
    await minuteLater()
    expect((await team.call('GET', `${JOBS}/${id}`)).data.statusMessage).toContain('Paused')
    await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
    await minuteLater()
    expect((await waitForJob(team, id)).data.completionStatus).toBe('SUCCESS')
    expect(await whatsapp.received()).toMatchObject({ received: 21, accepted: 20 })
  })

  it('ends the rest of the job if it is removed', async () => {
    const { team, whatsapp, path } = await start(findLeads(3))
    await whatsapp.faults({ fault: { kind: 'error', code: 131031 } })
    const id = await accepted(team, path, { ...hello(whatsapp), where: {}, all: true })
    await until(
      () => team.call('GET', `${JOBS}/${id}`),
      ({ data }) => data.statusMessage.startsWith('Paused'),
    )
    await team.call('DELETE', whatsapp.base)
    await minuteLater()
    await waitForJob(team, id)
    const said = shown(await listEntries(team, id))
    expect(said).toHaveLength(3)
    for (const [status] of said) expect(status).toBe('ERROR')
  })

  it('leaves nothing behind if its job is cancelled', async () => {
    const { team, whatsapp, path } = await start(findLeads(3))
    await whatsapp.faults({ fault: { kind: 'error', code: 131031 } })
    const id = await accepted(team, path, { ...hello(whatsapp), where: {}, all: true })
    await until(
      () => team.call('GET', `${JOBS}/${id}`),
      ({ data }) => data.statusMessage.startsWith('Paused'),
    )
    expect((await team.call('POST', `${JOBS}/${id}/cancel`)).data.completionStatus).toBe('CANCELLED')
    const job = await waitForJob(team, id)
    expect(job.data.completionStatus).toBe('CANCELLED')
    const { ERROR, CANCELLED } = job.meta.bjEntryCompletionStatusVsCount
    expect(ERROR + CANCELLED).toBe(3)
  })
})

describe('a job that is retried', () => {
  it('sends what it has not run because it was cancelled, once, however often that is asked for', async () => {
    const leads = findLeads(3)
    const { team, whatsapp } = await start(leads)
    const entries = leads.map(({ lead_id }) => ({
      apiType: 'TEMPLATE_MESSAGE',
      apiData: { pluginId: whatsapp.id, procedureId: 'lead', processId: lead_id, ...hello(whatsapp) },
    }))
    const id = await accepted(team, JOBS, { entries, startAt: Date.now() + 3_600_000 })
    await team.call('POST', `${JOBS}/${id}/cancel`)
    const retries = await Promise.all(
      [1, 2].map(() => team.call('POST', `${JOBS}/${id}/retry`, { statuses: ['CANCELLED'] })),
    )
    expect(retries.map(({ status }) => status).toSorted()).toEqual([202, 409])
    const [made] = retries.flatMap(({ status, data }) => (status === 202 ? [data.id] : []))
    const job = await waitForJob(team, made)
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 3, CANCELLED: 0 })
    expect(await whatsapp.received()).toMatchObject({ received: 3, accepted: 3 })
  })

  it('sends again what failed, and never what may have been sent', async () => {
    const leads = findLeads(4)
    const { team, whatsapp, path } = await start(leads)
    const [, failing, unknown, lost] = leads.map(({ mobile }) => mobile)
    await whatsapp.faults(
      { to: failing, times: 1, fault: { kind: 'error', code: 131026 } },
      { to: unknown, times: 1, fault: { kind: 'drop', accepted: true } },
      { to: lost, times: 1, fault: { kind: 'drop', accepted: false } },
    )
    const processes = leads.map(({ lead_id }) => ({ lead_id }))
    const id = await accepted(team, path, { ...hello(whatsapp), processes })
    await waitForJob(team, id)
    expect(shown(await listEntries(team, id)).map(([status]: string[]) => status)).toEqual([
      'SUCCESS',
      'ERROR',
      'ERROR',
      'ERROR',
    ])
    await whatsapp.flush()
    const retry = (of: string) => accepted(team, `${JOBS}/${of}/retry`, undefined)
    const second = await retry(id)
    await waitForJob(team, second)
    const entries = await listEntries(team, second)
    // The one was sent now; the other had been, as its webhook told meanwhile; of the last nothing is known.
    expect(shown(entries)).toEqual([
      ['SUCCESS', ''],
      ['SUCCESS', ''],
      ['ERROR', expect.stringContaining('is not known yet')],
    ])
    expect(await whatsapp.received()).toMatchObject({ received: 5 })
    const third = await retry(second)
    await waitForJob(team, third)
    expect(shown(await listEntries(team, third))).toEqual([['ERROR', expect.stringContaining('is not known yet')]])
    expect(await whatsapp.received(`to=${lost}`)).toMatchObject({ received: 1, accepted: 0 })
    const { messageId } = entries[2].completionResult.errors[0]
    expect((await team.call('POST', `/v1/ext/message/${messageId}/resend`)).status).toBe(200)
    const fourth = await retry(third)
    await waitForJob(team, fourth)
    expect(shown(await listEntries(team, fourth))).toEqual([['ERROR', expect.any(String)]])
    for (const { mobile } of leads) expect(await whatsapp.received(`to=${mobile}`)).toMatchObject({ accepted: 1 })
  })

  it('leaves alone what somebody has sent again by hand', async () => {
    const [lead] = findLeads(1) as [Required<Lead>]
    const { team, whatsapp, path } = await start([lead])
    await whatsapp.faults({ times: 1, fault: { kind: 'error', code: 131026 } })
    const id = await accepted(team, path, { ...hello(whatsapp), where: {}, all: true })
    await waitForJob(team, id)
    const [entry] = await listEntries(team, id)
    await team.call('POST', `/v1/ext/message/${entry.completionResult.errors[0].messageId}/resend`)
    const second = await accepted(team, `${JOBS}/${id}/retry`, undefined)
    await waitForJob(team, second)
    expect(shown(await listEntries(team, second))).toEqual([
      ['ERROR', expect.stringContaining('was sent again already')],
    ])
    expect(await whatsapp.received()).toMatchObject({ received: 2, accepted: 1 })
  })
})

describe('the messages of a job', () => {
  it('messages of a job stay below the throughput of the number', async () => {
    const { team, whatsapp, path } = await start(findLeads(150))
    // The provider allows 80. `test/far/sending.test.ts` goes to that limit, in a time that no machine makes slower.
    await team.call('PUT', whatsapp.base, { phoneNumbers: [{ ...whatsapp.phone, messagesPerSecond: 40 }] })
    const id = await accepted(team, path, { ...hello(whatsapp), where: {}, all: true })
    expect((await waitForJob(team, id)).data.completionStatus).toBe('SUCCESS')
    // A machine that stands still sends late what should have begun earlier, so that the provider may put some of it off.
    expect((await whatsapp.received()).accepted).toBe(150)
  })

  it('a job sends no more messages a second than the plugin allows for its number', async () => {
    const { team, whatsapp, path } = await start(findLeads(15))
    const phoneNumbers = [{ ...whatsapp.phone, messagesPerSecond: 4 }]
    expect((await team.call('PUT', whatsapp.base, { phoneNumbers })).data.phoneNumbers).toEqual(phoneNumbers)
    await whatsapp.control('PUT', '/settings', { limits: { throughputPerSecond: 6 } })
    const id = await accepted(team, path, { ...hello(whatsapp), where: {}, all: true })
    await waitForJob(team, id)
    expect(await whatsapp.received()).toMatchObject({ received: 15, accepted: 15 })
  })

  it('take turns with those of a slow number of the team', async () => {
    const { team, whatsapp, path } = await start(findLeads(13))
    const slow = await addNumber(team, whatsapp)
    await team.call('PUT', whatsapp.base, { phoneNumbers: [whatsapp.phone, { ...slow, messagesPerSecond: 1 }] })
    const campaign = { ...hello(whatsapp), whatsappPhoneNumberId: slow.id, where: {}, all: true }
    const long = await accepted(team, path, campaign)
    await until(
      () => team.call('GET', `${JOBS}/${long}`),
      ({ meta }) => meta.bjEntryCompletionStatusVsCount.SUCCESS > 0,
    )
    const short = await accepted(team, path, { ...hello(whatsapp), processes: [{ lead_id: 'L-0' }] })
    await waitForJob(team, short)
    expect((await team.call('GET', `${JOBS}/${long}`)).data.completionStatus).toBe('IN_PROGRESS')
    await team.call('POST', `${JOBS}/${long}/cancel`)
  })
})

async function until(ask: () => Promise<Reply>, isThere: (reply: Reply) => boolean): Promise<Reply> {
  const end = Date.now() + 20_000
  for (;;) {
    const reply = await ask()
    if (isThere(reply)) return reply
    if (Date.now() > end) throw new Error(`it never comes: ${JSON.stringify(reply.data)}`)
    await sleep(20)
  }
}
