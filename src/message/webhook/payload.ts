import { z } from 'zod'
import { providerError } from '../../plugin/codes.ts'
import type { TemplateStatusUpdate } from '../../plugin/template/statements.ts'
import type { DeliveryEvent, DeliveryStatus } from '../rules.ts'

const STATUS_OF = new Map<string, DeliveryStatus>([
  ['sent', 'SENT'],
  ['delivered', 'DELIVERED'],
  ['read', 'READ'],
  ['played', 'READ'],
  ['failed', 'FAILED'],
])

const List = z.array(z.unknown()).catch([])
const Envelope = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(
    z.object({ changes: z.array(z.object({ field: z.string(), value: z.record(z.string(), z.unknown()) })).catch([]) }),
  ),
})

const Status = z.object({
  id: z.string(),
  status: z.string(),
  timestamp: z.coerce.number().int().positive(),
  biz_opaque_callback_data: z.string().optional(),
  errors: List.default([]),
})

const TemplateStatus = z.object({
  event: z.string(),
  message_template_name: z.string(),
  message_template_language: z.string(),
  reason: z.string().nullish(),
})

/** What one webhook says that matters here; all else in it is passed over. */
export interface News {
  statuses: { ourId: string | undefined; event: DeliveryEvent }[]
  templates: TemplateStatusUpdate[]
}

export function updatesOf(json: unknown, now: number): News {
  const changes = (Envelope.safeParse(json).data?.entry ?? []).flatMap(entry => entry.changes)
  const of = (field: string) => changes.filter(change => change.field === field).map(change => change.value)
  return {
    statuses: of('messages').flatMap(value => List.parse(value.statuses).flatMap(each => statusOf(each, now))),
    templates: of('message_template_status_update').flatMap(value => templateOf(value, now)),
  }
}

function statusOf(json: unknown, now: number): News['statuses'] {
  const { data } = Status.safeParse(json)
  const status = data && STATUS_OF.get(data.status)
  if (!data || !status) return []
  const error = status === 'FAILED' ? providerError(data.errors[0]) : undefined
  const event: DeliveryEvent = {
    status,
    at: now,
    timestamp: data.timestamp * 1000,
    source: 'WEBHOOK',
    externalId: data.id,
    ...(error === undefined ? {} : { error }),
  }
  return [{ ourId: data.biz_opaque_callback_data, event }]
}

function templateOf(json: unknown, now: number): TemplateStatusUpdate[] {
  const { data } = TemplateStatus.safeParse(json)
  if (!data) return []
  const { event: status, message_template_name: name, message_template_language: language, reason } = data
  return [{ name, language, status, reason: reason === undefined || reason === 'NONE' ? null : reason, now }]
}
