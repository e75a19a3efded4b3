import { type SQL, sql } from 'drizzle-orm'
import { plugin } from './table.ts'

/** Whether the plugin with this number is stopped: what a paused job waits for. Nobody waits for one that is gone. */
export const isPluginStopped = (no: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${plugin}
    WHERE ${plugin.no} = ${no} AND ${plugin.stoppedAt} IS NOT NULL AND ${plugin.deletedAt} IS NULL)`
