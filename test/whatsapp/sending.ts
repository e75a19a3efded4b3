import type { Account } from './account.ts'
import { oweStatuses } from './delivery.ts'
import { getStatus, graphError, type Refusal, refusal } from './errors.ts'
import { type Attempt, accepts, digits, type Fault, magicFault, ruleFault } from './faults.ts'
import { admit } from './limits.ts'
import { firstFault, type Message, message, readReceipt } from './messages.ts'
import { findTemplate, lastHeard, record } from './store.ts'
import { templateFault } from './templates.ts'

const WINDOW_MS = 24 * 60 * 60 * 1_000
const ID_BYTES = 12

/** Meta's response, and the fault that replaces it. */
export interface Outcome {
  status: number
  body: unknown
  fault: Fault | null
}

type Phone = { id: string; displayNumber: string }

/** Judges a request to send, records it, and owes the webhooks of what it accepts. */
export function receive(account: Account, phone: Phone, text: string, denied: Refusal | null, now: number): Outcome {
  const body = parsed(text)
  const receipt = readReceipt.safeParse(body)
  if (receipt.success && !denied) return { status: 200, body: { success: true }, fault: null }

  const attempt = attempted(phone, body)
  const fault = denied ? null : chosenFault(account, attempt)
  const judged = denied ?? (accepts(fault) ? judge(account, phone, body, now) : null)
  const accepted = judged !== null && 'to' in judged ? judged : null
  const refused = judged !== null && 'code' in judged ? judged : null
  const messageId = accepted ? newMessageId(digits(accepted.to)) : null
  const hit = refused ? null : fault
  const outcome: Outcome =
    accepted && messageId
      ? { status: 200, body: welcome(accepted.to, messageId, hit), fault: hit }
      : refusedOutcome(refused ?? refusal(131000, 'Nothing was accepted'), hit)
  record(account.sql, {
    at: now,
    phone_number_id: phone.id,
    recipient: attempt.to || null,
    type: accepted?.type ?? null,
    template: attempt.template,
    callback_data: attempt.callbackData,
    accepted: accepted ? 1 : 0,
    fault: hit?.kind ?? null,
    status: hit?.kind === 'error' ? getStatus(hit.code) : hit?.kind === 'http' ? hit.status : outcome.status,
    code: refused?.code ?? (hit && 'code' in hit ? hit.code : null),
    message_id: messageId,
    body: text,
  })
  if (accepted && messageId) {
    const failure =
      hit?.kind === 'failed' ? refusal(hit.code, 'Asked for by the recipient’s number or by a fault rule') : null
    const closed = failure ?? windowFault(account, accepted, now)
    oweStatuses(account, toSent(account, phone, accepted, messageId), now, closed)
  }
  return outcome
}

const refusedOutcome = (fault: Refusal, hit: Fault | null): Outcome => ({
  status: getStatus(fault.code),
  body: graphError(fault),
  fault: hit,
})

const toSent = (
  account: Account,
  phone: Phone,
  { to, template, biz_opaque_callback_data }: Message,
  messageId: string,
) => ({
  phoneNumberId: phone.id,
  messageId,
  recipient: whatsappId(digits(to)),
  category: (template && findTemplate(account.sql, template.name, template.language.code)?.category) ?? 'service',
  callbackData: biz_opaque_callback_data ?? null,
})

function judge(account: Account, phone: Phone, body: unknown, now: number): Message | Refusal {
  if (body === undefined) return refusal(100, 'The request body is not valid JSON')
  const { success, data, error } = message.safeParse(body)
  if (!success) return firstFault(error.issues, body)
  const to = digits(data.to)
  if (to === phone.displayNumber) return refusal(131021, 'Sender and recipient phone numbers are the same')
  const template = data.template && findTemplate(account.sql, data.template.name, data.template.language.code)
  if (data.template && !template)
    return refusal(132001, `template name (${data.template.name}) does not exist in ${data.template.language.code}`)
  return (
    (template && templateFault(template, data.template?.components ?? [])) ??
    admit(account.recentOf(phone.id), to, now, account.settings.limits) ??
    data
  )
}

/** Free text to a user who has been silent for a day is accepted, and fails afterwards. */
function windowFault(account: Account, { to, type }: Message, now: number): Refusal | null {
  if (!account.settings.serviceWindow || type === 'template') return null
  const heard = lastHeard(account.sql, whatsappId(digits(to)))
  if (heard !== null && heard > now - WINDOW_MS) return null
  return refusal(131047, 'More than 24 hours have passed since the customer last replied to this number')
}

function chosenFault(account: Account, attempt: Attempt): Fault | null {
  const { settings } = account
  const { fault, rules } = ruleFault(settings.faults, attempt)
  if (settings.faults.length > 0) account.settings = { ...settings, faults: rules }
  return fault ?? magicFault(attempt.to)
}

/** Reads a request before it is judged, so that a bad one is recorded too. */
function attempted(phone: Phone, body: unknown): Attempt {
  const { to, template, biz_opaque_callback_data: data } = (body ?? {}) as Record<string, unknown>
  const name = (template as { name?: unknown } | undefined)?.name
  return {
    phoneNumberId: phone.id,
    to: typeof to === 'string' ? digits(to) : '',
    template: typeof name === 'string' ? name : null,
    callbackData: typeof data === 'string' ? data : null,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The id under which WhatsApp knows a user: not always the number. Mexican mobiles carry a 1, old Brazilian ones lack a 9. */
const whatsappId = (to: string): string => to.replace(/^52(?=\d{10}$)/, '521').replace(/^(55[3-9]\d)9(?=\d{8}$)/, '$1')

function newMessageId(to: string): string {
  const random = crypto.getRandomValues(new Uint8Array(ID_BYTES))
  const tail = Array.from(random, byte => byte.toString(16).padStart(2, '0')).join('')
  return `wamid.${btoa(`\x1d\x18\x0b${to}\x15\x02\x00\x11\x18\x12${tail.toUpperCase()}\x00`)}`
}

const welcome = (to: string, id: string, fault: Fault | null) => ({
  messaging_product: 'whatsapp',
  contacts: [{ input: to, wa_id: whatsappId(digits(to)) }],
  messages: [{ id, message_status: fault?.kind === 'held' ? 'held_for_quality_assessment' : 'accepted' }],
})
