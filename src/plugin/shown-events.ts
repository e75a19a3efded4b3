import { sql } from 'drizzle-orm'
import { ridList } from '../db/document/values-by-row.ts'
import { type EventView, listEventKeys, toWholeReferent } from '../event/event-view.ts'
import type { PluginEventDetails } from './events.ts'
import type { PluginEventData } from './schema.ts'
import { selectPluginRows } from './store.ts'
import { plugin } from './table.ts'
import { viewEventPlugin } from './view.ts'

/** Converts events of plugins: the plugin as it is when the event is read, and what of it was stopped or resumed. */
export const pluginEvents: EventView<PluginEventData> = {
  types: ['plugin.stopped', 'plugin.resumed'],
  async show({ db, team }, events) {
    const [rows] = await db.read(selectPluginRows({ team }, sql`${plugin.no} IN ${ridList(listEventKeys(events))}`))
    const shown = new Map(rows.map(row => [row.id, viewEventPlugin(row, team)]))
    return new Map(
      events.map(({ sequence, after }) => {
        const { id, isAccount, phoneNumbers, statusMessage } = after as PluginEventDetails
        const data = { id, plugin: shown.get(id) ?? null, isAccount, phoneNumbers, statusMessage }
        return [sequence, toWholeReferent(data)] as const
      }),
    )
  },
}
