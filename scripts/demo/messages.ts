import { OLD, SOLAR } from './accounts.ts'
import type { Answered, Caller } from './caller.ts'
import { PHOTO } from './photo.ts'

interface Written extends Answered {
  data: { enquiry_id: string; name: string; phone_number: string; product: string }
}

const [DESK, CAMPAIGN] = SOLAR.phoneNumbers
/** These numbers make the emulator refuse, fail, or answer with what nobody understands: `test/whatsapp/README.md`. */
const REFUSED = ['15550019131026', '15550029131050']
const FAILING = ['15550018131026', '15550028131049', '15550038130472', '15550048131053']
const GARBLED = ['15550017900015', '15550027900015']
const ANSWERS = [
  'Yes, the offer looks fine. Can you come on Saturday?',
  'Call me',
  'How long does the guarantee last?',
  'धन्यवाद! कल बात करते हैं।',
  'STOP',
]

const value = (name: string, schemaPropertyValue: string) => ({ schemaPropertyName: name, schemaPropertyValue })
const attribute = (name: string, of: string) => ({ schemaPropertyName: name, attribute: of })

const enquiries = (state: string, limit: number) => ({ where: { state, status: 'OPEN' }, limit })

/** Messages in all states of delivery, what customers have answered, and a file of one of them. */
export async function sendMessages(caller: Caller, solar: string, old: string): Promise<void> {
  const { call, callOrLeaveOut, attempt, control } = caller
  const list = '/v1/ext/procedure/enquiry/process/list'
  const offered = await call<Written[]>('POST', list, enquiries('OFFER_SENT', 12))
  const written = `/v1/ext/message?phoneNumber=${offered[0]?.data.phone_number}`
  if ((await call<Answered[]>('GET', written)).length > 0) return
  const send = (plugin: string, to: string) =>
    `/v1/ext/plugin/whatsapp/${plugin}/phoneNumber/${to}/send-template-message`
  const greeting = { whatsappPhoneNumberId: DESK.id, templateName: 'rate_us', mapping: [value('1', 'Asha')] }
  await Promise.all([
    ...offered.map(({ id, data }) =>
      callOrLeaveOut('POST', `/v1/ext/plugin/whatsapp/${solar}/process/enquiry/${id}/send-template-message`, {
        ...{ whatsappPhoneNumberId: DESK.id, templateName: 'offer_ready', imageUrl: 'https://example.com/roof.jpg' },
        mapping: [value('1', data.name), value('2', data.product)],
        buttonMapping: [value('1', data.enquiry_id)],
      }),
    ),
    ...[...REFUSED, ...FAILING, ...GARBLED].map(to => attempt('POST', send(solar, to), greeting)),
    deliverOnly(caller, old),
  ])
  const file = '5550000000001'
  await control('PUT', `/files?account=${SOLAR.id}`, { id: file, mimeType: 'image/png', base64: PHOTO })
  const inbound = (from: string, more: object) =>
    control('POST', `/inbound?account=${SOLAR.id}`, { from, phoneNumberId: DESK.id, ...more })
  for (const [nth, text] of ANSWERS.entries()) await inbound(offered[nth]?.data.phone_number ?? '', { text })
  const content = { id: file, mime_type: 'image/png', caption: 'This is the roof' }
  await inbound(offered[0]?.data.phone_number ?? '', { type: 'image', content })
}

/** What this account sends is delivered and not read. */
async function deliverOnly({ call, callOrLeaveOut, control }: Caller, plugin: string): Promise<void> {
  await control('PUT', `/settings?account=${OLD.id}`, { webhooks: { omit: ['read'] } })
  const customers = await call<Written[]>('POST', '/v1/ext/procedure/enquiry/process/list', enquiries('NEGOTIATION', 6))
  const sender = { whatsappPhoneNumberId: OLD.phoneNumbers[0].id, templateName: 'hello_world' }
  const path = `/v1/ext/plugin/whatsapp/${plugin}/process/enquiry`
  await Promise.all(customers.map(({ id }) => callOrLeaveOut('POST', `${path}/${id}/send-template-message`, sender)))
}

/** A job that runs for a quarter of an hour, because its number is slow; and one that waits for a token in force. */
export async function runCampaigns({ call }: Caller, solar: string, old: string): Promise<void> {
  const bulk = (plugin: string) => `/v1/ext/plugin/whatsapp/${plugin}/process/enquiry/bulk-send-template-message`
  await call('POST', bulk(solar), {
    ...{ whatsappPhoneNumberId: CAMPAIGN.id, templateName: 'win_back', mapping: [attribute('1', 'name')] },
    where: { state: 'LOST' },
  })
  await call('POST', bulk(old), {
    ...{ whatsappPhoneNumberId: OLD.phoneNumbers[0].id, templateName: 'hello_world' },
    where: { state: 'NEGOTIATION', status: 'OPEN' },
  })
}
