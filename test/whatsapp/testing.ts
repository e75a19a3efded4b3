import { env, exports } from 'cloudflare:workers'
import type { Arrival } from './receiver.ts'

// The project's own types are those of the API; these are what the emulator's configuration binds.
const { API } = env as unknown as { API: Fetcher }
const emulator = (exports as unknown as { default: Fetcher }).default

export const CONTROL = 'http://whatsapp/control'
export const GRAPH = 'https://graph.facebook.com/v23.0'

export const call = (url: string, init?: RequestInit): Promise<Response> => emulator.fetch(url, init)

export const json = async <T>(response: Response | Promise<Response>): Promise<T> =>
  (await (await response).json()) as T

const someDigits = (length: number) => Array.from({ length }, () => 1 + Math.floor(Math.random() * 9)).join('')

export interface Refused {
  error: { code: number; message: string; error_data: { details: string }; fbtrace_id: string; error_subcode?: number }
}
export interface Accepted {
  messaging_product: string
  contacts: { input: string; wa_id: string }[]
  messages: { id: string; message_status: string }[]
}
export interface Row {
  at: number
  to: string
  type: string
  template: string
  callbackData: string
  accepted: boolean
  fault: string | null
  status: number
  code: number | null
  messageId: string
  body: string
}
export interface Status {
  id: string
  status: string
  timestamp: string
  recipient_id: string
  biz_opaque_callback_data?: string
  pricing?: { billable: boolean; category: string }
  conversation?: { id: string }
  errors?: { code: number; title: string; error_data: { details: string } }[]
}
interface Change {
  field: string
  value: {
    metadata: { display_phone_number: string; phone_number_id: string }
    statuses?: Status[]
    messages?: { from: string; text: { body: string } }[]
  }
}
export interface Envelope {
  object: string
  entry: { id: string; changes: Change[] }[]
}

export type Account = Awaited<ReturnType<typeof freshAccount>>

/** An account of the test's own, whose webhooks wait for `flush` unless it says otherwise. */
export async function freshAccount({ query = '', settings = { webhooks: { hold: true } } as object } = {}) {
  const id = someDigits(15)
  const phone = { id: someDigits(15), displayNumber: `1555${someDigits(7)}` }
  const token = `token-${id}`
  const appSecret = `secret-${id}`
  const control = (method: string, path: string, body?: unknown) =>
    call(`${CONTROL}${path}${path.includes('?') ? '&' : '?'}account=${id}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const callbackUrl = `http://receiver/${id}${query}`
  await control('PUT', `/accounts/${id}`, { accessToken: token, appSecret, callbackUrl, phoneNumbers: [phone] })
  await control('PUT', '/settings', settings)
  return {
    id,
    phone,
    token,
    appSecret,
    control,
    send: (body: unknown, init: RequestInit = {}) =>
      call(`${GRAPH}/${phone.id}/messages`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...init,
      }),
    read: (path: string) => call(`${GRAPH}/${path}`, { headers: { authorization: `Bearer ${token}` } }),
    received: (query = '') =>
      json<{ received: number; accepted: number; data: Row[] }>(control('GET', `/received?${query}`)),
    flush: () => control('POST', '/webhooks/flush'),
    arrived: () => json<Arrival[]>(API.fetch(`http://receiver/arrived/${id}`)),
  }
}

/** The statuses of what arrived, in the order of arrival. */
export const listStatuses = (arrivals: Arrival[]): Status[] =>
  arrivals.flatMap(({ text }) =>
    (JSON.parse(text) as Envelope).entry.flatMap(({ changes }) => changes.flatMap(({ value }) => value.statuses ?? [])),
  )

export const USER = '4915112345678'

export const text = (to = USER, more: object = {}) => ({
  messaging_product: 'whatsapp',
  to,
  type: 'text',
  text: { body: 'Hello' },
  ...more,
})

export const words = (...values: string[]) => values.map(value => ({ type: 'text', text: value }))

/** A template message of our language unless `more` says otherwise. */
export const template = (name: string, components: unknown[], more: object = {}) => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: USER,
  type: 'template',
  template: { name, language: { code: 'en_US' }, components },
  ...more,
})
