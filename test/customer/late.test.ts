import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { DAY_MS } from '../../src/time-units.ts'
import { type Reply, request, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, JOBS, LEADS, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { type Connected, connectPlugin, newNumber, signBody } from '../support/provider.ts'
import { tablesWith } from '../support/tables-with.ts'

// Reports arrive about a customer who was erased: the provider tries for days, and so does the queue.

const RECORD = '/v1/ext/record'

async function start() {
  const team = await newLeadTeam()
  const whatsapp = await connectPlugin(team)
  const phone = newNumber()
  const { data } = await team.call('POST', LEADS, { record: { data: { phone, name: 'Asha' } } })
  return { team, whatsapp, phone, process: data.id as string, record: data.record.id as string }
}

/** Posts a signed report of the provider; it waits in the queue of the harness. */
async function post(harness: Harness, whatsapp: Connected, value: object): Promise<void> {
  const given = { messaging_product: 'whatsapp', metadata: { phone_number_id: whatsapp.phone.id }, ...value }
  const changes = [{ field: 'messages', value: given }]
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: whatsapp.account, changes }] })
  const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, body) }
  expect((await request('POST', whatsapp.webhookPath, { body, headers }, harness.env)).status).toBe(200)
}

let ids = 0
const written = (phone: string, text: string, at: number) => ({
  contacts: [{ profile: { name: `Profile of ${phone}` }, wa_id: phone }],
  messages: [
    {
      id: `wamid.${btoa(phone)}.${++ids}`,
      from: phone,
      timestamp: String(Math.floor(at / 1000)),
      type: 'text',
      text: { body: text },
    },
  ],
})

it('a message that they wrote before the erasure, and that the queue brings after it, is stored without anything of them', async () => {
  const { team, whatsapp, phone, record } = await start()
  const harness = new Harness()
  await post(harness, whatsapp, written(phone, `I am ${phone}`, Date.now() - 1_000))
  expect((await team.call('DELETE', `${RECORD}/${record}`)).data.isComplete).toBe(true)
  await harness.deliver()
  for (const text of [phone, btoa(phone)]) expect([text, await tablesWith(text)]).toEqual([text, []])
  const { data: messages } = await team.call('GET', '/v1/ext/message')
  expect(messages).toMatchObject([
    { direction: 'INBOUND', text: '', profileName: null, externalId: null, context: { contactIdentifier: '' } },
  ])
  // Told once more, it is the same message.
  await post(harness, whatsapp, written(phone, 'x', Date.now() - 60_000))
  await harness.deliver()
  expect(await tablesWith(btoa(phone))).toEqual([])
})

it('a message that they write after the erasure is of a new customer', async () => {
  const { team, whatsapp, phone, record } = await start()
  const harness = new Harness()
  await team.call('DELETE', `${RECORD}/${record}`)
  await post(harness, whatsapp, written(phone, 'Hello again', Date.now() + 2_000))
  await harness.deliver()
  expect((await team.call('GET', `/v1/ext/message?phoneNumber=${phone}`)).data).toMatchObject([{ text: 'Hello again' }])
})

it('another customer who has the number keeps the messages from it', async () => {
  const { team, whatsapp, phone } = await start()
  const mobile = phone
  const { data } = await team.call('POST', LEADS, { record: { data: { phone: newNumber(), mobile } } })
  const harness = new Harness()
  await post(harness, whatsapp, written(phone, 'Hello', Date.now() - 1_000))
  await team.call('DELETE', `${RECORD}/${data.record.id}`)
  await harness.deliver()
  expect((await team.call('GET', `/v1/ext/message?phoneNumber=${phone}`)).data).toMatchObject([{ text: 'Hello' }])
})

it('a number that another customer takes while the erasure looks for it keeps its messages', async () => {
  const { team, whatsapp } = await start()
  const [phone, mobile] = [newNumber(), newNumber()]
  const { data: made } = await team.call('POST', LEADS, { record: { data: { phone, mobile } } })
  const { data: sent } = await whatsapp.send(mobile)
  let hasTaken = false
  const harness = new Harness(
    {},
    {
      before: async ({ sql }) => {
        if (hasTaken || !/DELETE FROM "record"/.test(sql)) return
        hasTaken = true
        const taken = await team.call('POST', LEADS, { record: { data: { phone: mobile } } })
        expect(taken.data.record.id).not.toBe(made.record.id)
      },
    },
  )
  const erased = await harness.request(team, 'DELETE', `${RECORD}/${made.record.id}`)
  expect([erased.status, hasTaken]).toEqual([200, true])
  expect((await team.call('GET', `/v1/ext/message/${sent.id}`)).data.context.contactIdentifier).toBe(mobile)
})

it("a failure of a message that is reported after the erasure has its code, and not the provider's text", async () => {
  const { team, whatsapp, phone, record } = await start()
  const { data: sent } = await whatsapp.send(phone)
  await team.call('DELETE', `${RECORD}/${record}`)
  const harness = new Harness()
  const status = {
    id: `wamid.${btoa(phone)}`,
    status: 'failed',
    recipient_id: phone,
    biz_opaque_callback_data: sent.id,
    timestamp: String(Math.floor(Date.now() / 1000)),
    errors: [{ code: 131026, title: 'x', error_data: { details: `${phone} is not on WhatsApp` } }],
  }
  await post(harness, whatsapp, { statuses: [status] })
  await harness.deliver()
  const { data: told } = await team.call('GET', `/v1/ext/message/${sent.id}`)
  expect(told).toMatchObject({ deliveryStatus: 'FAILED', error: { code: 131026, details: '' }, externalId: null })
  expect(await tablesWith(phone)).toEqual([])
})

/** A send for the process of a customer. Before it is written down, `act` runs, as often as it is tried. */
async function sendLate(act: (started: Awaited<ReturnType<typeof start>>) => Promise<unknown>) {
  const started = await start()
  const { team, whatsapp, process } = started
  let attempts = 0
  const harness = new Harness(
    {},
    {
      before: async ({ kind, sql }) => {
        if (kind !== 'database' || !/insert into "message"/i.test(sql)) return
        attempts += 1
        await act(started)
      },
    },
  )
  const path = `${whatsapp.base}/process/lead/${process}/send-template-message`
  const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const sent = await harness.request(team, 'POST', path, body)
  const { accepted } = await whatsapp.received(`to=${started.phone}`)
  return { ...started, sent, attempts, accepted }
}

it('a message that has read their number before the erasure is neither sent nor written down after it', async () => {
  const late = await sendLate(({ team, record }) => team.call('DELETE', `${RECORD}/${record}`))
  expect(late.sent).toMatchObject({ status: 409, body: { _meta: { errors: [{ code: 'no_phone_number' }] } } })
  expect([late.attempts, late.accepted]).toEqual([1, 0])
  expect(await tablesWith(late.phone)).toEqual([])
})

it('a message is sent once while somebody else is erased', async () => {
  let other: string | undefined
  const late = await sendLate(async ({ team }) => {
    if (other !== undefined) return
    const { data } = await team.call('POST', LEADS, { record: { data: { phone: newNumber() } } })
    other = data.record.id
    await team.call('DELETE', `${RECORD}/${other}`)
  })
  expect([late.sent.status, late.attempts, late.accepted]).toEqual([200, 2, 1])
})

it('a message that erasures overtake again and again is refused, and was not sent', async () => {
  const late = await sendLate(async ({ team }) => {
    const { data } = await team.call('POST', LEADS, { record: { data: { phone: newNumber() } } })
    await team.call('DELETE', `${RECORD}/${data.record.id}`)
  })
  expect([late.sent.status, late.accepted]).toEqual([409, 0])
  expect(late.sent.body._errors).toEqual(['customers are being erased at this moment: try again'])
})

/** Gives a process an attribute to which its messages go. Returns the number in it. */
async function giveOwnPhone(team: Team, process: string, personal = true): Promise<string> {
  const to = newNumber()
  const own = 'work_phone'
  const { data } = await team.call('GET', '/v1/ext/procedure/lead')
  const attributes = [...data.attributes, { shortId: own, name: own, type: 'string', personal }]
  const put = await team.call('PUT', '/v1/ext/procedure/lead', { ...data, attributes, phoneAttribute: own })
  expect(put.status).toBe(200)
  await team.call('PUT', `${LEADS}/${process}`, { data: { [own]: to } })
  return to
}

/** Erases a customer everywhere. As the erasure comes to the messages, `call` is made. Returns its answer. */
async function eraseAnd(team: Team, record: string, call: () => Promise<Reply>): Promise<Reply | undefined> {
  let made: Promise<Reply> | undefined
  const harness = new Harness(
    {},
    {
      before: async ({ kind, sql }) => {
        if (kind !== 'database' || made !== undefined || !/update "message"/i.test(sql)) return
        made = call()
        await made
      },
    },
  )
  await harness.request(team, 'DELETE', `${RECORD}/${record}?everywhere=true`)
  await harness.runCron()
  return made
}

/** Begins an erasure that has too much for one transaction, calls, and goes on with it. */
async function eraseInStepsAnd(team: Team, record: string, call: () => Promise<Reply>): Promise<Reply> {
  const harness = new Harness()
  expect((await harness.request(team, 'DELETE', `${RECORD}/${record}`)).status).toBe(202)
  const made = await call()
  await harness.runCron()
  return made
}

it.each([
  ['to their number', false],
  ['of their process', true],
])('a message %s that failed is not sent again while they are being erased', async (_whose, isOwn) => {
  const { team, whatsapp, phone, process, record } = await start()
  const to = isOwn ? await giveOwnPhone(team, process) : phone
  await whatsapp.faults({ to, times: 1, fault: { kind: 'error', code: 131026 } })
  const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const sent = await team.call('POST', `${whatsapp.base}/process/lead/${process}/send-template-message`, body)
  const { messageId } = sent.meta.errors[0]
  const again = await eraseAnd(team, record, () => team.call('POST', `/v1/ext/message/${messageId}/resend`))
  const refusal = `message ${messageId} was erased with its customer: there is nothing left to send`
  expect([again?.status, again?.errors]).toEqual([409, [refusal]])
  expect((await whatsapp.received(`to=${to}`)).received).toBe(1)
  expect(await tablesWith(to)).toEqual([])
})

it('a message for their process is not sent while they are being erased, to a number that has yet to be emptied', async () => {
  const { team, whatsapp, process, record } = await start()
  const to = await giveOwnPhone(team, process)
  const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const path = `${whatsapp.base}/process/lead/${process}/send-template-message`
  const sent = await eraseAnd(team, record, () => team.call('POST', path, body))
  const after = await team.call('POST', path, body)
  expect([sent, after].map(reply => [reply?.status, reply?.meta.errors[0].code])).toEqual([
    [409, 'conflict'],
    [409, 'no_phone_number'],
  ])
  expect((await whatsapp.received(`to=${to}`)).received).toBe(0)
  expect(await tablesWith(to)).toEqual([])
})

/** Messages of the process as the one that was sent for it, and older. */
async function addMessages(process: string, count: number): Promise<void> {
  const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info('message')").all<{ name: string }>()
  const values: Record<string, string> = { rid: 'rid - i', external_id: 'NULL' }
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      INSERT INTO message (${results.map(({ name }) => `"${name}"`).join(', ')})
      SELECT ${results.map(({ name }) => values[name] ?? `"${name}"`).join(', ')} FROM message, n WHERE process = ?1 AND i <= ?2`,
  )
    .bind(process, count)
    .run()
}

const toOther = () => ({ record: { data: { phone: newNumber() } } })

interface Giving {
  /** False: its values stay, and the messages of it go. */
  everywhere?: boolean
  isPersonal?: boolean
  /** So many messages are of the process. */
  messages?: number
  /** Before the erasure begins. */
  before?: (team: Team, process: string) => Promise<unknown>
  give: (team: Team, process: string, before: unknown) => Promise<Reply>
}

const put = (team: Team, process: string) => team.call('PUT', `${LEADS}/${process}`, toOther())
const trash = (team: Team, process: string) => team.call('DELETE', `${LEADS}/${process}`)
const restore = (team: Team, process: string) => team.call('POST', `${LEADS}/${process}/restore`)

const GIVINGS: [string, Giving][] = [
  ['is given to another customer', { give: put }],
  ['has nothing personal, and is given to another customer', { isPersonal: false, give: put }],
  ['has many messages, and is given to another customer', { messages: 2_100, give: put }],
  ['is given to another customer by a job', { give: (team, id) => bulk(team, 'PATCH', [{ id, update: toOther() }]) }],
  [
    'is given back by an undo',
    {
      before: async (team, id) => (await bulk(team, 'PATCH', [{ id, update: toOther() }])).data.id,
      give: async (team, _id, job) => {
        const undone = await team.call('POST', `${JOBS}/${job}/undo`)
        return waitForJob(team, undone.data.id)
      },
    },
  ],
  ['is restored from the trash', { before: trash, give: restore }],
  ['has nothing personal, and is restored from the trash', { isPersonal: false, before: trash, give: restore }],
  ['keeps its values, and is given to another customer', { everywhere: false, messages: 300, give: put }],
  [
    'keeps its values, has many messages, and is given to another customer',
    { everywhere: false, messages: 2_100, give: put },
  ],
  [
    'keeps its values, and is given to another customer by a job',
    {
      everywhere: false,
      messages: 300,
      give: (team, id) => bulk(team, 'PATCH', [{ id, update: toOther() }]),
    },
  ],
  ['has many messages, and is restored from the trash', { messages: 2_100, before: trash, give: restore }],
]

it.each(GIVINGS)(
  'of a process that %s while its own is being erased, only messages from before are erased',
  async (_how, { everywhere = true, isPersonal = true, messages = 1, before, give }) => {
    const { team, whatsapp, process } = await start()
    const to = await giveOwnPhone(team, process, isPersonal)
    const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const path = `${whatsapp.base}/process/lead/${process}/send-template-message`
    expect((await team.call('POST', path, body)).status).toBe(200)
    await addMessages(process, messages - 1)
    const prepare = before === trash ? undefined : await before?.(team, process)
    const { record } = (await team.call('GET', `${LEADS}/${process}`)).data
    if (before === trash) await trash(team, process)
    const later = newNumber()
    const given = await (everywhere ? eraseAnd : eraseInStepsAnd)(team, record.id, async () => {
      const reply = await give(team, process, prepare)
      await team.call('PUT', `${LEADS}/${process}`, { data: { work_phone: later } })
      expect((await team.call('POST', path, body)).status).toBe(200)
      return reply
    })
    expect([given?.status, given?.errors]).toEqual([200, []])
    expect((await team.call('GET', `/v1/ext/message?phoneNumber=${to}`)).data).toEqual([])
    expect(await tablesWith(to)).toEqual(isPersonal && everywhere ? [] : expect.not.arrayContaining(['message']))
    expect((await team.call('GET', `/v1/ext/message?phoneNumber=${later}`)).data).toHaveLength(1)
    const { results } = await env.DB.prepare(
      "SELECT count(*) AS n, sum(phone = '' AND text = '') AS empty FROM message WHERE process = ?",
    )
      .bind(process)
      .all()
    expect(results).toEqual([{ n: messages + 1, empty: messages }])
  },
)

it.each([
  [50_000, [0]],
  [51_500, [1_500, 0]],
])(
  'a request that gives a process with %i messages away is bounded, and goes on where it is repeated',
  async (count, lefts) => {
    const { team, whatsapp, process, record } = await start()
    const to = await giveOwnPhone(team, process)
    const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const path = `${whatsapp.base}/process/lead/${process}/send-template-message`
    expect((await team.call('POST', path, body)).status).toBe(200)
    await addMessages(process, count - 1)
    const countLeft = () =>
      env.DB.prepare("SELECT count(*) AS n FROM message WHERE process = ? AND phone <> ''").bind(process).first('n')
    const given: Reply[] = []
    await eraseAnd(team, record, async () => {
      for (const left of lefts) {
        given.push(await put(team, process))
        expect(await countLeft()).toBe(left)
      }
      return put(team, process)
    })
    expect(given.map(({ status }) => status)).toEqual(lefts.map(left => (left > 0 ? 503 : 200)))
    expect(Math.max(...given.map(({ cost }) => cost.trips))).toBeLessThan(120)
    if (lefts.length > 1) {
      expect(given[0]?.headers.get('retry-after')).toBe('1')
      expect(given[0]?.meta.errors[0].code).toBe('storage_unavailable')
      expect(given[1]?.cost.trips).toBeLessThan(20)
    }
    expect(await tablesWith(to)).toEqual([])
  },
)

it('an erasure is remembered without the number, and forgotten when nothing can be under way', async () => {
  const { team, phone, record } = await start()
  await team.call('DELETE', `${RECORD}/${record}`)
  const count = () =>
    env.DB.prepare('SELECT count(*) AS n FROM erased_identity WHERE team = ?').bind(team.no).first<{ n: number }>()
  expect((await count())?.n).toBe(1)
  expect(await tablesWith(phone)).toEqual([])
  vi.useFakeTimers({ toFake: ['Date'] })
  const harness = new Harness()
  vi.setSystemTime(Date.now() + 34 * DAY_MS)
  await harness.runCron()
  expect((await count())?.n).toBe(1)
  vi.setSystemTime(Date.now() + 2 * DAY_MS)
  await harness.runCron()
  expect((await count())?.n).toBe(0)
  vi.useRealTimers()
})
