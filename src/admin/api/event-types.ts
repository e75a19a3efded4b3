import type { CreateWebhookBody } from 'caseworker'

export type EventType = NonNullable<CreateWebhookBody['types']>[number]

const SUBJECTS = ['Processes', 'Customers', 'Messages', 'Operation'] as const

/** The subject of each type. The compiler asks for a new one. */
const SUBJECT_BY_TYPE: Record<EventType, (typeof SUBJECTS)[number]> = {
  'process.created': 'Processes',
  'process.updated': 'Processes',
  'process.deleted': 'Processes',
  'process.restored': 'Processes',
  'process.next_action_due': 'Processes',
  'record.updated': 'Customers',
  'record.merged': 'Customers',
  'record.erased': 'Customers',
  'message.received': 'Messages',
  'message.status_changed': 'Messages',
  'background_job.completed': 'Operation',
  'plugin.stopped': 'Operation',
  'plugin.resumed': 'Operation',
  'template.changed': 'Operation',
  'webhook.disabled': 'Operation',
}
const TYPES = Object.keys(SUBJECT_BY_TYPE) as EventType[]

export const EVENT_TYPES: readonly { about: string; types: readonly EventType[] }[] = SUBJECTS.map(about => ({
  about,
  types: TYPES.filter(type => SUBJECT_BY_TYPE[type] === about),
}))
