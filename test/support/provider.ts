import { env } from 'cloudflare:workers'
import { newTeam, type Team } from './api.ts'
import { ORIGIN } from './origin.ts'

const someDigits = (length: number) => Array.from({ length }, () => 1 + Math.floor(Math.random() * 9)).join('')

export interface Received {
  received: number
  accepted: number
  data: { to: string; callbackData: string; accepted: boolean; messageId: string; body: string; template: string }[]
}

const WHATSAPP = env.WHATSAPP as Fetcher

export type Connected = Awaited<ReturnType<typeof connectPlugin>>

/** A team's own business account at the stand-in, connected by a plugin, its templates synced. Webhooks wait for `flush`. */
export async function connectPlugin(team: Team, { settings = {}, hold = true } = {}) {
  const account = someDigits(15)
  const phone = { id: someDigits(15), displayNumber: `1556${someDigits(7)}` }
  const secrets = { accessToken: `token-${account}`, appSecret: `secret-${account}`, verifyToken: `verify-${account}` }
  const control = async (method: string, path: string, body?: unknown) => {
    const url = `http://whatsapp/control${path}${path.includes('?') ? '&' : '?'}account=${account}`
    const response = await WHATSAPP.fetch(url, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
    return (await response.json()) as any
  }
  const made = await team.call('POST', '/v1/ext/plugin/whatsapp', {
    name: 'Support line',
    businessAccountId: account,
    ...secrets,
    phoneNumbers: [phone],
  })
  const id = made.data.id as string
  const { webhookPath } = made.data as { webhookPath: string }
  const callbackUrl = `${ORIGIN}${webhookPath}`
  await control('PUT', `/accounts/${account}`, { ...secrets, callbackUrl, phoneNumbers: [phone] })
  await control('PUT', '/settings', { webhooks: { hold }, delays: { sent: 0, delivered: 1, read: 2 }, ...settings })
  await team.call('POST', `/v1/ext/plugin/whatsapp/${id}/sync-templates`)
  const base = `/v1/ext/plugin/whatsapp/${id}`
  return {
    id,
    account,
    phone,
    secrets,
    base,
    control,
    webhookPath,
    /** A message of the simplest template, unless `body` says otherwise. */
    send: (to: string, body: object = {}, headers: Record<string, string> = {}) =>
      team.call(
        'POST',
        `${base}/phoneNumber/${to}/send-template-message`,
        { whatsappPhoneNumberId: phone.id, templateName: 'hello_world', ...body },
        headers,
      ),
    /** An entry of a job that sends that message. */
    entry: (phoneNumber: string) => ({
      apiType: 'TEMPLATE_MESSAGE',
      apiData: { pluginId: id, whatsappPhoneNumberId: phone.id, templateName: 'hello_world', phoneNumber },
    }),
    received: (query = ''): Promise<Received> => control('GET', `/received?${query}`),
    flush: () => control('POST', '/webhooks/flush'),
    faults: (...faults: object[]) => control('PUT', '/settings', { faults }),
  }
}

/** A new team that has `connectPlugin`. */
export async function newConnectedTeam(options: Parameters<typeof connectPlugin>[1] = {}) {
  const team = await newTeam()
  return { team, whatsapp: await connectPlugin(team, options) }
}

/** A second phone number of the account, which the plugin knows as well. */
export async function addNumber(team: Team, whatsapp: Connected): Promise<{ id: string; displayNumber: string }> {
  const other = { id: `${whatsapp.phone.id}7`, displayNumber: '15567654321' }
  const phoneNumbers = [whatsapp.phone, other]
  const callbackUrl = `${ORIGIN}${whatsapp.webhookPath}`
  await whatsapp.control('PUT', `/accounts/${whatsapp.account}`, { ...whatsapp.secrets, callbackUrl, phoneNumbers })
  await team.call('PUT', whatsapp.base, { phoneNumbers })
  return other
}

let numbers = 0
/** A customer that nobody else writes to. */
export const newNumber = () => `4915${String(Date.now()).slice(-6)}${String(++numbers).padStart(3, '0')}`

/** A number that the stand-in refuses with this code; `failed` ones it accepts, and then reports as failed. */
export const refusedNumber = (code: number) => `1555${someDigits(2)}9${String(code).padStart(6, '0')}`
export const failedNumber = (code: number) => `1555${someDigits(2)}8${String(code).padStart(6, '0')}`

/** The header that goes with a webhook's body. */
export async function signBody(appSecret: string, body: string): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encode(appSecret), algorithm, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, encode(body)))
  return `sha256=${Array.from(mac, byte => byte.toString(16).padStart(2, '0')).join('')}`
}
