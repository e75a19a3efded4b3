import type * as z from 'zod'
import { JobEventData } from '../background-job/schema.ts'
import { ErasureEventData, MergeEventData, RecordEventData } from '../customer/schema.ts'
import type { EventType } from '../event/types.ts'
import { ReceivedEventData, StatusEventData } from '../message/schema.ts'
import { PluginEventData, TemplateEventData } from '../plugin/schema.ts'
import { DueEventData, ProcessEventData } from '../process/schema.ts'
import { DisabledEventData } from './webhook-events.ts'

/** What `data` of each type of event has. */
export const EVENT_DATA = {
  'process.created': ProcessEventData,
  'process.updated': ProcessEventData,
  'process.deleted': ProcessEventData,
  'process.restored': ProcessEventData,
  'process.next_action_due': DueEventData,
  'record.updated': RecordEventData,
  'record.merged': MergeEventData,
  'record.erased': ErasureEventData,
  'background_job.completed': JobEventData,
  'message.received': ReceivedEventData,
  'message.status_changed': StatusEventData,
  'plugin.stopped': PluginEventData,
  'plugin.resumed': PluginEventData,
  'template.changed': TemplateEventData,
  'webhook.disabled': DisabledEventData,
} satisfies Record<EventType, z.ZodObject>

export type EventData<Type extends EventType> = z.infer<(typeof EVENT_DATA)[Type]>
