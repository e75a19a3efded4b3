import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { ridList } from '../db/document/values-by-row.ts'
import type { Statement } from '../db/statement.ts'
import { insertForFeeds } from '../event/feed-rows.ts'
import { declareEvents, listEventKeys, toWholeReferent } from '../event/noun-events.ts'
import { Id } from '../http/shapes.ts'
import { PluginView } from './schema.ts'
import { selectPluginRows } from './store.ts'
import { plugin } from './table.ts'
import { viewEventPlugin } from './view.ts'

const PluginEventData = z
  .object({
    id: Id.describe('The id of the plugin.'),
    plugin: PluginView.omit({ webhookUrl: true, areSecretsReadable: true })
      .nullable()
      .describe(
        'The plugin as it is when the event is read, without `webhookUrl` and `areSecretsReadable`; null once it was deleted.',
      ),
    isAccount: z.boolean().describe('Whether all of the account was stopped or resumed.'),
    phoneNumbers: z
      .array(z.string())
      .describe("The provider's ids of the phone numbers that were stopped or resumed by themselves."),
    statusMessage: z.string().nullable().describe('Why it was stopped; null if it was resumed.'),
  })
  .meta({ id: 'PluginEventData', description: 'The plugin, and what of it was stopped or resumed.' })

/** The details of an event of a plugin that was stopped or resumed, by the plugin's number. */
interface PluginEventDetails {
  id: string
  /** Whether it is about the whole plugin. */
  isAccount: boolean
  /** The phone numbers that it is about. */
  phoneNumbers: string[]
  /** The reason of the stop. */
  statusMessage: string | null
}

/** The author and the time of a change. */
export interface Authorship {
  by: string
  at: number
}

const insertEvent = (
  type: 'plugin.stopped' | 'plugin.resumed',
  { by, at }: { by?: SQL | undefined; at: number },
  { after, which }: { after: SQL; which: SQL },
): Statement =>
  insertForFeeds(
    { type, at, by, key: plugin.no.getSQL(), after },
    join => sql`FROM ${plugin} ${join(plugin.team.getSQL())} WHERE ${which}`,
  )

/** Inserts the event before the UPDATE that stops the plugins of `which`. The provider causes it. */
export const insertStopEvent = (which: SQL, stop: Omit<PluginEventDetails, 'id'>): Statement =>
  insertEvent(
    'plugin.stopped',
    { at: Date.now() },
    {
      which: sql`${which} AND ${plugin.deletedAt} IS NULL`,
      after: sql`json_insert(${JSON.stringify(stop)}, '$.id', ${plugin.id})`,
    },
  )

/** Inserts the event before the UPDATE that clears a stop of the plugin, or those of its phone numbers. */
export const insertResumeEvent = (
  { which, isAccount, areSendersStopped }: { which: SQL; isAccount: SQL; areSendersStopped: SQL },
  { by, at }: Authorship,
): Statement =>
  insertEvent(
    'plugin.resumed',
    { by: sql`${by}`, at },
    {
      which,
      after: sql`json_object('id', ${plugin.id}, 'isAccount', json(iif(${isAccount}, 'true', 'false')),
        'phoneNumbers', iif(${areSendersStopped},
          (SELECT json_group_array(key) FROM json_each(${plugin.stoppedSenders})), json('[]')),
        'statusMessage', NULL)`,
    },
  )

/** Converts events of plugins: the plugin as it is when the event is read, and what of it was stopped or resumed. */
export const pluginEvents = declareEvents({
  data: { 'plugin.stopped': PluginEventData, 'plugin.resumed': PluginEventData },
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
})
