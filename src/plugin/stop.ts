import { type TextStatement, textGuard, textStatement } from '../db/text-statement.ts'
import type { PluginRow } from './store.ts'

export interface Stop {
  code: number
  message: string
  /** When the provider said so. What was said before the plugin was last seen to counts no more. */
  at: number
}

/** The first reason stands until it is cleared. */
export const stopStatement = ({ no }: Pick<PluginRow, 'no'>, { code, message, at }: Stop): TextStatement =>
  textStatement(
    `UPDATE plugin SET stopped_at = ?2, stopped_by = ?3, status_message = ?4
      WHERE no = ?1 AND stopped_at IS NULL AND updated_at <= ?2`,
    no,
    at,
    code,
    message,
  )

export const PLUGIN_CHANGED = 'the plugin changed'

/** Goes with what is about to be sent: fails it where the plugin was stopped, removed or changed since it was loaded. */
export const guardPlugin = ({ no, version }: Pick<PluginRow, 'no' | 'version'>): TextStatement =>
  textGuard(
    PLUGIN_CHANGED,
    'EXISTS (SELECT 1 FROM plugin WHERE no = ?1 AND version = ?2 AND stopped_at IS NULL AND deleted_at IS NULL)',
    no,
    version,
  )

export const syncedStatement = ({ no }: Pick<PluginRow, 'no'>, now: number, clears: boolean): TextStatement =>
  textStatement(
    `UPDATE plugin SET templates_synced_at = ?2${clears ? ', stopped_at = NULL, stopped_by = NULL, status_message = NULL, updated_at = ?2' : ''}
      WHERE no = ?1`,
    no,
    now,
  )
