import * as z from 'zod'
import { UUID } from '../../ids.ts'
import { toProviderError } from '../../plugin/codes.ts'
import type { TemplateStatusUpdate } from '../../plugin/template/changes.ts'
import type { ReceivedMessage } from '../received/message.ts'
import { readMessage } from '../received/read.ts'
import type { DeliveryEvent, DeliveryStatus } from '../rules.ts'

const STATUS_OF = new Map<string, DeliveryStatus>([
  ['sent', 'SENT'],
  ['delivered', 'DELIVERED'],
  ['read', 'READ'],
  ['played', 'READ'],
  ['failed', 'FAILED'],
])

/** The provider tells times in whole seconds: what happened in one may have happened at its end. */
export const SECOND_END_MS = 999

/** What an event of a template makes its status; null: the event says nothing of whether it can be sent. */
const STATUSES_BY_EVENT = new Map<string, string | null>([
  ['APPROVED', 'APPROVED'],
  ['REINSTATED', 'APPROVED'],
  ['UNARCHIVED', 'APPROVED'],
  ['FLAGGED', null],
  ['LOCKED', null],
  ['UNLOCKED', null],
  ['LIMIT_EXCEEDED', null],
  ...['PENDING', 'IN_APPEAL', 'REJECTED', 'PAUSED', 'DISABLED', 'ARCHIVED', 'PENDING_DELETION', 'DELETED'].map(
    status => [status, status] as const,
  ),
])

const Envelope = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.unknown()),
})
const Entry = z.object({ time: z.number().optional().catch(undefined), changes: z.array(z.unknown()) })
const Change = z.object({ field: z.string(), value: z.record(z.string(), z.unknown()) })
const MessagesValue = z.object({
  metadata: z.object({ phone_number_id: z.string() }).optional().catch(undefined),
  statuses: z.array(z.unknown()).default([]).catch([]),
  messages: z.array(z.unknown()).default([]).catch([]),
  contacts: z.array(z.unknown()).default([]).catch([]),
})

const Status = z.object({
  id: z.string(),
  status: z.string(),
  timestamp: z.coerce.number().int().positive(),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(z.unknown()).default([]).catch([]),
})

const TemplateStatus = z.object({
  event: z.string(),
  message_template_name: z.string(),
  message_template_language: z.string(),
  reason: z.string().nullish(),
})

/** What the provider tells of one message. */
export interface StatusUpdate {
  ourId: string | null
  externalId: string
  /** The phone number that it was sent from, where the provider says so. */
  sender: string | null
  event: DeliveryEvent
}

/** What one report says that matters here. Other fields of the provider's are passed over. */
export interface ReportUpdates {
  statuses: StatusUpdate[]
  templates: TemplateStatusUpdate[]
  messages: Omit<ReceivedMessage, 'key' | 'phoneHashes'>[]
  /** How many parts of it have a shape that is not known, by what they should have been. */
  notUnderstood: { envelopes: number; changes: number; statuses: number; templates: number; messages: number }
}

/** Each part is read by itself: one of another shape takes nothing along. */
export function parseReport(json: unknown, now: number): ReportUpdates {
  const updates: ReportUpdates = {
    statuses: [],
    templates: [],
    messages: [],
    notUnderstood: { envelopes: 0, changes: 0, statuses: 0, templates: 0, messages: 0 },
  }
  const envelope = Envelope.safeParse(json)
  if (!envelope.success) updates.notUnderstood.envelopes += 1
  for (const each of envelope.data?.entry ?? []) {
    const entry = Entry.safeParse(each)
    if (!entry.success) updates.notUnderstood.envelopes += 1
    const { time, changes = [] } = entry.data ?? {}
    const at = time === undefined ? now : Math.min(now, Math.floor(time) * 1000 + SECOND_END_MS)
    for (const each of changes) {
      const change = Change.safeParse(each)
      if (!change.success) updates.notUnderstood.changes += 1
      else if (change.data.field === 'messages') readMessages(change.data.value, now, updates)
      else if (change.data.field === 'message_template_status_update') readTemplate(change.data.value, at, updates)
    }
  }
  return updates
}

/** The statuses of our messages, and what customers wrote. */
function readMessages(value: unknown, now: number, { statuses, messages, notUnderstood }: ReportUpdates): void {
  const { data } = MessagesValue.safeParse(value)
  if (!data) notUnderstood.changes += 1
  const sender = data?.metadata?.phone_number_id ?? null
  for (const each of data?.statuses ?? []) {
    const update = readStatus(each, sender, now)
    if (update) statuses.push(update)
    else notUnderstood.statuses += 1
  }
  for (const each of data?.messages ?? []) {
    const message = readMessage(each, { sender: sender ?? '', contacts: data?.contacts ?? [] })
    if (message) messages.push(message)
    else notUnderstood.messages += 1
  }
}

function readStatus(json: unknown, sender: string | null, now: number): StatusUpdate | undefined {
  const { data } = Status.safeParse(json)
  const status = data && STATUS_OF.get(data.status)
  if (!data || !status) return undefined
  const error = status === 'FAILED' ? toProviderError(data.errors[0]) : undefined
  const event: DeliveryEvent = {
    status,
    at: now,
    timestamp: data.timestamp * 1000,
    source: 'WEBHOOK',
    externalId: data.id,
    ...(error === undefined ? {} : { error }),
  }
  const { biz_opaque_callback_data: ourId = '' } = data
  return { ourId: UUID.test(ourId) ? ourId.toLowerCase() : null, externalId: data.id, sender, event }
}

/** `at` is when it happened: a report that is repeated or late is older than what was learned since. */
function readTemplate(value: unknown, at: number, { templates, notUnderstood }: ReportUpdates): void {
  const { data } = TemplateStatus.safeParse(value)
  const status = data && STATUSES_BY_EVENT.get(data.event)
  if (status === undefined) notUnderstood.templates += 1
  if (!data || !status) return
  const { message_template_name: name, message_template_language, reason } = data
  // The provider's lists have `en_US`; of its reports, some have `en-US`.
  const language = message_template_language.replace('-', '_')
  const known = reason === undefined || reason === 'NONE' ? null : reason
  templates.push({ template: { name, language }, status, reason: known, at })
}
