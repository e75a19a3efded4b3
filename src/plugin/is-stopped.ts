import { type SQL, sql } from 'drizzle-orm'
import { plugin } from './table.ts'

/** Whether a plugin, or one of its phone numbers, is stopped: what a job that is paused for it waits for. */
export const isPluginStopped = (no: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${plugin} WHERE ${plugin.no} = ${no} AND ${plugin.deletedAt} IS NULL
    AND (${plugin.stoppedAt} IS NOT NULL OR ${plugin.stoppedSenders} <> '{}'))`
