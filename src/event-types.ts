import type * as z from 'zod'
import { jobEvents } from './background-job/events.ts'
import { customerEvents } from './customer/events.ts'
import type { EventAuthor } from './event/author.ts'
import { messageEvents } from './message/events.ts'
import { pluginEvents } from './plugin/events.ts'
import { templateEvents } from './plugin/template/events.ts'
import { processEvents } from './process/events.ts'
import { webhookEvents } from './webhook/events.ts'

/** All events of the feed and of webhooks, in the order of the reference: each noun declares its own. The log knows none. */
export const EVENTS = [
  processEvents,
  customerEvents,
  jobEvents,
  messageEvents,
  pluginEvents,
  templateEvents,
  webhookEvents,
] as const

type DataSchemas = (typeof EVENTS)[number]['data']
type KeyInAny<Union> = Union extends unknown ? keyof Union : never

export type EventType = KeyInAny<DataSchemas>

/** What `data` of a type has. */
type EventData<Type extends EventType> = z.infer<Extract<DataSchemas, Record<Type, z.ZodObject>>[Type]>

export const EVENT_TYPES = EVENTS.flatMap(({ data }) => Object.keys(data) as EventType[])

/** An event as the feed and webhooks show it. Its `type` says which `data` it has. */
export type TeamEvent = {
  [Type in EventType]: {
    id: string
    sequence: number
    type: Type
    timestamp: string
    team: string
    data: EventData<Type>
    by: EventAuthor
  }
}[EventType]
