/**
 * All event types of the feed, of webhooks and of history. The compiler asks for the data and an example of a new one; its
 * view belongs into `feed/event-views.ts`, its group into `admin/api/event-types.ts`. `record.updated` and `record.merged`
 * are not about a process, but a process shows its record.
 */
export const EVENT_TYPES = [
  'process.created',
  'process.updated',
  'process.deleted',
  'process.restored',
  'process.next_action_due',
  'record.updated',
  'record.merged',
  'record.erased',
  'background_job.completed',
  'message.received',
  'message.status_changed',
  'plugin.stopped',
  'plugin.resumed',
  'template.changed',
  'webhook.disabled',
] as const

export type EventType = (typeof EVENT_TYPES)[number]
