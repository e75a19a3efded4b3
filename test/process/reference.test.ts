import { expect, it } from 'vitest'
import { LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'

it('an address by primary key never finds a process by id', async () => {
  const team = await newLeadTeam({
    attributes: [
      { shortId: 'lead_id', type: 'string' },
      { shortId: 'mobile', type: 'phone' },
    ],
    phoneAttribute: 'mobile',
  })
  const whatsapp = await connectPlugin(team)
  const [byId, byKey] = [newNumber(), newNumber()]
  const named = await team.call('POST', LEADS, { data: { lead_id: 'X', mobile: byId } })
  const other = await team.call('POST', LEADS, { data: { lead_id: named.data.id, mobile: byKey } })
  const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const reply = await team.call('POST', `${whatsapp.base}/process/lead/bulk-send-template-message`, {
    processes: [{ lead_id: named.data.id }, { id: named.data.id }, { id: 'X' }],
    ...body,
  })
  expect(reply.errors).toEqual([])
  await waitForJob(team, reply.data.id)
  const entries = await listEntries(team, reply.data.id)
  const recipients = await Promise.all(
    entries.map(async (each: { completionResult: { messageId?: string; id?: string } }) => {
      const id = each.completionResult.messageId ?? each.completionResult.id
      return (await team.call('GET', `/v1/ext/message/${id}`)).data.context.contactIdentifier
    }),
  )
  expect(recipients).toEqual([byKey, byId, byId])
  expect((await team.call('GET', `${LEADS}/lead_id/${named.data.id}`)).data.id).toBe(other.data.id)
})
