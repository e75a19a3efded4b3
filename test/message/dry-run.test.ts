import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, JOBS, LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { type Connected, connectPlugin, newNumber } from '../support/provider.ts'

const ATTRIBUTES = [
  { shortId: 'lead_id', type: 'string' },
  { shortId: 'mobile', type: 'phone' },
  { shortId: 'city', type: 'string' },
]

const KEYS = ['A', 'B', 'C', 'D', 'E']

async function start() {
  const team = await newLeadTeam({ attributes: ATTRIBUTES, phoneAttribute: 'mobile' })
  const whatsapp = await connectPlugin(team)
  const phones = Object.fromEntries(KEYS.map(key => [key, newNumber()]))
  await bulk(team, 'POST', {
    processes: KEYS.map(lead_id => ({ lead_id, data: { mobile: phones[lead_id], city: `City ${lead_id}` } })),
  })
  const path = `${whatsapp.base}/process/lead/bulk-send-template-message`
  return { team, whatsapp, phones, path }
}

const order = (whatsapp: Connected, keys: readonly string[] = KEYS) => ({
  whatsappPhoneNumberId: whatsapp.phone.id,
  templateName: 'order_update',
  language: 'en_US',
  mapping: [
    { schemaPropertyName: '1', attribute: 'city' },
    { schemaPropertyName: '2', schemaPropertyValue: 'A17' },
  ],
  processes: keys.map(lead_id => ({ lead_id })),
})

interface Shown {
  completionStatus: string
  completionMessage: string
  completionResult: {
    code?: string
    id?: string
    primaryKey?: string
    changes?: { field: string; to: string }[]
    errors?: { event?: string; at?: number; by?: object }[]
  }
}

async function run(team: Team, path: string, body?: unknown): Promise<{ id: string; entries: Shown[]; data: object }> {
  const reply = await team.call('POST', path, body)
  expect(reply.errors).toEqual([])
  expect(reply.status).toBe(202)
  const { data } = await waitForJob(team, reply.data.id)
  return { id: reply.data.id, data, entries: await listEntries(team, reply.data.id) }
}

const codes = (entries: Shown[]) => entries.map(each => each.completionResult.code ?? each.completionStatus)

const optOut = (team: Team, phone: string | undefined) =>
  env.DB.prepare(`INSERT INTO opt_out (team, phone, since, message) VALUES (?, ?, ?, 'it')`)
    .bind(team.no, phone ?? '', Date.now())
    .run()

describe('the dry run of a send', () => {
  it('shows recipient and text of each message, and sends nothing', async () => {
    const { team, whatsapp, phones, path } = await start()
    await team.call('PUT', `${LEADS}/lead_id/B`, { data: { mobile: null }, record: null })
    await team.call('PUT', `${LEADS}/lead_id/C`, { data: { city: null } })
    await optOut(team, phones.D)
    const { data, entries } = await run(team, `${path}?dryRun=true`, order(whatsapp, [...KEYS, 'Z']))
    expect(data).toMatchObject({ dryRun: true, completionStatus: 'ERROR' })
    expect(codes(entries)).toEqual(['SUCCESS', 'no_phone_number', 'conflict', 'opted_out', 'SUCCESS', 'not_found'])
    const sent = await run(team, path, order(whatsapp, ['A', 'E']))
    const { data: messages } = await team.call('GET', `/v1/ext/message?backgroundJob=${sent.id}`)
    expect([entries[0], entries[4]].map(each => each?.completionResult.changes)).toEqual(
      messages.map((message: { text: string }, nth: number) => [
        { field: 'recipient', from: null, to: phones[nth === 0 ? 'A' : 'E'] },
        { field: 'text', from: null, to: message.text },
      ]),
    )
    expect(entries[0]?.completionResult).toMatchObject({ primaryKey: 'A' })
    expect((await whatsapp.received()).received).toBe(2)
  })

  it('says that the plugin is stopped, where a job would wait for it', async () => {
    const { team, whatsapp, path } = await start()
    const harness = new Harness()
    const { body } = await harness.request(team, 'POST', `${path}?dryRun=true`, order(whatsapp, ['A']))
    await env.DB.prepare('UPDATE plugin SET stopped_at = 1, status_message = ? WHERE id = ?')
      .bind('the token has expired', whatsapp.id)
      .run()
    await harness.settle(team)
    expect(codes(await listEntries(team, body._data.id))).toEqual(['plugin_stopped'])
  })

  it('is applied to recipients who are as it saw them, and to no others', async () => {
    const { team, whatsapp, phones, path } = await start()
    const { id, entries } = await run(team, `${path}?dryRun=true`, order(whatsapp, [...KEYS, 'Z']))
    expect(codes(entries)).toEqual([...KEYS.map(() => 'SUCCESS'), 'not_found'])
    await team.call('PUT', `${LEADS}/lead_id/A`, { data: { city: 'Elsewhere' } })
    await team.call('DELETE', `${LEADS}/lead_id/B`)
    await optOut(team, phones.C)
    await team.call('DELETE', `${LEADS}/lead_id/D`)
    await team.call('POST', LEADS, { data: { lead_id: 'D', mobile: phones.D, city: 'City D' } })
    await team.call('POST', LEADS, { data: { lead_id: 'Z', mobile: newNumber(), city: 'New' } })
    const applied = await run(team, `${JOBS}/${id}/apply`)
    expect(applied.data).toMatchObject({ dryRun: false, applyOf: id })
    expect(codes(applied.entries)).toEqual([
      'changed_since',
      'changed_since',
      'opted_out',
      'changed_since',
      'SUCCESS',
      'not_found',
    ])
    const { name } = (await team.call('GET', '/v1/ext/api-key')).data[0]
    const since = (key: string, verb: string) => [
      `since the dry run process ${key} was ${verb} by the API key ${name}, at NOW (make another dry run, and look at what it would change now)`,
      `process.${verb.replace('changed', 'updated')}`,
      'number',
      'object',
      key,
    ]
    expect(
      [0, 1, 3].map(nth => {
        const { completionMessage: text = '', completionResult: { errors, primaryKey } = {} } =
          applied.entries[nth] ?? {}
        const [error] = errors ?? []
        return [text.replace(/20[-0-9T:.]+Z/, 'NOW'), error?.event, typeof error?.at, typeof error?.by, primaryKey]
      }),
    ).toEqual([since('A', 'changed'), since('B', 'deleted'), since('D', 'created')])
    const { data } = await whatsapp.received()
    expect(data.map(({ to }) => to)).toEqual([phones.E])
    expect((await team.call('POST', `${JOBS}/${id}/apply`)).status).toBe(409)
  })

  it('is not applied where a restore may have forgotten that it was; that of a change is', async () => {
    const { team, whatsapp, path } = await start()
    const { id } = await run(team, `${path}?dryRun=true`, order(whatsapp))
    const change = await run(team, `${LEADS}/bulk-create?dryRun=true`, { processes: [{ lead_id: 'F' }] })
    await new Harness({ PAUSED: 'restored' }).runCron()
    const refused = await team.call('POST', `${JOBS}/${id}/apply`)
    expect([refused.status, refused.errors[0]]).toEqual([409, expect.stringContaining('the database was restored')])
    expect((await team.call('POST', `${JOBS}/${change.id}/apply`)).status).toBe(202)
    const anew = await run(team, `${path}?dryRun=true`, order(whatsapp))
    expect((await team.call('POST', `${JOBS}/${anew.id}/apply`)).status).toBe(202)
  })

  it('is not applied to a customer who has another number by now', async () => {
    const { team, whatsapp, path } = await start()
    const [before, after] = [newNumber(), newNumber()]
    const made = await team.call('POST', LEADS, {
      data: { lead_id: 'R', city: 'Goa' },
      record: { data: { phone: before } },
    })
    const { id, entries } = await run(team, `${path}?dryRun=true`, order(whatsapp, ['R']))
    expect(entries[0]?.completionResult.changes?.[0]).toEqual({ field: 'recipient', from: null, to: before })
    await team.call('PUT', `/v1/ext/record/${made.data.record.id}`, { data: { phone: after } })
    const applied = await run(team, `${JOBS}/${id}/apply`)
    expect(codes(applied.entries)).toEqual(['changed_since'])
    expect(applied.entries[0]?.completionMessage).toMatch(
      /^since the dry run the number of the customer, the template or the sender of the message to process R has changed \(/,
    )
    expect((await whatsapp.received()).received).toBe(0)
  })

  it('is not applied to a process that another changes between the reading and the claim', async () => {
    const { team, whatsapp, phones, path } = await start()
    const { id } = await run(team, `${path}?dryRun=true`, order(whatsapp, ['A', 'B']))
    let isDone = false
    const harness = new Harness(
      {},
      {
        before: async ({ kind, trigger, sql }) => {
          if (isDone || kind !== 'database' || trigger !== 'message' || !sql.includes('INTO "message"')) return
          isDone = true
          await team.call('PUT', `${LEADS}/lead_id/A`, { data: { city: 'Elsewhere' } })
        },
      },
    )
    const { body } = await harness.request(team, 'POST', `${JOBS}/${id}/apply`)
    await harness.settle(team)
    expect(isDone).toBe(true)
    expect(codes(await listEntries(team, body._data.id))).toEqual(['changed_since', 'SUCCESS'])
    expect((await whatsapp.received()).data.map(({ to }) => to)).toEqual([phones.B])
  })
})
