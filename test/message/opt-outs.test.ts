import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, request } from '../support/api.ts'
import { bulk, JOBS, leadProcedure, listEntries, waitForJob } from '../support/jobs.ts'
import { failedNumber, newConnectedTeam, newNumber, refusedNumber, signBody } from '../support/provider.ts'

const OPT_OUT_CODE = 131050
const OPT_OUTS = '/v1/ext/opt-out'

const refusal = (phoneNumber: string) => ({
  status: 409,
  meta: { errors: [{ code: 'opted_out', phoneNumber, since: expect.any(Number), messageId: expect.any(String) }] },
})

describe('an opted-out number', () => {
  it('is stored when the provider refuses a message to it, and not attempted again', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = refusedNumber(OPT_OUT_CODE)
    const first = await whatsapp.send(phone)
    expect(first.meta.errors).toMatchObject([{ code: 'provider_refused', providerCode: OPT_OUT_CODE }])
    expect(await whatsapp.send(phone)).toMatchObject(refusal(phone))
    expect((await whatsapp.received(`to=${phone}`)).received).toBe(1)
    expect((await team.call('GET', `/v1/ext/message?phoneNumber=${phone}`)).data).toHaveLength(1)
    expect((await whatsapp.send(newNumber())).status).toBe(200)
  })

  it('is stored when a provider report names it', async () => {
    const { whatsapp } = await newConnectedTeam()
    const phone = failedNumber(OPT_OUT_CODE)
    expect((await whatsapp.send(phone)).status).toBe(200)
    await whatsapp.flush()
    await expect.poll(async () => (await whatsapp.send(phone)).status).toBe(409)
    expect(await whatsapp.send(phone)).toMatchObject(refusal(phone))
  })

  it('is refused to messages of every form, and to nobody else', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = refusedNumber(OPT_OUT_CODE)
    const { data, meta } = await whatsapp.send(phone)
    expect(data).toEqual({})
    const { messageId } = meta.errors[0]
    const text = { messaging_product: 'whatsapp', to: phone, type: 'text', text: { body: 'Hello' } }
    expect(await team.call('POST', `${whatsapp.base}/api/v23.0/${whatsapp.phone.id}/messages`, text)).toMatchObject(
      refusal(phone),
    )
    expect(await team.call('POST', `/v1/ext/message/${messageId}/resend`)).toMatchObject(refusal(phone))
    const other = await newConnectedTeam()
    expect((await other.whatsapp.send(phone)).meta.errors).toMatchObject([{ code: 'provider_refused' }])
  })

  it('is named in a job, whose other messages go out', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = refusedNumber(OPT_OUT_CODE)
    await leadProcedure(team, {
      attributes: [
        { shortId: 'lead_id', type: 'string' },
        { shortId: 'mobile', type: 'phone' },
      ],
      phoneAttribute: 'mobile',
    })
    await bulk(team, 'POST', [
      { lead_id: 'A', data: { mobile: phone } },
      { lead_id: 'B', data: { mobile: newNumber() } },
    ])
    await whatsapp.send(phone)
    const path = `${whatsapp.base}/process/lead/bulk-send-template-message`
    const template = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const job = await team.call('POST', path, { ...template, processes: [{ lead_id: 'A' }, { lead_id: 'B' }] })
    await waitForJob(team, job.data.id)
    expect(await listEntries(team, job.data.id)).toMatchObject([
      { completionStatus: 'ERROR', completionResult: { code: 'opted_out', errors: [{ phoneNumber: phone }] } },
      { completionStatus: 'SUCCESS' },
    ])
    expect((await whatsapp.received(`to=${phone}`)).received).toBe(1)
    expect((await team.call('GET', `${JOBS}/${job.data.id}`)).meta.deliveryStatusVsCount).toMatchObject({ SENT: 1 })
  })

  it('can be written to again when its opt-out is removed, until the provider reports another', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = refusedNumber(OPT_OUT_CODE)
    await whatsapp.send(phone)
    expect(await team.call('DELETE', `${OPT_OUTS}/${phone}`)).toMatchObject({
      status: 200,
      data: { phoneNumber: phone },
    })
    expect((await team.call('DELETE', `${OPT_OUTS}/${phone}`)).status).toBe(404)
    expect((await team.call('GET', OPT_OUTS)).data).toEqual([])
    expect((await whatsapp.send(phone)).meta.errors).toMatchObject([{ code: 'provider_refused' }])
    expect(await whatsapp.send(phone)).toMatchObject(refusal(phone))
  })

  it('begins again by a report of the second in which the former one ended', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    const { data } = await whatsapp.send(phone)
    const report = async (second: number) => {
      const errors = [{ code: OPT_OUT_CODE, title: 'User has opted out' }]
      const ofMessage = {
        id: 'wamid.1',
        status: 'failed',
        timestamp: String(second),
        biz_opaque_callback_data: data.id,
      }
      const value = { statuses: [{ ...ofMessage, errors }] }
      const body = JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
      })
      const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, body) }
      expect((await request('POST', whatsapp.webhookPath, { headers, body })).status).toBe(200)
    }
    const second = Math.floor(Date.now() / 1000)
    await report(second)
    expect((await team.call('GET', OPT_OUTS)).data).toHaveLength(1)
    expect((await team.call('DELETE', `${OPT_OUTS}/${phone}`)).status).toBe(200)
    const end = (at: number) => env.DB.prepare('UPDATE opt_out SET ended_at = ? WHERE team = ?').bind(at, team.no).run()
    await end(second * 1000 + 400)
    await report(second)
    expect((await team.call('GET', OPT_OUTS)).data).toHaveLength(1)
    // A report of an earlier second is older than the end.
    await end(second * 1000 + 1_000)
    await report(second)
    expect((await team.call('GET', OPT_OUTS)).data).toEqual([])
  })

  it('is listed page by page, for its own team only', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    // Different ones, in their order.
    const phones = ['11', '22', '33'].map(two => refusedNumber(OPT_OUT_CODE).replace(/^(1555)../, `$1${two}`))
    for (const phone of phones) await whatsapp.send(phone)
    const first = await team.call('GET', `${OPT_OUTS}?limit=2`)
    expect(first.data.map((each: { phoneNumber: string }) => each.phoneNumber)).toEqual(phones.slice(0, 2))
    expect(first.meta).toMatchObject({ hasMore: true, next: phones[1] })
    const second = await team.call('GET', `${OPT_OUTS}?limit=2&cursor=${first.meta.next}`)
    expect(second).toMatchObject({ data: [{ phoneNumber: phones[2] }], meta: { hasMore: false, next: null } })
    const stranger = await newTeam()
    expect((await stranger.call('GET', OPT_OUTS)).data).toEqual([])
    expect((await stranger.call('DELETE', `${OPT_OUTS}/${phones[0]}`)).status).toBe(404)
  })
})

it.each(['abc', '%2B91', '', '1234567890123456'])('the list of opt-outs refuses the cursor "%s"', async cursor => {
  const team = await newTeam()
  const reply = await team.call('GET', `${OPT_OUTS}?cursor=${cursor}`)
  expect(reply).toMatchObject({ status: 400, meta: { errors: [{ path: '/query/cursor' }] } })
})
