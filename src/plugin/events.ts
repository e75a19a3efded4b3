import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../db/statement.ts'
import { insertForFeeds } from '../event/feed-rows.ts'
import { plugin } from './table.ts'

/** The details of an event of a plugin that was stopped or resumed, by the plugin's number. */
export interface PluginEventDetails {
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
