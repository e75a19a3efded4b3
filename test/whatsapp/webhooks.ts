import { type Refusal, webhookError } from './errors.ts'
import type { AccountDetails } from './settings.ts'

const CONVERSATION_MS = 24 * 60 * 60 * 1_000

const seconds = (ms: number): string => String(Math.floor(ms / 1_000))

export interface StatusEvent {
  messageId: string
  recipient: string
  status: string
  at: number
  category: string
  callbackData: string | null
  refusal: Refusal | null
}

/** Returns one status of a message in the form of a webhook. The price is in sent and delivered. */
export function statusValue(event: StatusEvent) {
  const category = event.category.toLowerCase()
  const conversation = {
    id: event.messageId.slice(-32).toLowerCase(),
    ...(event.status === 'sent' ? { expiration_timestamp: seconds(event.at + CONVERSATION_MS) } : {}),
    origin: { type: category },
  }
  const priced = event.status === 'sent' || event.status === 'delivered'
  return {
    id: event.messageId,
    status: event.status,
    timestamp: seconds(event.at),
    recipient_id: event.recipient,
    ...(priced ? { conversation, pricing: { billable: true, pricing_model: 'PMP', category, type: 'regular' } } : {}),
    ...(event.refusal ? { errors: [webhookError(event.refusal)] } : {}),
    ...(event.callbackData === null ? {} : { biz_opaque_callback_data: event.callbackData }),
  }
}

/** Returns one message from a user. */
export const inboundValue = (
  { id, from, at }: { id: string; from: string; at: number },
  type: string,
  content: unknown,
) => ({ from, id, timestamp: seconds(at), type, [type]: content })

/** The request's body for values of one kind and one phone number. */
export function envelope(
  account: AccountDetails,
  phoneNumberId: string,
  kind: 'statuses' | 'messages',
  values: unknown[],
) {
  const number = account.phoneNumbers.find(({ id }) => id === phoneNumberId)?.displayNumber ?? ''
  const contacts = values.map(value => {
    const { from } = value as { from?: string }
    return { profile: { name: `User ${from}` }, wa_id: from }
  })
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: account.id,
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: number, phone_number_id: phoneNumberId },
              ...(kind === 'messages' ? { contacts } : {}),
              [kind]: values,
            },
          },
        ],
      },
    ],
  }
}

/** The value of `X-Hub-Signature-256` for exactly these bytes. */
export async function signature(appSecret: string, body: string): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(appSecret), algorithm, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(body))
  return `sha256=${Array.from(new Uint8Array(mac), byte => byte.toString(16).padStart(2, '0')).join('')}`
}
