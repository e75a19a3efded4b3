import { HOUR_MS } from '../../src/time-units.ts'
import { sleep } from '../support/sleep.ts'

interface Thing {
  latest: number
  id: string
  publicMediaUrl: string
  completedAt: number | null
  deliveryStatus: string
  record?: { id: string }
  phoneNumbers: { id: string }[]
  webhookPath: string
}

export interface Place {
  url: string
  token: string
}

const LEADS = '/v1/ext/procedure/lead/process'
const UNDELIVERABLE = 131026
const OPTED_OUT = 131050

let made = 0
export const newName = (kind: string): string => `${kind}-${++made}`
export const newDigits = (length: number): string => String(10 ** (length - 1) + ++made)

/** Makes what samples need: each call makes a new thing, so that samples do not meet. */
export function thingsIn({ url, token }: Place) {
  const authorization = `Bearer ${token}`
  async function call(method: string, path: string, body?: unknown): Promise<Thing> {
    const headers = { authorization, 'content-type': 'application/json' }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(url + path, { method, headers, ...init })
    const { _data, _errors } = (await response.json()) as { _data: Thing; _errors: string[] }
    if (!response.ok) throw new Error(`${method} ${path}: ${_errors.join('; ')}`)
    return _data
  }
  const firstPlugin = async () => ((await call('GET', '/v1/ext/plugin')) as unknown as Thing[])[0]
  const plugin = async () => (await firstPlugin())?.id ?? ''
  /** `/webhooks/whatsapp/<home>/<id>` */
  const home = async () => (await firstPlugin())?.webhookPath.split('/')[3] ?? ''
  const sender = async () => (await firstPlugin())?.phoneNumbers[0]?.id ?? ''
  const newNumber = () => `4915${newDigits(9)}`

  async function newLead() {
    const key = newName('LEAD-S')
    const { id, record } = await call('POST', LEADS, {
      data: { lead_id: key },
      record: { data: { phone_number: newNumber() } },
    })
    return { id, key, customer: record?.id ?? '' }
  }
  async function endedJob(lead_id: string, query = ''): Promise<string> {
    const { id } = await call('PATCH', `${LEADS}${query}`, { processes: [{ lead_id, update: { data: { score: 5 } } }] })
    while ((await call('GET', `/v1/ext/background-job/${id}`)).completedAt === 0) await sleep(50)
    return id
  }
  const send = async (to: string) =>
    call('POST', `/v1/ext/plugin/whatsapp/${await plugin()}/phoneNumber/${to}/send-template-message`, {
      whatsappPhoneNumberId: await sender(),
      templateName: 'hello_world',
    })
  const newKey = async () => (await call('POST', '/v1/ext/api-key', { name: 'Sample', role: 'agent' })).id

  async function upload(): Promise<Thing> {
    const body = new FormData()
    body.append('file', new File(['%PDF-1.7\n'], 'offer.pdf'))
    const path = `/v1/ext/plugin/whatsapp/${await plugin()}/upload-public-media`
    const response = await fetch(url + path, { method: 'POST', headers: { authorization }, body })
    return ((await response.json()) as { _data: Thing })._data
  }
  let uploaded: Promise<Thing> | undefined
  let shared: Promise<string> | undefined
  let changed: Promise<string> | undefined
  let kept: Promise<string> | undefined
  const newWebhook = async (enabled: boolean) =>
    (await call('POST', '/v1/ext/webhook', { url: 'https://www.example.com/webhooks', enabled })).id

  return {
    plugin,
    home,
    sender,
    newLead,
    newKey,
    user: async () => (await call('POST', '/v1/ext/user', { username: newName('user'), role: 'agent' })).id,
    customer: async () => (await newLead()).customer,
    leadId: async () => (await newLead()).id,
    leadKey: async () => (await newLead()).key,
    async deletedLead() {
      const { id } = await newLead()
      await call('DELETE', `${LEADS}/${id}`)
      return id
    },
    goodJob: async () => endedJob((await newLead()).key),
    failedJob: () => endedJob('NOBODY'),
    dryRun: async () => endedJob((await newLead()).key, '?dryRun=true'),
    async laterJob() {
      const processCreate = { data: { lead_id: newName('LEAD-S') } }
      const entries = [{ apiType: 'PROCESS_CREATE', apiData: { procedureId: 'lead', processCreate } }]
      return (await call('POST', '/v1/ext/background-job', { entries, startAt: Date.now() + HOUR_MS })).id
    },
    async newPlugin() {
      const account = newDigits(15)
      const secrets = { accessToken: 'a', appSecret: 'b', verifyToken: 'c' }
      const phoneNumbers = [{ id: account, displayNumber: account }]
      return (
        await call('POST', '/v1/ext/plugin/whatsapp', {
          name: 'Two',
          businessAccountId: account,
          ...secrets,
          phoneNumbers,
        })
      ).id
    },
    /** Returns one webhook for all samples that do not change it: a team may have twenty. */
    async sharedWebhook() {
      shared ??= newWebhook(true)
      return shared
    },
    /** Returns one webhook for all samples that change it. */
    async changedWebhook() {
      changed ??= newWebhook(false)
      return changed
    },
    newWebhook: () => newWebhook(false),
    /** Returns a request of the log, which is written some seconds after its response. */
    async keptRequest() {
      const response = await fetch(`${url}/v1/ext/message?nope=1`, { headers: { authorization } })
      return response.headers.get('x-request-id') ?? ''
    },
    /** The same one for all that is asked: what is sent is compared with what is printed. */
    async keptEvent() {
      kept ??= call('GET', '/v1/ext/event-feed').then(({ latest }) => String(latest))
      return kept
    },
    newSavedView: async () => (await call('POST', '/v1/ext/saved-view', { name: 'Open', procedure: 'lead' })).id,
    sentMessage: async () => (await send(newNumber())).id,
    /** A number of its own: the provider limits how often one is written to. */
    async writtenNumber() {
      const to = newNumber()
      await send(to)
      return to
    },
    /** Accepted by the provider, and then reported as failed. */
    async failedMessage() {
      const { id } = await send(`1555${newDigits(2)}8${UNDELIVERABLE}`)
      while ((await call('GET', `/v1/ext/message/${id}`)).deliveryStatus !== 'FAILED') await sleep(100)
      return id
    },
    async optedOutNumber() {
      const to = `1555${newDigits(2)}9${OPTED_OUT}`
      await send(to).catch(() => undefined)
      return to
    },
    /** Team, day or name of an uploaded file. */
    async mediaPart(at: 0 | 1 | 2) {
      uploaded ??= upload()
      return new URL((await uploaded).publicMediaUrl).pathname.split('/').at(at + 2) ?? ''
    },
  }
}
export type Things = ReturnType<typeof thingsIn>
