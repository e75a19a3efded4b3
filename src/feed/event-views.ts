import { jobEvents } from '../background-job/job-events.ts'
import type { EventView, Referent } from '../event/event-view.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { messageEvents } from '../message/shown-events.ts'
import { pluginEvents } from '../plugin/shown-events.ts'
import { templateEvents } from '../plugin/template/shown-events.ts'
import type { Scope } from '../scope.ts'
import { webhookEvents } from './webhook-events.ts'

/** Those of the features whose events are about neither processes nor customers. */
const EVENT_VIEWS: readonly EventView[] = [messageEvents, jobEvents, pluginEvents, templateEvents, webhookEvents]

/** The data of such events, by sequence: one round trip for each feature that has some. */
export async function showByFeature(
  scope: Pick<Scope, 'db' | 'team'>,
  events: readonly StoredEvent[],
  bytesMax: number,
): Promise<ReadonlyMap<number, Referent<object>>> {
  const shown = await Promise.all(
    EVENT_VIEWS.map(({ types, show }) => {
      const own = events.filter(({ type }) => types.includes(type))
      return own.length === 0 ? new Map<number, Referent<object>>() : show(scope, own, bytesMax)
    }),
  )
  return new Map(shown.flatMap(each => [...each]))
}
