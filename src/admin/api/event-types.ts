import type { CreateWebhookBody } from 'caseworker'

export type EventType = NonNullable<CreateWebhookBody['types']>[number]

/** The types by what they are about, in words. */
export const EVENT_TYPES: readonly { about: string; types: readonly EventType[] }[] = [
  {
    about: 'Processes',
    types: ['process.created', 'process.updated', 'process.deleted', 'process.restored', 'process.next_action_due'],
  },
  { about: 'Customers', types: ['record.updated', 'record.merged', 'record.erased'] },
  { about: 'Messages', types: ['message.received', 'message.status_changed'] },
  {
    about: 'Operation',
    types: ['background_job.completed', 'plugin.stopped', 'plugin.resumed', 'template.changed', 'webhook.disabled'],
  },
]
