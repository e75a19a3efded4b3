import type { Account } from './account.ts'
import { owe, settle, type Webhook } from './delivery-store.ts'
import type { Refusal } from './errors.ts'
import type { AccountDetails, Settings } from './settings.ts'
import { envelope, type StatusEvent, signature, statusValue } from './webhooks.ts'

const ANSWER_SHOWN = 500
const LARGEST_CHALLENGE = 2 ** 31

export type Sent = Pick<StatusEvent, 'messageId' | 'recipient' | 'category' | 'callbackData'> & {
  phoneNumberId: string
}

/** Owes the statuses of a message that was accepted at `now`: all the way to read, or to failed. */
export function oweStatuses(account: Account, sent: Sent, now: number, failure: Refusal | null): void {
  const { delays, webhooks: mode } = account.settings
  const steps = (['sent', 'delivered', 'read'] as const)
    .filter(status => !mode.omit.includes(status))
    .map(status => ({ status, at: now + delays[status], refusal: null }))
  const events = failure ? [{ status: 'failed', at: now + delays.sent, refusal: failure }] : steps
  const due = events.map(({ at }) => at)
  const arrivals = mode.shuffle ? outOfOrder(due) : due
  for (const [index, event] of events.entries())
    for (let copy = 0; copy <= mode.duplicates; copy += 1) oweStatus(account, sent, event, arrivals[index] ?? event.at)
}

type StatusStep = Pick<StatusEvent, 'status' | 'at' | 'refusal'>

export function oweStatus(account: Account, sent: Sent, step: StatusStep, dueAt: number): void {
  const webhook = {
    kind: 'statuses' as const,
    phone_number_id: sent.phoneNumberId,
    message_id: sent.messageId,
    recipient: sent.recipient,
    status: step.status,
    value: JSON.stringify(statusValue({ ...sent, ...step })),
    due_at: dueAt,
  }
  owe(account.sql, webhook, account.settings.webhooks.loseEvery)
}

/** Any order but the one it was given. */
function outOfOrder(times: number[]): number[] {
  const shuffled = [...times]
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1))
    const [a = 0, b = 0] = [shuffled[last], shuffled[other]]
    shuffled[last] = b
    shuffled[other] = a
  }
  return shuffled.every((time, index) => time === times[index]) ? shuffled.reverse() : shuffled
}

/** Sends one signed request with these webhooks, and returns their results. */
export async function post(
  account: Account,
  details: AccountDetails,
  settings: Settings,
  batch: Webhook[],
): Promise<void> {
  const [first] = batch
  if (!first || !details.callbackUrl) return
  const values = batch.map(({ value }) => JSON.parse(value) as unknown)
  const body = JSON.stringify(envelope(details, first.phone_number_id, first.kind, values))
  const { timeoutMs, retryDelaysMs } = settings.webhooks
  const answer = await call(account, details.callbackUrl, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'facebookexternalua',
      'x-hub-signature-256': await signature(details.appSecret, body),
    },
    signal: AbortSignal.timeout(timeoutMs),
  })
  const { at, status } = answer
  for (const webhook of batch) {
    const delay = retryDelaysMs[JSON.parse(webhook.tries).length]
    if (status !== null && status >= 200 && status < 300) settle(account.sql, webhook, answer, 'delivered', at)
    else if (delay === undefined) settle(account.sql, webhook, answer, 'failed', at)
    else settle(account.sql, webhook, answer, 'pending', at + delay)
  }
}

/** The handshake that Meta makes when a callback is configured. */
export async function handshake(account: Account, details: AccountDetails, callbackUrl: string) {
  const challenge = String(Math.floor(Math.random() * LARGEST_CHALLENGE))
  const url = new URL(callbackUrl)
  url.searchParams.set('hub.mode', 'subscribe')
  url.searchParams.set('hub.challenge', challenge)
  url.searchParams.set('hub.verify_token', details.verifyToken)
  const { timeoutMs } = account.settings.webhooks
  const { status, answer } = await call(account, url.href, { signal: AbortSignal.timeout(timeoutMs) })
  return { verified: status === 200 && answer === challenge, status, answer, challenge }
}

async function call(account: Account, url: string, init: RequestInit) {
  const at = Date.now()
  try {
    const request = new Request(url, { ...init, redirect: 'manual' })
    const response = await (account.bindings.API ? account.bindings.API.fetch(request) : fetch(request))
    return { at, status: response.status, answer: (await response.text()).slice(0, ANSWER_SHOWN) }
  } catch (error) {
    return { at, status: null, answer: String(error) }
  }
}
