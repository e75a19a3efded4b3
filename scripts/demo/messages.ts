import { OLD, SOLAR } from './accounts.ts'
import type { ApiResource, Caller } from './caller.ts'
import { PHOTO } from './photo.ts'

interface EnquiryResource extends ApiResource {
  data: { enquiry_id: string; name: string; phone_number: string; product: string }
}

interface JobEntry extends ApiResource {
  data: { apiData: { templateName?: string } }
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

const CAPTION = 'This is the roof'

const value = (name: string, schemaPropertyValue: string) => ({ schemaPropertyName: name, schemaPropertyValue })
const attribute = (name: string, of: string) => ({ schemaPropertyName: name, attribute: of })

const enquiries = (state: string, limit: number) => ({ where: { state, status: 'OPEN' }, limit })

const JOBS = '/v1/ext/background-job'
/** A number of messages or jobs that covers those of an interrupted start. */
const LOOKED_AT = 100

/**
 * Messages in all states of delivery, what customers have answered, and a file of one of them. Each is left out where an
 * earlier start, which may have been interrupted anywhere, has made it already.
 */
export async function sendMessages(caller: Caller, solar: string, old: string): Promise<void> {
  const { call, callOrLeaveOut, attempt, controlOrLeaveOut } = caller
  const list = '/v1/ext/procedure/enquiry/process/list'
  const offered = await call<EnquiryResource[]>('POST', list, enquiries('OFFER_SENT', 12))
  const send = (plugin: string, to: string) =>
    `/v1/ext/plugin/whatsapp/${plugin}/phoneNumber/${to}/send-template-message`
  const greeting = { whatsappPhoneNumberId: DESK.id, templateName: 'rate_us', mapping: [value('1', 'Asha')] }
  await Promise.all([
    ...offered.map(async ({ id, data }) => {
      if (await hasOutbound(caller, data.phone_number)) return
      await callOrLeaveOut('POST', `/v1/ext/plugin/whatsapp/${solar}/process/enquiry/${id}/send-template-message`, {
        whatsappPhoneNumberId: DESK.id,
        templateName: 'offer_ready',
        imageUrl: 'https://example.com/roof.jpg',
        mapping: [value('1', data.name), value('2', data.product)],
        buttonMapping: [value('1', data.enquiry_id)],
      })
    }),
    ...[...REFUSED, ...FAILING, ...GARBLED].map(async to => {
      if (!(await hasOutbound(caller, to))) await attempt('POST', send(solar, to), greeting)
    }),
    deliverOnly(caller, old),
  ])
  const file = '5550000000001'
  await controlOrLeaveOut('PUT', `/files?account=${SOLAR.id}`, { id: file, mimeType: 'image/png', base64: PHOTO })
  const inbound = async (customer: EnquiryResource | undefined, text: string, more: object) => {
    const from = customer?.data.phone_number ?? ''
    const received = await listMessages(caller, from, 'INBOUND')
    if (received.some(message => message.text === text)) return
    await controlOrLeaveOut('POST', `/inbound?account=${SOLAR.id}`, { from, phoneNumberId: DESK.id, ...more })
  }
  for (const [nth, text] of ANSWERS.entries()) await inbound(offered[nth], text, { text })
  const content = { id: file, mime_type: 'image/png', caption: CAPTION }
  await inbound(offered[0], CAPTION, { type: 'image', content })
}

async function listMessages({ call }: Caller, phoneNumber: string, direction: string): Promise<ApiResource[]> {
  const all = await call<ApiResource[]>('GET', `/v1/ext/message?phoneNumber=${phoneNumber}&limit=${LOOKED_AT}`)
  return all.filter(message => message.direction === direction)
}

const hasOutbound = async (caller: Caller, phoneNumber: string): Promise<boolean> =>
  (await listMessages(caller, phoneNumber, 'OUTBOUND')).length > 0

/** Makes messages of this account delivered and not read. */
async function deliverOnly(caller: Caller, plugin: string): Promise<void> {
  const { call, callOrLeaveOut, control } = caller
  await control('PUT', `/settings?account=${OLD.id}`, { webhooks: { omit: ['read'] } })
  const customers = await call<EnquiryResource[]>(
    'POST',
    '/v1/ext/procedure/enquiry/process/list',
    enquiries('NEGOTIATION', 6),
  )
  const sender = { whatsappPhoneNumberId: OLD.phoneNumbers[0].id, templateName: 'hello_world' }
  const path = `/v1/ext/plugin/whatsapp/${plugin}/process/enquiry`
  await Promise.all(
    customers.map(async ({ id, data }) => {
      if (await hasOutbound(caller, data.phone_number)) return
      await callOrLeaveOut('POST', `${path}/${id}/send-template-message`, sender)
    }),
  )
}

/**
 * A job that runs for a quarter of an hour, because its number is slow; and one that waits for a token in force. A later
 * start runs neither again.
 */
export async function runCampaigns(caller: Caller, solar: string, old: string): Promise<void> {
  const started = await listCampaigns(caller)
  const run = async (plugin: string, campaign: { templateName: string; [name: string]: unknown }) => {
    if (started.has(campaign.templateName)) return
    const path = `/v1/ext/plugin/whatsapp/${plugin}/process/enquiry/bulk-send-template-message`
    await caller.call('POST', path, campaign)
  }
  await run(solar, {
    whatsappPhoneNumberId: CAMPAIGN.id,
    templateName: 'win_back',
    mapping: [attribute('1', 'name')],
    where: { state: 'LOST' },
  })
  await run(old, {
    whatsappPhoneNumberId: OLD.phoneNumbers[0].id,
    templateName: 'hello_world',
    where: { state: 'NEGOTIATION', status: 'OPEN' },
  })
}

/** The templates that the jobs of the team send: all entries of a campaign have that of the first. */
async function listCampaigns({ call }: Caller): Promise<Set<unknown>> {
  const jobs = await call<ApiResource[]>('GET', `${JOBS}?limit=${LOOKED_AT}`)
  const firsts = await Promise.all(jobs.map(({ id }) => call<JobEntry[]>('GET', `${JOBS}/${id}/entries?limit=1`)))
  return new Set(firsts.flatMap(([first]) => first?.data.apiData.templateName ?? []))
}
