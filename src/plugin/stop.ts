import { type SQL, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, type Statement, statement } from '../db/statement.ts'
import { type Authorship, insertResumeEvent, insertStopEvent } from './events.ts'
import type { PluginRow } from './operations.ts'
import { plugin, type Stop } from './table.ts'

type PluginNo = Pick<PluginRow, 'no'>
type PluginVersion = Pick<PluginRow, 'no' | 'version'>

/** Stops a whole plugin. The first reason stands until it is cleared; reports from before the last change don't count. */
export function stopPlugin({ no }: PluginNo, { code, message, at }: Stop): Statement[] {
  const which = sql`${plugin.no} = ${no} AND ${plugin.stoppedAt} IS NULL AND ${plugin.updatedAt} <= ${at}`
  return [
    insertStopEvent(which, { isAccount: true, phoneNumbers: [], statusMessage: message }),
    statement(
      sql`UPDATE ${plugin} SET ${assignments(plugin, { stoppedAt: at, stoppedBy: code, statusMessage: message })} WHERE ${which}`,
    ),
  ]
}

/** Stops one phone number of a plugin. Its id has digits only, so it can stand in a path. */
export function stopSender({ no }: PluginNo, sender: string, stop: Stop): Statement[] {
  const path = `$."${sender}"`
  const stopped = sql`json_set(${plugin.stoppedSenders}, ${path}, json(${JSON.stringify(stop)}))`
  const which = sql`${plugin.no} = ${no} AND ${plugin.stoppedSenders} -> ${path} IS NULL AND ${plugin.updatedAt} <= ${stop.at}`
  return [
    insertStopEvent(which, { isAccount: false, phoneNumbers: [sender], statusMessage: stop.message }),
    statement(sql`UPDATE ${plugin} SET ${assignments(plugin, { stoppedSenders: stopped })} WHERE ${which}`),
  ]
}

/** Matches if a plugin, or one of its phone numbers, is stopped, for which a paused job waits. */
export const wherePluginStopped = (no: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${plugin} WHERE ${plugin.no} = ${no} AND ${plugin.deletedAt} IS NULL
    AND (${plugin.stoppedAt} IS NOT NULL OR ${plugin.stoppedSenders} <> '{}'))`

export const PLUGIN_CHANGED = 'the plugin changed'

const selectUnchanged = ({ no, version }: PluginVersion) =>
  sql`SELECT 1 FROM ${plugin} WHERE ${plugin.no} = ${no} AND ${plugin.version} = ${version} AND ${plugin.deletedAt} IS NULL`

/** Fails a transaction if the plugin on which it was decided was changed or removed since. */
export const guardPluginVersion = (row: PluginVersion): Statement =>
  guard(PLUGIN_CHANGED, sql`EXISTS (${selectUnchanged(row)})`)

/** Fails a sync that another one, which asked the provider later, has overtaken. */
export const guardNotSyncedSince = ({ no }: PluginNo, at: number): Statement =>
  guard(
    PLUGIN_CHANGED,
    sql`(SELECT coalesce(${plugin.templatesSyncedAt}, 0) FROM ${plugin} WHERE ${plugin.no} = ${no}) <= ${at}`,
  )

/** Fails a send if the plugin was changed, or if it or one of the senders was stopped since. */
export const guardSending = (row: PluginVersion, senders: readonly string[]): Statement =>
  guard(
    PLUGIN_CHANGED,
    sql`EXISTS (${selectUnchanged(row)} AND ${plugin.stoppedAt} IS NULL AND NOT EXISTS (
      SELECT 1 FROM json_each(${plugin.stoppedSenders}) stopped
        WHERE stopped.key IN (SELECT value FROM json_each(${JSON.stringify(senders)}))))`,
  )

/** Inserts the event before a change of a plugin by its team, which clears all its stops. */
export const insertStopsClearedEvent = ({ no }: PluginNo, by: Authorship): Statement =>
  insertResumeEvent(
    {
      which: sql`${plugin.no} = ${no} AND (${plugin.stoppedAt} IS NOT NULL OR ${plugin.stoppedSenders} <> '{}')`,
      isAccount: sql`${plugin.stoppedAt} IS NOT NULL`,
      areSendersStopped: sql`true`,
    },
    by,
  )

/**
 * Marks a plugin as synced. A sync shows that the plugin's token is good and that somebody has looked after it, so it clears
 * the stops of senders, and with `clearsStop` that of the plugin. Only stops that it has read are cleared; newer ones stay.
 */
export function markSynced(
  { no, stoppedAt, stoppedBy, stoppedSenders }: PluginRow,
  { at, clearsStop, by }: { at: number; clearsStop: boolean; by: string },
): Statement[] {
  const isStop = clearsStop
    ? sql`(${plugin.stoppedAt} = ${stoppedAt} AND ${plugin.stoppedBy} = ${stoppedBy})`
    : sql`false`
  const areSendersStopped = sql`(${plugin.stoppedSenders} = ${JSON.stringify(stoppedSenders)} AND ${plugin.stoppedSenders} <> '{}')`
  const which = sql`${plugin.no} = ${no}`
  return [
    insertResumeEvent(
      { which: sql`${which} AND (${isStop} OR ${areSendersStopped})`, isAccount: isStop, areSendersStopped },
      { by, at },
    ),
    statement(
      sql`UPDATE ${plugin} SET ${assignments(plugin, {
        templatesSyncedAt: at,
        stoppedAt: sql`iif(${isStop}, NULL, ${plugin.stoppedAt})`,
        stoppedBy: sql`iif(${isStop}, NULL, ${plugin.stoppedBy})`,
        statusMessage: sql`iif(${isStop}, NULL, ${plugin.statusMessage})`,
        stoppedSenders: sql`iif(${areSendersStopped}, '{}', ${plugin.stoppedSenders})`,
        updatedAt: sql`iif(${isStop} OR ${areSendersStopped}, ${at}, ${plugin.updatedAt})`,
      })} WHERE ${which}`,
    ),
  ]
}
